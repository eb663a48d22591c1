import DaybookEncoding

/// Decodes percent escapes, base64, hexadecimal and JSON escapes in search of secrets.
///
/// Encodings can be nested. All decoding is lenient, because a person could still decode a text
/// that a strict parser refuses.
enum SecretViews {
    /// An encoding.
    enum Way: CaseIterable {
        case base64, hexadecimal, percentEscapes, jsonEscapes
    }

    /// The bytes decoded; nil if decoding fails or changes nothing.
    static func decoded(_ bytes: ArraySlice<UInt8>, _ way: Way) -> Bytes? {
        switch way {
        case .base64: base64Decoded(bytes)
        case .hexadecimal: hexDecoded(bytes)
        case .percentEscapes:
            LinkText.holds(UInt8(ascii: "%"), bytes) ? percentDecoded(bytes) : nil
        case .jsonEscapes:
            LinkText.holds(UInt8(ascii: "\\"), bytes) ? unescaped(Bytes(bytes)) : nil
        }
    }

    /// The parts that can be encoded separately; empty if the bytes are one part.
    static func parts(of bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        let whole = unpadded(bytes).count
        let runs = LinkCharacters.encoded.runs(atLeast: Redaction.shortest, in: bytes)
        var parts: [ArraySlice<UInt8>] = []
        for run in runs where run.count < whole { parts.append(bytes[run]) }
        // A slash is a digit of base64, but also separates the parts of a path.
        for run in runs {
            var rest = bytes[run]
            while rest.count >= Redaction.shortest {
                let part = LinkText.upTo("/", rest)
                if part.count >= Redaction.shortest, part.count < run.count { parts.append(part) }
                rest = rest[part.endIndex...].dropFirst()
            }
        }
        return parts
    }

    /// The bytes without base64 padding at their end.
    private static func unpadded(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let padding = UInt8(ascii: "=")
        return bytes[..<(bytes.lastIndex { $0 != padding }.map { $0 + 1 } ?? bytes.startIndex)]
    }

    /// The bytes with each `%XX` decoded, and everything else as it is.
    static func percentDecoded(_ bytes: Bytes) -> Bytes {
        LinkText.holds(UInt8(ascii: "%"), bytes[...]) ? percentDecoded(bytes[...]) : bytes
    }

    private static func percentDecoded(_ bytes: ArraySlice<UInt8>) -> Bytes {
        Text.percentDecode(bytes, keepingBad: true) ?? Bytes(bytes)
    }

    /// The bytes with `\u00XX` and `\x` decoded: secrets are ASCII.
    private static func unescaped(_ bytes: Bytes) -> Bytes {
        var decoded = Bytes()
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else {
                decoded.append(bytes[index])
                index += 1
                continue
            }
            if bytes[index + 1] == UInt8(ascii: "u"), index + 5 < bytes.count,
                bytes[index + 2] == UInt8(ascii: "0"), bytes[index + 3] == UInt8(ascii: "0"),
                let high = Hex.value(ofDigit: bytes[index + 4]),
                let low = Hex.value(ofDigit: bytes[index + 5]) {
                decoded.append(high << 4 | low)
                index += 6
            } else {
                let isSpace = "nrtbf".utf8.contains(bytes[index + 1])
                decoded.append(isSpace ? UInt8(ascii: " ") : bytes[index + 1])
                index += 2
            }
        }
        return decoded
    }

    /// Base64 of either alphabet, padded or not.
    private static func base64Decoded(_ bytes: ArraySlice<UInt8>) -> Bytes? {
        // An escape, often of the padding at the end, is not base64: checked before decoding.
        guard bytes.count * 3 / 4 >= Redaction.shortest, !LinkText.holds(UInt8(ascii: "%"), bytes)
        else { return nil }
        return Base64.decodeLeniently(bytes)
    }

    private static func hexDecoded(_ bytes: ArraySlice<UInt8>) -> Bytes? {
        let unpadded = unpadded(bytes)
        let digits = LinkText.removing("0x", from: unpadded) ?? unpadded
        guard digits.count / 2 >= Redaction.shortest, LinkCharacters.hexadecimal.admit(digits)
        else { return nil }
        return Hex.decode(digits)
    }
}
