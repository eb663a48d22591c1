import DaybookEncoding

/// The outer form of a link: its scheme and what follows, split before anything is decoded.
enum LinkText {
    /// The scheme in lower case; nil where the text does not begin with one (RFC 3986, 3.1).
    static func scheme(of text: Bytes) -> String? {
        guard let colon = text.prefix(65).firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return SchemeGrammar.lowercased(text[..<colon])
    }

    /// What follows the scheme and its colon.
    static func afterScheme(_ text: Bytes) -> ArraySlice<UInt8> {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return [] }
        return text[(colon + 1)...]
    }

    /// The bytes without `prefix`, or nil where they do not begin with it.
    static func removing(_ prefix: String, from bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.starts(with: prefix.utf8) else { return nil }
        return bytes.dropFirst(prefix.utf8.count)
    }

    /// A value decoded once: nil for a bad escape, for what is not UTF-8 and for what must not
    /// stand in a text that people read.
    static func decode(_ raw: ArraySlice<UInt8>) -> String? {
        guard let bytes = Text.percentDecode(raw), let text = Text.utf8String(bytes),
            !text.unicodeScalars.contains(where: isForbidden)
        else { return nil }
        return text
    }

    /// Controls (C0, C1, DEL), and what reorders the text around it.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1f, 0x7f...0x9f, 0x202a...0x202e, 0x2066...0x2069: true
        default: false
        }
    }
}
