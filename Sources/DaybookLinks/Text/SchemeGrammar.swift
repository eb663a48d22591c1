import DaybookEncoding

/// The grammar of a URL scheme (RFC 3986, 3.1).
enum SchemeGrammar {
    /// The scheme in lower case; nil if the bytes are no scheme.
    static func lowercased(_ bytes: Span<UInt8>) -> String? {
        // A short text is made in place. Zero bytes mean that it is no scheme.
        let text = unsafe String(unsafeUninitializedCapacity: bytes.count) { text in
            for index in bytes.indices {
                let byte = bytes[index]
                let lower = isUpper(byte) ? byte | 0x20 : byte
                guard isLetter(lower) || (index > 0 && isInner(lower)) else { return 0 }
                unsafe text[index] = lower
            }
            return bytes.count
        }
        return text.isEmpty ? nil : text
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
