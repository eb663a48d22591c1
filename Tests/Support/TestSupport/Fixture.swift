package import DaybookEncoding
import Foundation

extension [UInt8] {
    /// The encoding of a record with these fields, which most events of tests have.
    package static func record(_ fields: KeyValuePairs<String, CBOR?>) -> [UInt8] {
        CBOR.record(fields).encoded()
    }
}

/// The data files of the tests, named from `Tests/Fixtures`.
package enum Fixture {
    package static func url(_ name: String) -> URL {
        Repository.root.appending(path: "Tests/Fixtures/\(name)")
    }

    package static func path(_ name: String) -> String {
        url(name).path(percentEncoded: false)
    }

    package static func data(_ name: String) throws -> Data {
        try Data(contentsOf: url(name))
    }

    package static func text(_ name: String) throws -> String {
        try String(contentsOf: url(name), encoding: .utf8)
    }

    /// A JSON document as a value of a type that Foundation decodes.
    package static func load<Content: Decodable>(_ name: String, as type: Content.Type) throws
        -> Content
    {
        try JSONDecoder().decode(type, from: data(name))
    }

    /// A JSON document, read by Daybook's own parser.
    ///
    /// Foundation's would merge keys that differ in Unicode form alone, which some fixtures have.
    package static func json(_ name: String) throws -> JSON {
        try JSON.parse(Bytes(data(name)))
    }

    /// A JSON document in each line.
    package static func jsonLines(_ name: String) throws -> [JSON] {
        try data(name).split(separator: UInt8(ascii: "\n")).map { try JSON.parse(Bytes($0)) }
    }

    /// Bytes in hexadecimal digits in each line, with `#` before remarks.
    package static func hexLines(_ name: String) throws -> [Bytes] {
        try text(name).split(separator: "\n").map { line in
            let digits = line.prefix { $0 != "#" }.trimmingCharacters(in: .whitespaces)
            guard let bytes = Hex.decode(digits) else { throw CocoaError(.fileReadCorruptFile) }
            return bytes
        }
    }

    /// Columns between tabs in each line; lines that begin with `#` are remarks.
    package static func rows(_ name: String) throws -> [[String]] {
        try text(name).split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
