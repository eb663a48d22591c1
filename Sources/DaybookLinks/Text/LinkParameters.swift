import DaybookDomain
import DaybookEncoding

/// The `key=value` pairs of a wallet link or a payment URI, split first and then decoded once.
struct LinkParameters {
    private var pairs: [Pair] = []

    private struct Pair {
        /// Without `req-`; `IS` for each of its spellings.
        let key: String
        let isRequired: Bool
        let value: String
    }

    /// The keys that have a meaning in some wallet; only these are named in a refusal.
    private static let known = [
        "pay", "request", "amount", "IS", "account", "sender", "label", "message", "r",
        "currency", "local", "user",
    ]

    /// No pairs at all.
    init() {}

    /// Reads pairs joined by `&`; each has one `=`, an unescaped key, and a key that no other has.
    init(_ text: ArraySlice<UInt8>) throws(Refusal) {
        // The links that are documented have no more.
        pairs.reserveCapacity(4)
        var start = text.startIndex
        while start <= text.endIndex {
            let piece = LinkText.upTo("&", text[start...])
            let pair = try Self.pair(piece)
            guard self[pair.key] == nil else {
                throw Refusal(.duplicateKey, parameter: Self.nameable(pair.key))
            }
            pairs.append(pair)
            start = piece.endIndex + 1
        }
    }

    /// The value of a key, whether it came as required or not.
    subscript(key: String) -> String? {
        pairs.first { Text.equal($0.key, key) }?.value
    }

    /// Whether the key came with `req-`: who does not act on it must refuse the link.
    func isRequired(_ key: String) -> Bool {
        pairs.contains { Text.equal($0.key, key) && $0.isRequired }
    }

    /// Refuses a link that requires a key which its reader would not act on (BIP 21).
    func refuseRequired(except understood: [String]) throws(Refusal) {
        for pair in pairs where pair.isRequired {
            guard understood.contains(where: { Text.equal($0, pair.key) }) else {
                throw Refusal(.unknownRequiredKey, parameter: Self.nameable(pair.key))
            }
        }
    }

    private static func pair(_ piece: ArraySlice<UInt8>) throws(Refusal) -> Pair {
        let spelled = LinkText.upTo("=", piece)
        let raw = piece[spelled.endIndex...].dropFirst()
        let name = LinkText.removing("req-", from: spelled)
        guard !spelled.isEmpty, !LinkText.holds(UInt8(ascii: "%"), spelled),
            var key = Text.utf8String(name ?? spelled)
        else { throw Refusal(.malformedLink) }
        if key.utf8.count == 2, key.lowercased() == "is" { key = "IS" }
        guard spelled.endIndex < piece.endIndex, !LinkText.holds(UInt8(ascii: "="), raw),
            !key.isEmpty, let value = LinkText.decode(raw)
        else { throw Refusal(.malformedLink, parameter: nameable(key)) }
        return Pair(key: key, isRequired: name != nil, value: value)
    }

    private static func nameable(_ key: String) -> String? {
        known.first { Text.equal($0, key) }
    }
}
