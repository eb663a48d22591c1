import DaybookEncoding

/// A key that has a meaning in some wallet; only these are named in a refusal.
enum LinkKey: String, CaseIterable {
    // Nearly every link has these, and they are looked for in this order.
    case pay, amount, sender, message
    case request, account, label, currency, local, user
    case instantSend = "IS"
    case paymentProtocol = "r"

    /// The key of this name; nil for a name that means nothing.
    init?(_ name: ArraySlice<UInt8>) {
        guard let key = Self.allCases.first(where: { $0.isSpelled(name) }) else { return nil }
        self = key
    }

    private func isSpelled(_ name: ArraySlice<UInt8>) -> Bool {
        guard self == .instantSend else { return ByteOrder.areSame(name, rawValue) }
        // Wallets spell it in either case.
        return name.count == 2 && name[name.startIndex] | 0x20 == UInt8(ascii: "i")
            && name[name.startIndex + 1] | 0x20 == UInt8(ascii: "s")
    }
}
