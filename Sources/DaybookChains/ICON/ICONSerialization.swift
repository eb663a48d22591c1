package import DaybookEncoding

/// The serialization of a transaction whose SHA3-256 is signed.
///
/// Where the reference SDK and the node differ (a key with a dot, empty texts at the start of a
/// list), this follows the node, which verifies the signature.
package enum ICONSerialization {
    /// The serialization of params, without `signature` and `txHash`.
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
        // By UTF-8 bytes: Swift compares strings by canonical equivalence.
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
            // The node writes no dot at the beginning, so that leading empty texts vanish.
            if text.count > start { text.append(dot) }
            do {
                try append(element, to: &text)
            } catch {
                throw error.within("[\(index)]")
            }
        }
    }

    private static func append(escaping content: String, to text: inout Bytes) {
        let bytes = content.utf8.span
        for index in bytes.indices {
            if isSpecial(bytes[index]) { text.append(UInt8(ascii: "\\")) }
            text.append(bytes[index])
        }
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["),
            UInt8(ascii: "]"), dot:
            true
        default: false
        }
    }

    private static let dot = UInt8(ascii: ".")

    /// The integer part of a number; nil from 2^53 on, where the node's double is not exact.
    private static func wholePart(_ literal: String) -> String? {
        let whole = literal.utf8.prefix { $0 != UInt8(ascii: ".") }
        guard let number = Int64(String(decoding: whole, as: UTF8.self)),
            number.magnitude < 1 << 53,
            !literal.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") })
        else { return nil }
        return String(number)
    }
}

/// A value that can't be part of a transaction, and its path.
package struct ICONSerializationError: Error, Equatable, CustomStringConvertible {
    /// The kind of value.
    package enum Found: String, Sendable {
        case noObject = "params that are no object"
        case boolean = "a boolean"
        case number = "a number that is not exact"
    }

    /// The path of the value, such as `.data.params.a`.
    package let path: String
    package let found: Found

    init(path: String, found: Found) {
        self.path = String(path.prefix(64))
        self.found = found
    }

    /// The same error with a longer path, seen from an enclosing value.
    func within(_ parent: String) -> ICONSerializationError {
        ICONSerializationError(path: parent + path, found: found)
    }

    /// The path and the kind of value, for people.
    package var description: String { "\(path): \(found.rawValue) cannot be signed" }
}
