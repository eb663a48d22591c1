extension JSON {
    /// The value as JSON text: without any space, or with `pretty` on lines indented by two.
    ///
    /// With `escapingHidden` whatever `Text.escaped` would spell out is written as `\\uXXXX`: the
    /// same value, in a text that is safe to show.
    package func text(pretty: Bool = false, escapingHidden: Bool = false) -> String {
        var output = Bytes()
        write(to: &output, escapingHidden, indentation: pretty ? 0 : nil)
        return String(decoding: output, as: UTF8.self)
    }

    private func write(to output: inout Bytes, _ hidden: Bool, indentation: Int?) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let literal): output.append(contentsOf: literal.utf8)
        case .string(let text): Self.write(text, to: &output, hidden)
        case .array(let values):
            Self.write(values, between: ("[", "]"), to: &output, indentation: indentation) {
                $0.write(to: &$1, hidden, indentation: $2)
            }
        case .object(let members):
            Self.write(members, between: ("{", "}"), to: &output, indentation: indentation) {
                Self.write($0.name, to: &$1, hidden)
                $1.append(contentsOf: ($2 == nil ? ":" : ": ").utf8)
                $0.value.write(to: &$1, hidden, indentation: $2)
            }
        }
    }

    /// Writes items between brackets with commas, each on its own line when indented.
    private static func write<Item>(
        _ items: [Item], between brackets: (String, String), to output: inout Bytes,
        indentation: Int?, write: (Item, inout Bytes, Int?) -> Void
    ) {
        output.append(contentsOf: brackets.0.utf8)
        let inner = indentation.map { $0 + 2 }
        for index in items.indices {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            breakLine(inner, in: &output)
            write(items[index], &output, inner)
        }
        if !items.isEmpty { breakLine(indentation, in: &output) }
        output.append(contentsOf: brackets.1.utf8)
    }

    private static func breakLine(_ indentation: Int?, in output: inout Bytes) {
        guard let indentation else { return }
        output.append(UInt8(ascii: "\n"))
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indentation))
    }

    /// Writes a string with the escapes that RFC 8259 demands, and those of what is hidden.
    private static func write(_ text: String, to output: inout Bytes, _ hidden: Bool) {
        output.append(UInt8(ascii: "\""))
        // Nearly every text is printable ASCII, in which nothing hides.
        if hidden, !text.utf8.allSatisfy({ $0 < 0x7f }) {
            for scalar in text.unicodeScalars {
                if Text.isHidden(scalar), scalar.value >= 0x20 {
                    for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
                        let digits = Hex.encode([UInt8(unit >> 8), UInt8(unit & 0xff)])
                        output.append(contentsOf: "\\u\(digits)".utf8)
                    }
                } else {
                    for byte in UTF8.encode(scalar).map(Array.init) ?? [] {
                        write(byte, to: &output)
                    }
                }
            }
        } else {
            for byte in text.utf8 { write(byte, to: &output) }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func write(_ byte: UInt8, to output: inout Bytes) {
        switch byte {
        case UInt8(ascii: "\""): output.append(contentsOf: #"\""#.utf8)
        case UInt8(ascii: "\\"): output.append(contentsOf: #"\\"#.utf8)
        case 0x08: output.append(contentsOf: #"\b"#.utf8)
        case 0x09: output.append(contentsOf: #"\t"#.utf8)
        case 0x0a: output.append(contentsOf: #"\n"#.utf8)
        case 0x0c: output.append(contentsOf: #"\f"#.utf8)
        case 0x0d: output.append(contentsOf: #"\r"#.utf8)
        case ..<0x20: output.append(contentsOf: #"\u00\#(Hex.encode([byte]))"#.utf8)
        default: output.append(byte)
        }
    }
}
