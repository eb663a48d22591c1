/// Converts values to JSON and back without loss.
///
/// Bytes are `{"$hex":"…"}`. A map with only text keys, none of which begins with `$`, is an
/// object; any other map is `{"$map":[[key,value],…]}`.
extension CBOR {
    /// The value as JSON.
    package var json: JSON {
        switch self {
        case .unsigned(let value): .number(String(value))
        case .negative(let value): .number("-\(Self.magnitude(ofNegative: value))")
        case .bytes(let bytes): Self.marked("$hex", .string(Hex.encode(bytes)))
        case .text(let text): .string(text)
        case .array(let items): .array(items.map(\.json))
        case .map(let entries): Self.json(entries)
        case .bool(let value): .bool(value)
        case .null: .null
        }
    }

    /// The value of JSON; refuses JSON that `json` would not produce.
    ///
    /// Spaces, the order of members and escapes in strings are free. With `depth` the value is
    /// read as one that lies within so many arrays and maps.
    package static func from(_ json: JSON, depth: Int = 0) throws(CBORJSONError) -> CBOR {
        switch json {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .string(let text): return .text(text)
        case .number(let literal): return try integer(literal)
        case .array(let items):
            if depth >= maximumDepth { throw .tooDeep }
            var values: [CBOR] = []
            for item in items { values.append(try from(item, depth: depth + 1)) }
            return .array(values)
        case .object(let members): return try value(members, depth: depth)
        }
    }

    private static func json(_ entries: [Entry]) -> JSON {
        if needsMarking(entries) {
            return marked("$map", .array(entries.map { .array([$0.key.json, $0.value.json]) }))
        }
        return .object(
            entries.map { JSON.Member(name: $0.key.textValue ?? "", value: $0.value.json) })
    }

    private static func marked(_ mark: String, _ value: JSON) -> JSON {
        .object([JSON.Member(name: mark, value: value)])
    }

    private static func isMark(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: "$") }

    private static func needsMarking(_ entries: [Entry]) -> Bool {
        entries.contains { $0.key.textValue.map(isMark) ?? true }
    }

    /// `-1 - value` without its sign, which for the lowest one has no room in 64 bits.
    private static func magnitude(ofNegative value: UInt64) -> String {
        let (sum, overflow) = value.addingReportingOverflow(1)
        return overflow ? lowest : String(sum)
    }

    private static let lowest = "18446744073709551616"

    private static func integer(_ literal: String) throws(CBORJSONError) -> CBOR {
        guard literal.utf8.first == UInt8(ascii: "-") else {
            guard let value = UInt64(literal) else { throw .otherNumber }
            return .unsigned(value)
        }
        let digits = literal.dropFirst()
        if Text.equal(digits, lowest) { return .negative(.max) }
        guard let magnitude = UInt64(digits), magnitude > 0 else { throw .otherNumber }
        return .negative(magnitude - 1)
    }

    private static func value(
        _ members: [JSON.Member], depth: Int
    ) throws(CBORJSONError) -> CBOR {
        if let mark = members.first(where: { isMark($0.name) }) {
            guard members.count == 1 else { throw .otherMark }
            if Text.equal(mark.name, "$hex") { return try bytes(mark.value) }
            guard Text.equal(mark.name, "$map") else { throw .otherMark }
            return try markedMap(mark.value, depth: depth)
        }
        if depth >= maximumDepth { throw .tooDeep }
        var entries: [Entry] = []
        for member in members {
            let value = try from(member.value, depth: depth + 1)
            entries.append(Entry(key: .text(member.name), value: value))
        }
        return .map(entries)
    }

    private static func bytes(_ json: JSON) throws(CBORJSONError) -> CBOR {
        guard let text = json.stringValue, let bytes = Hex.decode(text),
            Text.equal(text, Hex.encode(bytes))
        else { throw .otherMark }
        return .bytes(bytes)
    }

    private static func markedMap(_ json: JSON, depth: Int) throws(CBORJSONError) -> CBOR {
        if depth >= maximumDepth { throw .tooDeep }
        guard let pairs = json.arrayValue else { throw .otherMark }
        var entries: [Entry] = []
        for pair in pairs {
            guard let items = pair.arrayValue, items.count == 2 else { throw .otherMark }
            let key = try from(items[0], depth: depth + 1)
            entries.append(Entry(key: key, value: try from(items[1], depth: depth + 1)))
        }
        // One that could be an object must be one: a value has one spelling.
        guard needsMarking(entries) else { throw .otherMark }
        let keys = entries.map { $0.key.encoded() }.sorted(by: ByteOrder.precedes)
        for index in keys.indices.dropFirst() where keys[index - 1] == keys[index] {
            throw .duplicateKey
        }
        return .map(entries)
    }
}

/// Why JSON is not a value in the log's format.
package enum CBORJSONError: String, Error, Sendable {
    case otherNumber = "a number that is no integer of 64 bits"
    case otherMark = "a name beginning with $ where it means nothing"
    case duplicateKey = "a map with a key twice"
    case tooDeep = "more than 16 levels of arrays and maps"
}

extension CBORJSONError: CustomStringConvertible {
    /// The reason for people.
    package var description: String { rawValue }
}
