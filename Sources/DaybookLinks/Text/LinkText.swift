import DaybookEncoding

/// The outer form of a link: its scheme and what follows, split before anything is decoded.
enum LinkText {
    /// The scheme in lower case; nil where the text does not begin with one (RFC 3986, 3.1).
    static func scheme(of text: Bytes) -> String? {
        guard let colon = text.prefix(65).firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let spelled = text[..<colon]
        return SchemeGrammar.lowercased(spelled.span)
    }

    /// Whether the text begins with a scheme, which is given in lower-case letters.
    static func hasScheme(_ scheme: String, _ text: Bytes) -> Bool {
        let scheme = scheme.utf8.span
        return text.count > scheme.count && text[scheme.count] == UInt8(ascii: ":")
            && scheme.indices.allSatisfy { text[$0] | 0x20 == scheme[$0] }
    }

    /// What follows the scheme and its colon.
    static func afterScheme(_ text: Bytes) -> ArraySlice<UInt8> {
        text[upTo(":", text[...]).endIndex...].dropFirst()
    }

    /// The bytes without `prefix`, or nil where they do not begin with it.
    static func removing(_ prefix: String, from bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        ByteOrder.begins(bytes, with: prefix) ? bytes.dropFirst(prefix.utf8.count) : nil
    }

    /// Where a byte stands first from an index on; nil if nowhere.
    static func first(
        _ wanted: Unicode.Scalar, _ bytes: ArraySlice<UInt8>, from start: Int
    ) -> Int? {
        ByteSearch.first(
            UInt8(ascii: wanted), in: bytes.span, from: start - bytes.startIndex
        ).map { bytes.startIndex + $0 }
    }

    /// The bytes before the first that is `end`; all of them if none is.
    static func upTo(_ end: Unicode.Scalar, _ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes[..<(ByteSearch.first(UInt8(ascii: end), in: bytes) ?? bytes.endIndex)]
    }

    /// Whether a byte stands in the bytes.
    static func holds(_ wanted: UInt8, _ bytes: ArraySlice<UInt8>) -> Bool {
        ByteSearch.first(wanted, in: bytes) != nil
    }

    /// A value decoded once: nil for a bad escape, for what is not UTF-8 and for what must not
    /// stand in a text that people read.
    static func decode(_ raw: ArraySlice<UInt8>) -> String? {
        let isEscaped = holds(UInt8(ascii: "%"), raw)
        guard let bytes = isEscaped ? Text.percentDecode(raw)?[...] : raw,
            let text = Text.utf8String(bytes)
        else { return nil }
        let isPrintable = bytes.allSatisfy { (0x20..<0x7f).contains($0) }
        return isPrintable || !text.unicodeScalars.contains(where: isForbidden) ? text : nil
    }

    /// Controls (C0, C1, DEL), and what reorders the text around it.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1f, 0x7f...0x9f, 0x202a...0x202e, 0x2066...0x2069: true
        default: false
        }
    }
}
