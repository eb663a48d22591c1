import DaybookEncoding

/// The values in an event's data, each with its path.
enum RecordedValues {
    /// A value as people read it.
    struct Value: Equatable {
        let name: String
        let text: String
    }

    /// How many values are shown; the rest is only counted.
    static let most = 48
    /// Of a value of more bytes only the beginning is shown.
    static let longest = 160

    static func of(_ data: CBOR) -> [Value] {
        var values: [Value] = []
        var count = 0
        gather(data, at: "", &values, &count)
        if count > most {
            values.append(Value(name: "and", text: "\(count - most) more values"))
        }
        return values
    }

    private static func gather(
        _ value: CBOR, at path: String, _ values: inout [Value], _ count: inout Int
    ) {
        switch value {
        case .map(let entries):
            for entry in entries {
                let name = entry.key.textValue ?? text(entry.key)
                gather(entry.value, at: path.isEmpty ? name : "\(path).\(name)", &values, &count)
            }
        case .array(let items):
            // A pair of texts, such as a prompt's line, is a name and what it says.
            if items.count == 2, let name = items[0].textValue, let text = items[1].textValue {
                let path = "\(path.prefix { $0 != "[" }).\(name)"
                return gather(.text(text), at: path, &values, &count)
            }
            for (index, item) in items.enumerated() {
                gather(item, at: "\(path)[\(index)]", &values, &count)
            }
        default:
            count += 1
            if count <= most { values.append(Value(name: path, text: text(value, at: path))) }
        }
    }

    /// Two fields of events are times.
    private static func text(_ value: CBOR, at path: String) -> String {
        if case .unsigned(let number) = value, path == "expires" || path == "until" {
            return Timestamp.readable(number)
        }
        return text(value)
    }

    private static func text(_ value: CBOR) -> String {
        switch value {
        case .unsigned(let number): String(number)
        case .bool(let value): value ? "yes" : "no"
        case .null: "nothing"
        case .text(let text): shortened(text)
        case .bytes(let bytes): text(bytes)
        case .negative, .array, .map: value.json.text()
        }
    }

    /// Bytes that are a line of ASCII, such as a request's link, are shown as text.
    private static func text(_ bytes: Bytes) -> String {
        let isLine = !bytes.isEmpty && bytes.allSatisfy { (0x20..<0x7f).contains($0) }
        return shortened(isLine ? String(decoding: bytes, as: UTF8.self) : Hex.encode(bytes))
    }

    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > longest else { return text }
        return String(text.unicodeScalars.prefix(longest / 2)) + "… (\(text.utf8.count) bytes)"
    }
}
