package import DaybookEncoding

/// The text of a transaction whose SHA3-256 is signed, as the network's node builds it.
///
/// Where the reference SDK and the node differ (a key with a dot, empty texts at the start of a
/// list), the node decides: it is what checks the signature.
package enum ICONSerialization {
    /// The text of params, without `signature` and `txHash`, which the signature does not cover.
    package static func text(of params: JSON) throws(ICONSerializationError) -> String {
        guard case .object(let members) = params else {
            throw ICONSerializationError(path: "", found: .noObject)
        }
        let signed = members.filter { member in
            !uncovered.contains { Text.equal($0, member.name) }
        }
        var text = Bytes("icx_sendTransaction.".utf8)
        try append(members: signed, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static let uncovered = ["signature", "txHash"]

    private static func append(
        _ value: JSON, to text: inout Bytes
    ) throws(ICONSerializationError) {
        switch value {
        case .null: text += "\\0".utf8
        case .string(let content): append(escaping: content, to: &text)
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            try append(members: members, to: &text)
            text.append(UInt8(ascii: "}"))
        case .array(let values):
            text.append(UInt8(ascii: "["))
            try append(elements: values, to: &text)
            text.append(UInt8(ascii: "]"))
        case .number(let literal):
            guard let whole = wholePart(literal) else {
                throw ICONSerializationError(path: "", found: .number)
            }
            text += whole.utf8
        case .bool: throw ICONSerializationError(path: "", found: .boolean)
        }
    }

    private static func append(
        members: [JSON.Member], to text: inout Bytes
    ) throws(ICONSerializationError) {
        // By UTF-8 bytes: Swift would take two spellings of "é" for one key, and order others.
        let ordered = members.sorted { Text.precedes($0.name, $1.name) }
        let start = text.count
        for member in ordered {
            if text.count > start { text.append(dot) }
            append(escaping: member.name, to: &text)
            text.append(dot)
            do {
                try append(member.value, to: &text)
            } catch {
                throw error.within(".\(member.name)")
            }
        }
    }

    private static func append(
        elements: [JSON], to text: inout Bytes
    ) throws(ICONSerializationError) {
        let start = text.count
        for (index, element) in elements.enumerated() {
            // The node writes the dot only behind something, so that leading empty texts vanish.
            if text.count > start { text.append(dot) }
            do {
                try append(element, to: &text)
            } catch {
                throw error.within("[\(index)]")
            }
        }
    }

    private static func append(escaping content: String, to text: inout Bytes) {
        let bytes = content.utf8
        // Few texts have anything to escape.
        guard bytes.contains(where: special.contains) else { return text += bytes }
        for byte in bytes {
            if special.contains(byte) { text.append(UInt8(ascii: "\\")) }
            text.append(byte)
        }
    }

    private static let special = Bytes("\\{}[].".utf8)
    private static let dot = UInt8(ascii: ".")

    /// The node reads a number as a double and drops its fraction; exact below 2^53 only.
    private static func wholePart(_ literal: String) -> String? {
        let whole = literal.utf8.prefix { $0 != UInt8(ascii: ".") }
        guard let number = Int64(String(decoding: whole, as: UTF8.self)),
            number.magnitude < 1 << 53,
            !literal.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") })
        else { return nil }
        return String(number)
    }
}

/// A value that has no place in a transaction, and where it stands.
package struct ICONSerializationError: Error, Equatable, CustomStringConvertible {
    /// What stands there.
    package enum Found: String, Sendable {
        case noObject = "params that are no object"
        case boolean = "a boolean"
        case number = "a number that is not exact"
    }

    /// Where it stands, such as `.data.params.a`.
    package let path: String
    /// What stands there.
    package let found: Found

    init(path: String, found: Found) {
        self.path = String(path.prefix(64))
        self.found = found
    }

    /// The place and what stands there, for people.
    /// The same error, named from a place around it.
    func within(_ place: String) -> ICONSerializationError {
        ICONSerializationError(path: place + path, found: found)
    }

    package var description: String { "\(path): \(found.rawValue) cannot be signed" }
}
