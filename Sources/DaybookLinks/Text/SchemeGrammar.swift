import DaybookEncoding

/// What a URL scheme is made of (RFC 3986, 3.1).
enum SchemeGrammar {
    /// The scheme in lower case, or nil for bytes that are none.
    static func lowercased(_ bytes: some Sequence<UInt8>) -> String? {
        var text = Bytes()
        text.reserveCapacity(bytes.underestimatedCount)
        for byte in bytes {
            let lower = isUpper(byte) ? byte | 0x20 : byte
            guard isLetter(lower) || (!text.isEmpty && isInner(lower)) else { return nil }
            text.append(lower)
        }
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }

    private static func isUpper(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isInner(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
    }
}
