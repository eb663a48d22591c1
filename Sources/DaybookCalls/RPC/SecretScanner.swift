/// Takes the secrets out of a request's text before it is parsed.
///
/// The parser makes strings, which nobody can wipe. So the values of parameters with secret names
/// are unescaped into byte arrays first, and overwritten in the text. A text that is not valid
/// JSON is scanned as far as it makes sense; the parser refuses it afterwards.
struct SecretScanner {
    /// The parameters that hold secrets, in any method.
    static let names: [[UInt8]] = [
        "passphrase", "new", "mnemonic", "wif", "key", "keystorePassphrase", "password",
    ].map { Array($0.utf8) }

    private var offset = 0
    private var depth = 0
    /// The names of the members that are open, by depth; only the first two are needed.
    private var path: [[UInt8]] = [[], []]
    private var secrets: [(name: String, bytes: [UInt8])] = []

    /// Removes the secrets of `params` from a request's text and returns them.
    static func take(from text: inout [UInt8]) -> [(name: String, bytes: [UInt8])] {
        var scanner = SecretScanner()
        scanner.scan(&text)
        return scanner.secrets
    }

    private mutating func scan(_ text: inout [UInt8]) {
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
    private mutating func scanString(_ text: inout [UInt8]) {
        let start = offset + 1
        var end = start
        while end < text.count, text[end] != UInt8(ascii: "\"") {
            end += text[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        end = min(end, text.count)
        offset = min(end + 1, text.count)
        if isFollowedByColon(text) {
            if (1...2).contains(depth) { path[depth - 1] = Array(text[start..<end]) }
        } else if depth == 2, path[0] == Array("params".utf8), Self.names.contains(path[1]) {
            secrets.append(
                (String(decoding: path[1], as: UTF8.self), Self.unescaped(text[start..<end])))
            for index in start..<end { text[index] = UInt8(ascii: "*") }
            path[1] = []
        }
    }

    private func isFollowedByColon(_ text: [UInt8]) -> Bool {
        let next = text[offset...].first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
        return next == UInt8(ascii: ":")
    }

    /// The text of a JSON string; an invalid escape stays as it is.
    private static func unescaped(_ string: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        // With this room the array never moves, which would leave a copy behind.
        text.reserveCapacity(string.count)
        var rest = string
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
                text.append(byte)
                continue
            }
            switch letter {
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0c)
            case UInt8(ascii: "n"): text.append(0x0a)
            case UInt8(ascii: "r"): text.append(0x0d)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"): append(scalarIn: &rest, to: &text)
            default: text.append(letter)
            }
        }
        return text
    }

    /// Appends the scalar of `XXXX`, or of a surrogate pair.
    private static func append(scalarIn rest: inout ArraySlice<UInt8>, to text: inout [UInt8]) {
        guard let first = codeUnit(&rest) else { return }
        var scalar = Unicode.Scalar(first)
        if scalar == nil, UTF16.isLeadSurrogate(first), rest.starts(with: Array(#"\u"#.utf8)) {
            rest = rest.dropFirst(2)
            if let second = codeUnit(&rest), UTF16.isTrailSurrogate(second) {
                scalar = UTF16.decode(UTF16.EncodedScalar([first, second]))
            }
        }
        for byte in UTF8.encode(scalar ?? "\u{fffd}") ?? UTF8.encodedReplacementCharacter {
            text.append(byte)
        }
    }

    private static func codeUnit(_ rest: inout ArraySlice<UInt8>) -> UInt16? {
        let digits = rest.prefix(4)
        guard digits.count == 4,
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        rest = rest.dropFirst(4)
        return unit
    }
}
