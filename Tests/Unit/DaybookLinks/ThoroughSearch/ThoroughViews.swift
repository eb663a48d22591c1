import DaybookEncoding

@testable import DaybookLinks

/// The other readings of bytes in which a secret may hide: percent escapes, base64, hexadecimal
/// and the escapes of JSON, one in the other.
///
/// All decoding here is lenient: what a strict reader refuses can still be read by whoever gets
/// hold of the record.
enum ThoroughViews {
    /// The decodings of the bytes in each way that changes them.
    static func decodings(of bytes: Bytes) -> [Bytes] {
        var views: [Bytes] = []
        if bytes.contains(UInt8(ascii: "%")) { views.append(percentDecoded(bytes)) }
        if bytes.contains(UInt8(ascii: "\\")) { views.append(unescaped(bytes)) }
        if let decoded = base64Decoded(bytes) { views.append(decoded) }
        if let decoded = hexDecoded(bytes) { views.append(decoded) }
        return views
    }

    /// The parts that may be encoded each for itself; empty if the bytes are one part.
    static func parts(of bytes: Bytes) -> [Bytes] {
        let parts = bytes.split { !LinkCharacters.encoded.admits($0) }
        // A slash is a digit of base64, and sets apart the parts of a path.
        let slash = UInt8(ascii: "/")
        let all = parts + parts.filter { $0.contains(slash) }.flatMap { $0.split(separator: slash) }
        return all.filter { $0.count >= shortestPart && $0.count < bytes.count }.map { Bytes($0) }
    }

    /// Each `%XX` decoded, everything else left as it is.
    static func percentDecoded(_ bytes: Bytes) -> Bytes {
        var decoded = Bytes()
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2]) {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return decoded
    }

    /// Below this nothing that is encoded is a whole secret.
    private static let shortestPart = 36

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
                let high = digit(bytes[index + 4]), let low = digit(bytes[index + 5]) {
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
        guard bytes.count >= shortestPart else { return nil }
        var decoded = Bytes()
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes where !" \r\n\t=".utf8.contains(byte) {
            guard let value = sextet(byte) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                decoded.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return decoded
    }

    private static func hexDecoded(_ bytes: Bytes) -> Bytes? {
        let digits = bytes.starts(with: "0x".utf8) ? bytes.dropFirst(2) : bytes[...]
        guard digits.count >= shortestPart else { return nil }
        return Hex.decode(String(decoding: digits, as: UTF8.self))
    }

    private static func sextet(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
