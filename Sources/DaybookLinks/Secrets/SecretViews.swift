import DaybookEncoding

/// The other readings of bytes in which a secret may hide: percent escapes, base64, hexadecimal
/// and the escapes of JSON, one in the other.
///
/// All decoding here is lenient: what a strict reader refuses can still be read by whoever gets
/// hold of the record.
enum SecretViews {
    /// What the bytes say when they are decoded in each way that changes them.
    static func decodings(of bytes: Bytes) -> [Bytes] {
        let escapes = LinkText.holds(UInt8(ascii: "%"), bytes[...])
        let backslashes = LinkText.holds(UInt8(ascii: "\\"), bytes[...])
        var views: [Bytes] = []
        if escapes { views.append(percentDecoded(bytes)) }
        if backslashes { views.append(unescaped(bytes)) }
        // Neither is a digit.
        guard !escapes, !backslashes else { return views }
        if let decoded = base64Decoded(bytes) { views.append(decoded) }
        if let decoded = hexDecoded(bytes) { views.append(decoded) }
        return views
    }

    /// The parts that may be encoded each for itself; empty if the bytes are one part.
    static func parts(of bytes: Bytes) -> [Bytes] {
        let parts = LinkCharacters.encoded.runs(atLeast: Redaction.shortest, in: bytes)
            .map { bytes[$0] }
        // A slash is a digit of base64, and sets apart the parts of a path.
        let slash = UInt8(ascii: "/")
        let all = parts + parts.filter { $0.contains(slash) }.flatMap { $0.split(separator: slash) }
        return all.filter { $0.count >= Redaction.shortest && $0.count < bytes.count }
            .map { Bytes($0) }
    }

    /// Each `%XX` decoded, everything else left as it is.
    static func percentDecoded(_ bytes: Bytes) -> Bytes {
        guard LinkText.holds(UInt8(ascii: "%"), bytes[...]),
            var index = bytes.firstIndex(of: UInt8(ascii: "%"))
        else { return bytes }
        var decoded = Bytes(bytes[..<index])
        decoded.reserveCapacity(bytes.count)
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = Hex.value(ofDigit: bytes[index + 1]),
                let low = Hex.value(ofDigit: bytes[index + 2]) {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return decoded
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
        let sextets = sextets
        guard bytes.count * 3 / 4 >= Redaction.shortest, sextets[Int(bytes[0])] != notBase64
        else { return nil }
        var decoded = Bytes()
        decoded.reserveCapacity(bytes.count * 3 / 4)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for byte in bytes {
            let sextet = sextets[Int(byte)]
            guard sextet < 64 else {
                if sextet == notBase64 { return nil }
                continue
            }
            bits = bits << 6 | UInt32(sextet)
            count += 6
            if count >= 8 {
                count -= 8
                decoded.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return decoded
    }

    private static func hexDecoded(_ bytes: Bytes) -> Bytes? {
        let digits = bytes.starts(with: "0x".utf8) ? bytes.dropFirst(2) : bytes[...]
        return digits.count / 2 >= Redaction.shortest ? Hex.decode(digits) : nil
    }

    /// What each byte counts in base64 of either alphabet, as bytes are many and a table is quick.
    private static let sextets: Bytes = (0...UInt8.max).map { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        case UInt8(ascii: " "), 0x0d, 0x0a, 0x09, UInt8(ascii: "="): passedOver
        default: notBase64
        }
    }

    private static let passedOver: UInt8 = 64
    private static let notBase64: UInt8 = 65
}
