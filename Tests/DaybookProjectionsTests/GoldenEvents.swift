import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import Foundation
import Testing

/// A recorded session with payments on all chains, and a helper that folds it.
enum GoldenEvents {
    static func all() throws -> [Event] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/logs/v1/session.hex")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            let record = try EventRecord.decode(try #require(Hex.decode($0)))
            return try #require(try record.event())
        }
    }
}
