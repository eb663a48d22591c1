import DaybookEncoding

@testable import DaybookLinks

/// Takes secrets out of a link's text as `Redaction` does, and looks at every byte of every view
/// of it: slow, with nothing left out that could be left out wrongly.
///
/// A secret in clear is replaced where it stands; one that is encoded takes the whole encoded value
/// with it, for a value without its secret could not be written back. Where neither helps, all that
/// follows the scheme goes.
enum ThoroughRedaction {
    /// The text with a mark for each secret; the same text if there is none.
    static func redact(_ text: Bytes) -> Bytes {
        guard findsSecret(in: text) else { return text }
        let redacted = replacingValues(in: replacing(secretsInClear(text), in: text))
        guard let left = anySecret(in: redacted) else { return redacted }
        let mark = SecretMark.text(left.kind, left.range.count)
        guard let scheme = LinkText.scheme(of: redacted) else { return mark }
        return Bytes("\(scheme):".utf8) + mark
    }

    /// Whether the text has a secret, in clear or encoded.
    static func findsSecret(in text: Bytes) -> Bool {
        anySecret(in: text) != nil
    }

    private static func anySecret(in text: Bytes) -> FoundSecret? {
        if let first = secretsInClear(text).first { return first }
        for value in values(of: text) {
            if let hidden = hidden(in: Bytes(text[value]), depth: deepest) { return hidden }
        }
        // One that reaches over an escaped separator and a raw one.
        let decoded = ThoroughViews.percentDecoded(text)
        return decoded == text ? nil : secretsInClear(decoded).first
    }

    private static func secretsInClear(_ text: Bytes) -> [FoundSecret] {
        let keys = ThoroughKeyFinder.find(in: text)
        let words = ThoroughMnemonicFinder.find(in: text)
        let digits = ThoroughHexKeyFinder.find(in: text)
        return (keys + words + digits).sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// A secret in one of the bytes' decodings, or in those of their parts, one in the other.
    private static func hidden(in bytes: Bytes, depth: Int) -> FoundSecret? {
        guard depth > 0 else { return nil }
        for view in ThoroughViews.decodings(of: bytes) {
            if let found = ThoroughKeyFinder.find(in: view).first { return found }
            if let found = ThoroughMnemonicFinder.find(in: view, isDecoded: true).first {
                return found
            }
            if let found = hidden(in: view, depth: depth - 1) { return found }
        }
        for part in ThoroughViews.parts(of: bytes) {
            if let found = hidden(in: part, depth: depth - 1) { return found }
        }
        return nil
    }

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
            hidden(in: Bytes(text[value]), depth: deepest).map { (value, $0) }
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

    /// Where the parts of a link stand between the characters that set them apart.
    private static func values(of text: Bytes) -> [Range<Int>] {
        let separators = ":?&=#".utf8
        return text.split { separators.contains($0) }.map { $0.startIndex..<$0.endIndex }
    }
}
