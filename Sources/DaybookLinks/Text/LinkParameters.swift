import DaybookDomain
import DaybookEncoding

/// The `key=value` pairs of a wallet link or payment URI: split first, then decoded once.
struct LinkParameters {
    private var pairs: [Pair] = []

    private struct Pair {
        /// Nil for an unknown key.
        let key: LinkKey?
        let isRequired: Bool
        let value: String
    }

    /// No pairs at all.
    init() {}

    /// Parses pairs joined by `&`; each has one `=` and an unescaped key, and no key is repeated.
    ///
    /// BIP 321 has exceptions: the value of `pop` may contain `=`, unknown keys may be repeated.
    init(_ text: ArraySlice<UInt8>, _ rules: LinkRules) throws(Refusal) {
        // The links that are documented have no more.
        pairs.reserveCapacity(4)
        var meaningless: [ArraySlice<UInt8>] = []
        var start = text.startIndex
        while start <= text.endIndex {
            let end = LinkText.first("&", text, from: start) ?? text.endIndex
            let (name, pair) = try Self.pair(text, start..<end, rules)
            let isDuplicate = pair.key.map { self[$0] != nil } ?? meaningless.contains(text[name])
            guard !isDuplicate else {
                throw Refusal(.duplicateKey, parameter: pair.key?.rawValue)
            }
            if pair.key == nil, rules == .bip21 { meaningless.append(text[name]) }
            pairs.append(pair)
            start = end + 1
        }
    }

    /// The value of a key, whether it came as required or not.
    subscript(key: LinkKey) -> String? {
        for index in pairs.indices where pairs[index].key == key { return pairs[index].value }
        return nil
    }

    /// Whether the key came with `req-`: a parser that does not act on it must refuse the link.
    func isRequired(_ key: LinkKey) -> Bool {
        pairs.contains { $0.key == key && $0.isRequired }
    }

    /// Refuses a link with a required key that is not one of these (BIP 21).
    func refuseRequired(except known: [LinkKey]) throws(Refusal) {
        for pair in pairs where pair.isRequired {
            guard let key = pair.key, known.contains(key) else {
                throw Refusal(.unknownRequiredKey, parameter: pair.key?.rawValue)
            }
        }
    }

    /// A pair, and the range of its key without `req-`.
    private static func pair(
        _ text: ArraySlice<UInt8>, _ piece: Range<Int>, _ rules: LinkRules
    ) throws(Refusal) -> (name: Range<Int>, pair: Pair) {
        let equals = LinkText.first("=", text, from: piece.lowerBound) ?? piece.upperBound
        let spelled = piece.lowerBound..<min(equals, piece.upperBound)
        guard !spelled.isEmpty, !LinkText.holds(UInt8(ascii: "%"), text[spelled]) else {
            throw Refusal(.malformedLink)
        }
        let isRequired = isRequired(text[spelled], rules)
        let name = isRequired ? spelled.dropFirst(4) : spelled
        let key = LinkKey(text[name], rules)
        guard equals < piece.upperBound, !name.isEmpty else {
            throw Refusal(.malformedLink, parameter: key?.rawValue)
        }
        let raw = text[(equals + 1)..<piece.upperBound]
        guard key == .proof || !LinkText.holds(UInt8(ascii: "="), raw),
            let value = LinkText.decode(raw)
        else { throw Refusal(.malformedLink, parameter: key?.rawValue) }
        return (name, Pair(key: key, isRequired: isRequired, value: value))
    }

    private static func isRequired(_ spelled: ArraySlice<UInt8>, _ rules: LinkRules) -> Bool {
        guard rules == .bip321 else { return ByteOrder.begins(spelled, with: "req-") }
        return LinkText.areSameLetters(spelled.prefix(3), "req")
            && spelled.dropFirst(3).first == UInt8(ascii: "-")
    }
}

/// A key that some wallet knows; a refusal names no other keys.
enum LinkKey: String, CaseIterable {
    // Nearly every link has these; keys are compared in this order.
    case pay, amount, sender, message
    case request, account, label, currency, local, user
    case instantSend = "IS"
    case paymentProtocol = "r"
    /// Of BIP 321 alone.
    case proof = "pop"

    /// The key with this name; nil if the rules know none.
    init?(_ name: ArraySlice<UInt8>, _ rules: LinkRules) {
        guard let key = Self.allCases.first(where: { $0.isSpelled(name, rules) }),
            key != .proof || rules == .bip321
        else { return nil }
        self = key
    }

    private func isSpelled(_ name: ArraySlice<UInt8>, _ rules: LinkRules) -> Bool {
        // Wallets always spelled `IS` in either case.
        rules == .bip321 || self == .instantSend
            ? LinkText.areSameLetters(name, rawValue) : ByteOrder.areSame(name, rawValue)
    }
}

/// The document by which the pairs of a link are parsed.
enum LinkRules {
    /// BIP 21; the wallets' own links follow it.
    case bip21
    /// BIP 321, which replaces BIP 21.
    ///
    /// Keys are spelled in any case, unknown keys may be repeated, and `pop` asks for a proof of
    /// payment.
    case bip321
}
