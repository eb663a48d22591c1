import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import Foundation
import Testing
import TestSupport

/// A recorded session with payments on all chains, and a helper that folds it.
enum GoldenEvents {
    static func all() throws -> [Event] {
        try Fixture.hexLines("logs/v1/session.hex").map {
            try #require(try Recording.event(EventRecord.decode($0)))
        }
    }
}
