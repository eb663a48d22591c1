import DaybookEncoding

/// The outer form of a link: its scheme and the rest, split before anything is decoded.
enum LinkText {
    /// The scheme in lower case; nil if the text does not begin with one (RFC 3986, 3.1).
    static func scheme(of text: Bytes) -> String? {
        guard let colon = text.prefix(65).firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let spelled = text[..<colon]
        return SchemeGrammar.lowercased(spelled.span)
    }

    /// Whether the text begins with a scheme, given in lower case.
    static func hasScheme(_ scheme: String, _ text: Bytes) -> Bool {
        let scheme = scheme.utf8.span
        return text.count > scheme.count && text[scheme.count] == UInt8(ascii: ":")
            && scheme.indices.allSatisfy { text[$0] | 0x20 == scheme[$0] }
    }

    /// Whether a name is spelled like another one of letters alone, in whatever case.
    static func areSameLetters(_ name: ArraySlice<UInt8>, _ letters: String) -> Bool {
        name.elementsEqual(letters.utf8) { $0 | 0x20 == $1 | 0x20 }
    }

    /// What follows the scheme and its colon.
    static func afterScheme(_ text: Bytes) -> ArraySlice<UInt8> {
        text[upTo(":", text[...]).endIndex...].dropFirst()
    }

    /// The bytes without `prefix`; nil if they do not begin with it.
    static func removing(_ prefix: String, from bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        ByteOrder.begins(bytes, with: prefix) ? bytes.dropFirst(prefix.utf8.count) : nil
    }

    /// The first index of a byte from `start` on; nil if there is none.
    static func first(
        _ wanted: Unicode.Scalar, _ bytes: ArraySlice<UInt8>, from start: Int
    ) -> Int? {
        ByteSearch.first(
            UInt8(ascii: wanted), in: bytes.span, from: start - bytes.startIndex
        ).map { bytes.startIndex + $0 }
    }

    /// The bytes before the first `end`; all of them if there is none.
    static func upTo(_ end: Unicode.Scalar, _ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes[..<(ByteSearch.first(UInt8(ascii: end), in: bytes) ?? bytes.endIndex)]
    }

    /// Whether the bytes contain a byte.
    static func holds(_ wanted: UInt8, _ bytes: ArraySlice<UInt8>) -> Bool {
        ByteSearch.first(wanted, in: bytes) != nil
    }

    /// A value decoded once; nil for a bad escape, for bytes that are not UTF-8, and for characters
    /// that a text for people must not contain.
    static func decode(_ raw: ArraySlice<UInt8>) -> String? {
        let isEscaped = holds(UInt8(ascii: "%"), raw)
        guard let bytes = isEscaped ? Text.percentDecode(raw)?[...] : raw,
            let text = Text.utf8String(bytes)
        else { return nil }
        let isPrintable = bytes.allSatisfy { (0x20..<0x7f).contains($0) }
        return isPrintable || !text.unicodeScalars.contains(where: isForbidden) ? text : nil
    }

    /// Whether a character is a control (C0, C1, DEL) or reorders the text around it.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1f, 0x7f...0x9f, 0x202a...0x202e, 0x2066...0x2069: true
        default: false
        }
    }
}
