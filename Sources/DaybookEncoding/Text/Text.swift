/// Text as bytes: what is the same, what is valid, and what may be shown.
package enum Text {
    /// Whether two texts are the same bytes; Swift's `==` also takes "é" in two spellings as one.
    package static func equal(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    /// The same for whole strings, which names of fields are: no generic code in the way.
    package static func equal(_ left: String, _ right: String) -> Bool {
        ByteOrder.areSame(left.utf8, right.utf8)
    }

    /// Whether a text's bytes begin with those of another one.
    package static func begins(_ text: String, with prefix: String) -> Bool {
        ByteOrder.begins(text.utf8, with: prefix.utf8)
    }

    /// Whether `left` comes before `right` by the bytes of their UTF-8.
    package static func precedes(_ left: String, _ right: String) -> Bool {
        ByteOrder.precedes(left.utf8, right.utf8)
    }

    /// Whether bytes are UTF-8, without overlong forms and surrogates.
    package static func isValidUTF8(_ bytes: Bytes) -> Bool {
        utf8String(bytes) != nil
    }

    /// The text whose UTF-8 the bytes are; nil when they are not UTF-8.
    package static func utf8String(_ bytes: Bytes) -> String? {
        utf8String(bytes[...])
    }

    /// The same for a part of some bytes.
    package static func utf8String(_ bytes: ArraySlice<UInt8>) -> String? {
        utf8String(bytes.span)
    }

    /// The same for bytes that live elsewhere.
    package static func utf8String(_ bytes: Span<UInt8>) -> String? {
        // Most texts are ASCII, for which this is several times faster.
        if ByteSearch.areASCII(bytes) {
            return unsafe String(copying: UTF8Span(unchecked: bytes, isKnownASCII: true))
        }
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        return String(copying: text)
    }

    /// Decodes each `%XX` once; nil on a bad escape. A plus sign stays one.
    package static func percentDecode(_ bytes: some Sequence<UInt8>) -> Bytes? {
        percentDecode(Bytes(bytes)[...])
    }

    /// The same for a part of some bytes; a bad escape may also stay as it is.
    package static func percentDecode(
        _ bytes: ArraySlice<UInt8>, keepingBad: Bool = false
    ) -> Bytes? {
        var decoded = Bytes()
        decoded.reserveCapacity(bytes.count)
        var rest = bytes
        while let escape = ByteSearch.first(UInt8(ascii: "%"), in: rest) {
            decoded += rest[..<escape]
            if escape + 2 < rest.endIndex, let high = Hex.value(ofDigit: rest[escape + 1]),
                let low = Hex.value(ofDigit: rest[escape + 2]) {
                decoded.append(high << 4 | low)
                rest = rest[(escape + 3)...]
            } else {
                guard keepingBad else { return nil }
                decoded.append(rest[escape])
                rest = rest[(escape + 1)...]
            }
        }
        decoded += rest
        return decoded
    }
}
