import DaybookEncoding

/// What a URL scheme is made of (RFC 3986, 3.1).
enum SchemeGrammar {
    /// The scheme in lower case, or nil for bytes that are none.
    static func lowercased(_ bytes: Span<UInt8>) -> String? {
        let text = Bytes(capacity: bytes.count) { text in
            for index in bytes.indices {
                let byte = bytes[index]
                let lower = isUpper(byte) ? byte | 0x20 : byte
                guard isLetter(lower) || (index > 0 && isInner(lower)) else { return }
                text.append(lower)
            }
        }
        let isScheme = !text.isEmpty && text.count == bytes.count
        return isScheme ? String(decoding: text, as: UTF8.self) : nil
    }

    private static func isUpper(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isInner(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "+")
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}
