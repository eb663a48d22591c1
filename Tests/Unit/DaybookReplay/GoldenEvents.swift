import DaybookDomain
import DaybookLog
import Testing
import TestSupport

/// A recorded session with payments on all chains.
enum GoldenEvents {
    static func all() throws -> [Event] {
        try Fixture.hexLines("logs/v1/session.hex").map {
            try #require(try EventRecord.decode($0).event())
        }
    }
}
