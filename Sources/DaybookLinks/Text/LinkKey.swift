import DaybookEncoding

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
    /// BIP 321, which replaces it: keys are spelled in any case, unknown keys may be repeated, and
    /// `pop` asks for a proof of payment.
    case bip321
}
