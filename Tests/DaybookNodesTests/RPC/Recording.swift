import DaybookEncoding
import Foundation
import Testing

/// Requests and answers of real nodes, in `Tests/Fixtures/recordings`; one exchange a line.
enum Recording {
    static func lines(_ file: String) throws -> [JSON] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: tests.appending(path: "Fixtures/recordings/\(file)"))
        return try data.split(separator: UInt8(ascii: "\n")).map { try JSON.parse(Bytes($0)) }
    }
}
