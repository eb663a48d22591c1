import DaybookEncoding

/// The other readings of bytes in which a secret may hide: percent escapes, base64, hexadecimal
/// and the escapes of JSON, one in the other.
///
/// All decoding here is lenient: what a strict reader refuses can still be read by whoever gets
/// hold of the record.
enum SecretViews {
    /// The ways to decode; nil for bytes that a way does not change, or can't decode.
    static let decodings: [@Sendable (Bytes) -> Bytes?] = [
        base64Decoded, hexDecoded,
        { LinkText.holds(UInt8(ascii: "%"), $0[...]) ? percentDecoded($0) : nil },
        { LinkText.holds(UInt8(ascii: "\\"), $0[...]) ? unescaped($0) : nil },
    ]

    /// The parts that may be encoded each for itself; empty if the bytes are one part.
    static func parts(of bytes: Bytes) -> [ArraySlice<UInt8>] {
        let runs = LinkCharacters.encoded.runs(atLeast: Redaction.shortest, in: bytes)
        // A slash is a digit of base64, and sets apart the parts of a path.
        let slash = UInt8(ascii: "/")
        let divided = runs.filter { LinkText.holds(slash, bytes[$0]) }
        let whole = unpadded(bytes).count
        return (runs.map { bytes[$0] } + divided.flatMap { bytes[$0].split(separator: slash) })
            .filter { $0.count >= Redaction.shortest && $0.count < whole }
    }

    /// The bytes without the padding of base64 at their end, which means nothing.
    private static func unpadded(_ bytes: Bytes) -> ArraySlice<UInt8> {
        let padding = UInt8(ascii: "=")
        return bytes[...(bytes.lastIndex { $0 != padding } ?? -1)]
    }

    /// Each `%XX` decoded, everything else left as it is.
    static func percentDecoded(_ bytes: Bytes) -> Bytes {
        guard LinkText.holds(UInt8(ascii: "%"), bytes[...]) else { return bytes }
        return Text.percentDecode(bytes[...], keepingBad: true) ?? bytes
    }

    /// `\uXXXX` of ASCII and `\x` decoded; enough for all that a secret is made of.
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
    private static func base64Decoded(_ bytes: Bytes) -> Bytes? {
        guard bytes.count * 3 / 4 >= Redaction.shortest else { return nil }
        return Base64.decodeLeniently(bytes)
    }

    private static func hexDecoded(_ bytes: Bytes) -> Bytes? {
        let unpadded = unpadded(bytes)
        let digits = LinkText.removing("0x", from: unpadded) ?? unpadded
        return digits.count / 2 >= Redaction.shortest ? Hex.decode(digits) : nil
    }
}
