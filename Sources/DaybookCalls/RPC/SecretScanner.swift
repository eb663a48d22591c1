import DaybookEncoding
import DaybookSystem

/// Takes the secrets out of a request's text before it is parsed.
///
/// The parser makes strings, which nobody can wipe. So the values of parameters with secret names
/// are unescaped into bytes that are wiped first, and overwritten in the text. A text that is not
/// valid JSON is scanned as far as it makes sense; the parser refuses it afterwards.
struct SecretScanner {
    /// The parameters that hold secrets, in any method.
    static let names = [
        "passphrase", "new", "mnemonic", "mnemonicPassphrase", "wif", "key", "keystorePassphrase",
        "password",
    ]
    private static let longestName = 32

    private var offset = 0
    private var depth = 0
    /// The names of the members that are open, by depth; only the first two are needed.
    private var path = ["", ""]
    private var secrets: [(name: String, bytes: WipedBytes)] = []

    /// Removes the secrets of `params` from a request's text and returns them.
    static func take(from text: WipedBytes) -> sending [(name: String, bytes: WipedBytes)] {
        text.overwrite { text in
            var scanner = SecretScanner()
            scanner.scan(&text)
            return scanner.secrets
        }
    }

    private mutating func scan(_ text: inout MutableSpan<UInt8>) {
        while offset < text.count {
            switch text[offset] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                offset += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                offset += 1
            case UInt8(ascii: "\""): scanString(&text)
            default: offset += 1
            }
        }
    }

    /// Passes over a string: a member's name, or a value that may be a secret.
    private mutating func scanString(_ text: inout MutableSpan<UInt8>) {
        let start = offset + 1
        var end = start
        while end < text.count, text[end] != UInt8(ascii: "\"") {
            end += text[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        end = min(end, text.count)
        offset = min(end + 1, text.count)
        if isFollowedByColon(text.span) {
            if (1...2).contains(depth) { path[depth - 1] = Self.name(start..<end, of: text.span) }
        } else if depth == 2, Text.equal(path[0], "params"),
            let name = Self.names.first(where: { Text.equal($0, path[1]) })
        {
            secrets.append((name, Self.unescaped(start..<end, of: text.span)))
            for index in start..<end { text[index] = UInt8(ascii: "*") }
            path[1] = ""
        }
    }

    private func isFollowedByColon(_ text: borrowing Span<UInt8>) -> Bool {
        var next = offset
        while next < text.count, [0x20, 0x09, 0x0a, 0x0d].contains(text[next]) { next += 1 }
        return next < text.count && text[next] == UInt8(ascii: ":")
    }

    /// A member's name; empty if it is too long for one that matters.
    private static func name(_ range: Range<Int>, of text: borrowing Span<UInt8>) -> String {
        let name = unescaped(range, of: text)
        guard name.count <= longestName else { return "" }
        return String(decoding: name.unprotected(), as: UTF8.self)
    }

    /// The text of a JSON string; an invalid escape stays as it is.
    private static func unescaped(
        _ range: Range<Int>, of text: borrowing Span<UInt8>
    ) -> WipedBytes {
        let bytes = WipedBytes(capacity: range.count)
        var (next, end) = (range.lowerBound, range.upperBound)
        while next < end {
            let byte = text[next]
            next += 1
            guard byte == UInt8(ascii: "\\"), next < end else {
                bytes.append(byte)
                continue
            }
            let letter = text[next]
            next += 1
            switch letter {
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0c)
            case UInt8(ascii: "n"): bytes.append(0x0a)
            case UInt8(ascii: "r"): bytes.append(0x0d)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "u"): append(scalarAt: &next, before: end, in: text, to: bytes)
            default: bytes.append(letter)
            }
        }
        return bytes
    }

    /// Appends the scalar of `XXXX`, or of a surrogate pair.
    private static func append(
        scalarAt next: inout Int, before end: Int, in text: borrowing Span<UInt8>,
        to bytes: WipedBytes
    ) {
        guard let first = codeUnit(&next, before: end, in: text) else { return }
        var scalar = Unicode.Scalar(first)
        if scalar == nil, UTF16.isLeadSurrogate(first), next + 1 < end,
            text[next] == UInt8(ascii: "\\"), text[next + 1] == UInt8(ascii: "u")
        {
            next += 2
            if let second = codeUnit(&next, before: end, in: text), UTF16.isTrailSurrogate(second) {
                scalar = UTF16.decode(UTF16.EncodedScalar([first, second]))
            }
        }
        for byte in UTF8.encode(scalar ?? "\u{fffd}") ?? UTF8.encodedReplacementCharacter {
            bytes.append(byte)
        }
    }

    /// The number that four hexadecimal digits are, which are passed over.
    private static func codeUnit(
        _ next: inout Int, before end: Int, in text: borrowing Span<UInt8>
    ) -> UInt16? {
        guard next + 4 <= end else { return nil }
        var unit: UInt16 = 0
        for index in next..<next + 4 {
            let digit = Character(Unicode.Scalar(text[index])).hexDigitValue
            guard let digit else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        next += 4
        return unit
    }
}
