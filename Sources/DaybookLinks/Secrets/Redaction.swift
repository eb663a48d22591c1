import DaybookEncoding

/// Takes secrets out of a link's text before anything is recorded.
///
/// A secret in clear is replaced where it stands; one that is encoded takes the whole encoded value
/// with it, for a value without its secret could not be written back. Where neither helps, all that
/// follows the scheme goes.
enum Redaction {
    /// The text with a mark for each secret; the same text if there is none.
    static func redact(_ text: Bytes) -> Bytes {
        guard findsSecret(in: text) else { return text }
        let clear = secretsInClear(text, decoded: SecretViews.percentDecoded(text))
        let redacted = replacingValues(in: replacing(clear, in: text))
        guard let left = anySecret(in: redacted) else { return redacted }
        let mark = SecretMark.text(left.kind, left.range.count)
        guard let scheme = LinkText.scheme(of: redacted) else { return mark }
        return Bytes("\(scheme):".utf8) + mark
    }

    /// Whether a secret stands in the text, in clear or encoded.
    static func findsSecret(in text: Bytes) -> Bool {
        anySecret(in: text) != nil
    }

    private static func anySecret(in text: Bytes) -> FoundSecret? {
        let decoded = SecretViews.percentDecoded(text)
        if let first = secretsInClear(text, decoded: decoded).first { return first }
        for value in values(of: text) {
            if let hidden = hidden(in: text[value], depth: deepest) { return hidden }
        }
        guard decoded.count < text.count else { return nil }
        // One that reaches over an escaped separator and a raw one.
        return secretsInClear(decoded, decoded: SecretViews.percentDecoded(decoded)).first
    }

    private static func secretsInClear(_ text: Bytes, decoded: Bytes) -> [FoundSecret] {
        let keys = KeyFinder.find(in: text)
        let words = MnemonicFinder.find(in: text)
        let digits = HexKeyFinder.find(in: text, decoded: decoded)
        if keys.isEmpty && words.isEmpty && digits.isEmpty { return [] }
        return (keys + words + digits).sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// A secret in one of the bytes' decodings, or in those of their parts, one in the other.
    private static func hidden(in bytes: ArraySlice<UInt8>, depth: Int) -> FoundSecret? {
        guard depth > 0, bytes.count >= shortest else { return nil }
        for way in SecretViews.Way.allCases {
            guard let view = SecretViews.decoded(bytes, way) else { continue }
            if let found = KeyFinder.find(in: view).first { return found }
            if let found = MnemonicFinder.find(in: view, isDecoded: true).first { return found }
            if let found = hidden(in: view[...], depth: depth - 1) { return found }
        }
        for part in SecretViews.parts(of: bytes) {
            if let found = hidden(in: part, depth: depth - 1) { return found }
        }
        return nil
    }

    /// Words in their shortest; keys are longer, and no decoding makes bytes more.
    static let shortest = MnemonicFinder.shortest

    /// Escapes in base64 in JSON in base64 in escapes, and one more.
    private static let deepest = 6

    private static func replacing(_ secrets: [FoundSecret], in text: Bytes) -> Bytes {
        var result = Bytes()
        var index = 0
        for secret in secrets where secret.range.lowerBound >= index {
            result += text[index..<secret.range.lowerBound]
            result += SecretMark.text(secret.kind, secret.range.count)
            index = secret.range.upperBound
        }
        return result + text[index...]
    }

    private static func replacingValues(in text: Bytes) -> Bytes {
        let secrets = values(of: text).compactMap { value -> (Range<Int>, FoundSecret)? in
            hidden(in: text[value], depth: deepest).map { (value, $0) }
        }
        var result = Bytes()
        var index = 0
        for (value, secret) in secrets {
            result += text[index..<value.lowerBound]
            result += SecretMark.text(secret.kind, secret.range.count)
            index = value.upperBound
        }
        return result + text[index...]
    }

    /// Where the parts of a link stand in which a secret has room.
    private static func values(of text: Bytes) -> [Range<Int>] {
        LinkCharacters.value.runs(atLeast: shortest, in: text[...])
    }
}
