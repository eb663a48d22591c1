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
        let signed = members.filter { !uncovered.contains(Bytes($0.name.utf8)) }
        let fields = try object(signed, path: "")
        return String(decoding: Bytes("icx_sendTransaction.".utf8) + fields, as: UTF8.self)
    }

    private static let uncovered = [Bytes("signature".utf8), Bytes("txHash".utf8)]

    private static func value(
        _ value: JSON, path: String
    ) throws(ICONSerializationError) -> Bytes {
        switch value {
        case .null: return Bytes("\\0".utf8)
        case .string(let text): return escaped(text)
        case .object(let members):
            return Bytes("{".utf8) + (try object(members, path: path)) + Bytes("}".utf8)
        case .array(let values):
            return Bytes("[".utf8) + (try list(values, path: path)) + Bytes("]".utf8)
        case .number(let literal):
            guard let whole = wholePart(literal) else {
                throw ICONSerializationError(path: path, found: .number)
            }
            return Bytes(whole.utf8)
        case .bool: throw ICONSerializationError(path: path, found: .boolean)
        }
    }

    private static func object(
        _ members: [JSON.Member], path: String
    ) throws(ICONSerializationError) -> Bytes {
        // By UTF-8 bytes: Swift would take two spellings of "é" for one key, and order others.
        let ordered = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        var text = Bytes()
        for member in ordered {
            let fragment = try value(member.value, path: path + "." + member.name)
            if !text.isEmpty { text.append(dot) }
            text += escaped(member.name) + [dot] + fragment
        }
        return text
    }

    private static func list(
        _ values: [JSON], path: String
    ) throws(ICONSerializationError) -> Bytes {
        var text = Bytes()
        for (index, element) in values.enumerated() {
            let fragment = try value(element, path: path + "[\(index)]")
            // The node writes the dot only behind something, so that leading empty texts vanish.
            if !text.isEmpty { text.append(dot) }
            text += fragment
        }
        return text
    }

    private static func escaped(_ text: String) -> Bytes {
        var bytes = Bytes()
        for byte in text.utf8 {
            if special.contains(byte) { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        return bytes
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
