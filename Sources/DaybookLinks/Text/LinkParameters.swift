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

    /// Parses pairs joined by `&`, by the grammar of one of the two documents.
    ///
    /// A wallet's own link spells each pair out: an unescaped key, one `=`, no key twice. BIP 321
    /// lets a pair be empty or have no `=`, and a key be escaped; unknown keys may be repeated.
    init(_ text: ArraySlice<UInt8>, _ rules: LinkRules) throws(Refusal) {
        // The links that are documented have no more.
        pairs.reserveCapacity(4)
        var meaningless: [ArraySlice<UInt8>] = []
        var start = text.startIndex
        while start <= text.endIndex {
            let end = LinkText.first("&", text, from: start) ?? text.endIndex
            let piece = text[start..<end]
            start = end + 1
            if piece.isEmpty, rules == .bip321 { continue }
            let (name, pair) = try Self.pair(piece, rules)
            let isDuplicate = pair.key.map { self[$0] != nil } ?? meaningless.contains(name)
            guard !isDuplicate else {
                throw Refusal(.duplicateKey, parameter: pair.key?.rawValue)
            }
            if pair.key == nil, rules == .bip21 { meaningless.append(name) }
            pairs.append(pair)
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

    /// Refuses a link with a required key that we know and do not act on here (BIP 21).
    func refuseRequired(except known: [LinkKey]) throws(Refusal) {
        for pair in pairs where pair.isRequired {
            guard let key = pair.key, known.contains(key) else {
                throw Refusal(.unknownRequiredKey, parameter: pair.key?.rawValue ?? pair.value)
            }
        }
    }

    /// A pair, and its key without `req-`. A required key that nobody knows is the pair's value.
    private static func pair(
        _ piece: ArraySlice<UInt8>, _ rules: LinkRules
    ) throws(Refusal) -> (name: ArraySlice<UInt8>, pair: Pair) {
        let equals = LinkText.first("=", piece, from: piece.startIndex)
        guard let spelled = key(piece[..<(equals ?? piece.endIndex)], rules) else {
            throw Refusal(
                .malformedLink,
                parameter: rules == .bip321
                    ? "a key is empty, or its escapes are not two hexadecimal digits" : nil)
        }
        let isRequired = isRequired(spelled, rules)
        let name = isRequired ? spelled.dropFirst(4) : spelled
        let key = LinkKey(name, rules)
        guard rules == .bip321 || equals != nil && !name.isEmpty,
            let value = value(of: key, piece[(equals.map { $0 + 1 } ?? piece.endIndex)...], rules)
        else { throw Refusal(.malformedLink, parameter: Self.fault(of: key, piece, rules)) }
        let kept = key == nil && isRequired ? LinkKey.shown(spelled) : value
        return (name, Pair(key: key, isRequired: isRequired, value: kept))
    }

    /// The fault of a pair's value, as the words after the key's name.
    private static func fault(
        of key: LinkKey?, _ piece: ArraySlice<UInt8>, _ rules: LinkRules
    ) -> String? {
        guard rules == .bip321 else { return key?.rawValue }
        let equals = LinkText.first("=", piece, from: piece.startIndex) ?? piece.endIndex
        let raw = piece[equals...].dropFirst()
        let fault =
            if key != .proof, LinkText.holds(UInt8(ascii: "="), raw) {
                "= has to be escaped, as %3D"
            } else if Text.percentDecode(raw) == nil {
                "% begins an escape of two hexadecimal digits, and stands for itself as %25"
            } else {
                "its escapes are no UTF-8, or characters that it can't have"
            }
        return (key.map { "\($0.rawValue): " } ?? "") + fault
    }

    /// A key as it is compared; nil if it is malformed. Only BIP 321 has escapes in keys.
    private static func key(
        _ spelled: ArraySlice<UInt8>, _ rules: LinkRules
    ) -> ArraySlice<UInt8>? {
        guard LinkText.holds(UInt8(ascii: "%"), spelled) else {
            return spelled.isEmpty ? nil : spelled
        }
        return rules == .bip321 ? Text.percentDecode(spelled).map { $0[...] } : nil
    }

    private static func isRequired(_ spelled: ArraySlice<UInt8>, _ rules: LinkRules) -> Bool {
        guard rules == .bip321 else { return ByteOrder.begins(spelled, with: "req-") }
        return LinkText.areSameLetters(spelled.prefix(3), "req")
            && spelled.dropFirst(3).first == UInt8(ascii: "-")
    }

    /// A value, decoded; nil if it is malformed.
    ///
    /// BIP 321's notes are any text, which is escaped where it is shown; what an unknown key says
    /// is not read.
    private static func value(
        of key: LinkKey?, _ raw: ArraySlice<UInt8>, _ rules: LinkRules
    ) -> String? {
        guard key == .proof || !LinkText.holds(UInt8(ascii: "="), raw) else { return nil }
        // Nearly every value is spelled as it is.
        guard rules == .bip321, LinkText.holds(UInt8(ascii: "%"), raw) else {
            return LinkText.decode(raw)
        }
        switch key {
        case nil: return Text.percentDecode(raw) == nil ? nil : ""
        case .label, .message: return Text.percentDecode(raw).flatMap { Text.utf8String($0) }
        default: return LinkText.decode(raw)
        }
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
        for key in Self.allCases where key.isSpelled(name, rules) {
            if key == .proof, rules != .bip321 { return nil }
            self = key
            return
        }
        return nil
    }

    /// An unknown key as a refusal names it: shortened, and without what no key needs.
    static func shown(_ spelled: ArraySlice<UInt8>) -> String {
        let name = spelled.prefix(32)
        return LinkCharacters.path.admit(name) ? String(decoding: name, as: UTF8.self) : "req-…"
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
    /// Keys are spelled in any case, and `pop` asks for a proof of payment.
    case bip321
}
