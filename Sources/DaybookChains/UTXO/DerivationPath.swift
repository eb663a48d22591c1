import DaybookEncoding

/// A path from a master key to one of its descendants, such as `m/44'/5'/0'/0/3` (BIP 32).
package struct DerivationPath: Hashable, Sendable {
    /// The child numbers, from the master key down; a hardened one has its highest bit set.
    package let components: [UInt32]

    /// The bit that makes a child number a hardened one.
    package static let hardened: UInt32 = 0x8000_0000

    /// BIP 32 keeps the depth in one byte.
    package static let maximumDepth = 255

    /// A path of these child numbers; nil if it is too deep for BIP 32.
    package init?(_ components: [UInt32]) {
        guard components.count <= Self.maximumDepth else { return nil }
        self.components = components
    }

    /// A path from its text; `'`, `h` and `H` mark a hardened child. Nil if it is not canonical.
    package init?(_ text: some StringProtocol) {
        // 255 components of at most 12 characters each; longer is not a path.
        guard text.utf8.count <= 1 + Self.maximumDepth * 12 else { return nil }
        let parts = Bytes(String(text).utf8).split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.first == [UInt8(ascii: "m")] else { return nil }
        var components: [UInt32] = []
        for part in parts.dropFirst() {
            guard let component = Self.component(part) else { return nil }
            components.append(component)
        }
        self.init(components)
    }

    /// The master key's own path.
    package static let master = DerivationPath(unchecked: [])

    /// The account of wallets before BIP 44: `m/0'`.
    package static let legacyAccount = DerivationPath(unchecked: [hardened])

    /// The BIP 44 account `m/44'/coinType'/account'`; nil if a number can't be hardened.
    package static func account(_ account: UInt32, coinType: UInt32) -> DerivationPath? {
        guard account < hardened, coinType < hardened else { return nil }
        return DerivationPath(unchecked: [44 | hardened, coinType | hardened, account | hardened])
    }

    /// DIP 9's path of mixed coins, `m/9'/coinType'/4'/account'`; nil as for `account`.
    package static func coinJoin(_ account: UInt32, coinType: UInt32) -> DerivationPath? {
        guard account < hardened, coinType < hardened else { return nil }
        return DerivationPath(
            unchecked: [9 | hardened, coinType | hardened, 4 | hardened, account | hardened])
    }

    /// BIP 44's coin type of ICON, and the one of Ledger's app and earlier wallets (IIP-48).
    package static let iconCoinTypes: [UInt32] = [74, 4_801_368]

    /// The path of the first key in ICON's wallets; nil for a coin type that none of them uses.
    ///
    /// `m/44'/74'/0'/0/0`, or `m/44'/4801368'/0'/0'/0'` of Ledger's app.
    package static func icon(coinType: UInt32) -> DerivationPath? {
        guard let kind = iconCoinTypes.firstIndex(of: coinType) else { return nil }
        let mark = kind == 0 ? 0 : hardened
        return DerivationPath(unchecked: [44 | hardened, coinType | hardened, hardened, mark, mark])
    }

    /// The path of a child; nil if it would be too deep.
    package func child(_ component: UInt32) -> DerivationPath? {
        DerivationPath(components + [component])
    }

    /// The path in BIP 32's notation, hardened children marked with `'`.
    package var text: String {
        components.reduce(into: "m") { text, component in
            text += "/\(component & ~Self.hardened)"
            if component & Self.hardened != 0 { text += "'" }
        }
    }

    private init(unchecked components: [UInt32]) {
        self.components = components
    }

    private static func component(_ text: ArraySlice<UInt8>) -> UInt32? {
        var digits = text
        let isHardened = digits.last.map("'hH".utf8.contains) ?? false
        if isHardened { digits.removeLast() }
        guard let first = digits.first, digits.count <= 10 else { return nil }
        guard first != UInt8(ascii: "0") || digits.count == 1 else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            number = number * 10 + UInt64(digit - UInt8(ascii: "0"))
        }
        guard number < UInt64(hardened) else { return nil }
        return UInt32(number) | (isHardened ? hardened : 0)
    }
}
