import DaybookEncoding
import Foundation
import Testing
import TestSupport

/// Requests and answers of real nodes, in `Tests/Fixtures/recordings`; one exchange a line.
enum Recording {
    static func lines(_ file: String) throws -> [JSON] {
        try Fixture.jsonLines("recordings/\(file)")
    }
}

extension Recording {
    /// The result in a recorded exchange.
    static func result(_ exchange: JSON) throws -> JSON {
        let response = try JSON.parse(Bytes((exchange["resp"]?.stringValue ?? "").utf8))
        return try #require(response["result"])
    }

    /// The first recorded result of a call that has this number in `blocks`.
    static func result(of method: String, blocks: Int64, in file: String) throws -> JSON? {
        try lines(file).lazy.filter { $0["req"]?["method"]?.stringValue == method }
            .map { try result($0) }.first { $0["blocks"]?.intValue == blocks }
    }
}
