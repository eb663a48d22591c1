import DaybookEncoding
import Foundation

/// The vectors under Tests/Fixtures/icon, read by Daybook's own JSON parser.
///
/// Foundation's would merge keys that differ in Unicode form alone, which is one of the cases.
enum ICONVectors {
    static func file(_ name: String) throws -> JSON {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appending(path: "Fixtures/icon/\(name)"))
        return try JSON.parse(Bytes(data))
    }

    static func list(_ key: String, in name: String = "icon.json") throws -> [JSON] {
        try file(name)[key]?.arrayValue ?? []
    }
}

extension JSON {
    func text(at key: String) -> String { self[key]?.stringValue ?? "" }
}
