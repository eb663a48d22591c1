/// The readable twin of the log's values: JSON without loss, except that what is text and what is
/// bytes must be told apart: bytes stand as `{"$hex":"…"}`.
extension CBOR {
    /// The value as JSON.
    package var json: JSON {
        switch self {
        case .unsigned(let value): .number(String(value))
        case .negative(let value):
            .number(UInt256(value).adding(UInt256(1)).map { "-\($0.decimal)" } ?? "0")
        case .bytes(let bytes): .object([.init(name: "$hex", value: .string(Hex.encode(bytes)))])
        case .text(let text): .string(text)
        case .array(let items): .array(items.map(\.json))
        case .map(let entries):
            .object(
                entries.map { entry in
                    JSON.Member(
                        name: entry.key.textValue ?? entry.key.json.text(),
                        value: entry.value.json)
                })
        case .bool(let value): .bool(value)
        case .null: .null
        }
    }
}
