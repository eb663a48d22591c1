package import DaybookEncoding

/// A wallet: the data of `wallet.added` with the present label, and whether it was removed since.
package struct WalletRow: StateRow {
    package let wallet: WalletAdded
    /// The first address. It is not stored but derived from the keys when the row is read.
    package let address: String
    package var removed: Bool

    package init(wallet: WalletAdded, removed: Bool = false) {
        self.wallet = wallet
        self.removed = removed
        address = wallet.firstAddress
    }

    private init(_ row: WalletRow, _ wallet: WalletAdded) {
        self.wallet = wallet
        (removed, address) = (row.removed, row.address)
    }

    /// The same row with another label.
    func labelled(_ label: String?) -> WalletRow { WalletRow(self, wallet.labelled(label)) }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        let wallet = try coder.map("wallet", value?.wallet)
        let removed = try coder.flag("removed", value?.removed)
        // Deriving the address takes longer than all else.
        self = value ?? WalletRow(wallet: wallet, removed: removed)
    }
}

/// An address of a wallet.
package struct AddressRow: StateRow {
    package var text: String
    package var script: Bytes
    /// The key's derivation path and the key itself, 33 bytes.
    package var path: String
    package var publicKey: Bytes
    /// Whether it has received a payment.
    package var used: Bool = false
    /// The caller to whom it was given.
    package var givenTo: String?

    /// The addresses below one extended key.
    package struct Branch: Hashable, Sendable {
        /// The extended key of the account that the addresses come from.
        package enum Kind: UInt8, Sendable { case single = 0, bip44 = 1, bip32 = 2, coinJoin = 3 }

        package let kind: Kind
        package let account: UInt32
        /// Change addresses, never shown to anyone.
        package let isChange: Bool

        package init(kind: Kind, account: UInt32, isChange: Bool) {
            self.kind = kind
            self.account = account
            self.isChange = isChange
        }

        package static let single = Branch(kind: .single, account: 0, isChange: false)
    }

    package init(text: String, script: Bytes, path: String, publicKey: Bytes) {
        self.text = text
        self.script = script
        self.path = path
        self.publicKey = publicKey
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        path = try coder.field("path", value?.path)
        text = try coder.field("text", value?.text)
        used = try coder.flag("used", value?.used)
        script = try coder.field("script", value?.script)
        givenTo = try coder.optional("givenTo", value?.givenTo)
        publicKey = try coder.field("publicKey", value?.publicKey)
    }
}

/// Other rows refer to an address by its key, with the table's name.
extension AddressKey: RecordedValue {
    package static var kind: String { Bytes.kind }
    package static var expected: String { "an address's key" }

    package var mostBytes: Int { 64 }

    package init(_ reader: inout CBORReader) throws(Unexpected) {
        let bytes = try reader.byteString()
        var reader = KeyReader(bytes.dropFirst(Self.table.count))
        guard bytes.starts(with: Self.table), let key = AddressKey(&reader), reader.isAtEnd
        else { throw .value }
        self = key
    }

    package func write(to output: inout OutputSpan<UInt8>) {
        var bytes = Self.table
        append(to: &bytes)
        output.append(.bytes, bytes.span)
    }

    private static let table = Bytes("addresses/".utf8)
}

/// How many addresses of a branch are derived and asked about, and which one was used last.
package struct BranchRow: StateRow {
    package var derived: UInt64
    /// The index after the last used one.
    package var afterUsed: UInt64
    /// How many addresses the last scan asked about: blocks up to its tip can't add to them.
    package var asked: UInt64 = 0

    /// The indices of addresses to give away: within the gap that every wallet looks at.
    var indices: Range<UInt32> { indices(within: State.gapLimit) }

    /// The derived indices after the last used one, limited to the gap whatever the row says.
    func indices(within gap: UInt64) -> Range<UInt32> {
        let first = UInt32(clamping: afterUsed)
        let limit = UInt64(first) + gap
        return first..<max(first, UInt32(clamping: min(derived, limit)))
    }
}

extension BranchRow {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        asked = try coder.optional("asked", value?.asked == 0 ? nil : value?.asked) ?? 0
        derived = try coder.field("derived", value?.derived)
        afterUsed = try coder.field("afterUsed", value?.afterUsed)
    }
}

/// The wallet and address that a script belongs to.
package struct ScriptRow: StateRow {
    package var wallet: WalletID
    package var address: AddressKey
}

extension ScriptRow {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        wallet = try coder.field("wallet", value?.wallet)
        address = try coder.field("address", value?.address)
    }
}

/// Wrong passphrases in a row, and until when (µs) the wallet is locked.
package struct UnlockRow: StateRow {
    package var failures: UInt64
    package var lockedUntil: UInt64?
}

extension UnlockRow {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        failures = try coder.field("failures", value?.failures)
        lockedUntil = try coder.optional("lockedUntil", value?.lockedUntil)
    }
}

/// A session: the engine that decides in it, and its settings.
package struct SessionRow: StateRow {
    package var engine: UInt64
    package var settings: Settings
}

extension SessionRow {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        engine = try coder.field("engine", value?.engine)
        settings = try coder.map("settings", value?.settings)
    }
}
