import DaybookEncoding
import TestSupport

/// The vectors under Tests/Fixtures/icon.
enum ICONVectors {
    static func list(_ key: String, in name: String = "icon.json") throws -> [JSON] {
        try Fixture.json("icon/\(name)")[key]?.arrayValue ?? []
    }
}

extension JSON {
    func text(at key: String) -> String { self[key]?.stringValue ?? "" }
}
