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

    package var coded: CBOR {
        .record(["wallet": wallet.coded, "removed": .flag(removed)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        self.init(
            wallet: try WalletAdded(try fields.fields("wallet")),
            removed: try fields.flag("removed"))
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
        package enum Kind: UInt8, Sendable { case single = 0, bip44 = 1, bip32 = 2 }

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

    package var coded: CBOR {
        .record([
            "text": .text(text), "script": .bytes(script), "path": .text(path),
            "publicKey": .bytes(publicKey), "used": .flag(used), "givenTo": givenTo.map(CBOR.text),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        text = try fields.text("text")
        script = try fields.bytes("script")
        path = try fields.text("path")
        publicKey = try fields.bytes("publicKey")
        used = try fields.flag("used")
        givenTo = try fields.optionalText("givenTo")
    }
}

extension AddressKey {
    /// The encoding by which other rows refer to an address: its key, with the table's name.
    var coded: CBOR {
        var bytes = Self.table
        append(to: &bytes)
        return .bytes(bytes)
    }

    init(_ fields: Fields, _ name: String) throws(FieldError) {
        let bytes = try fields.bytes(name)
        var reader = KeyReader(bytes.dropFirst(Self.table.count))
        guard bytes.starts(with: Self.table), let key = AddressKey(&reader), reader.isAtEnd
        else { throw fields.wrong(name, "an address's key") }
        self = key
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

    /// The derived indices after the last used one, limited to the gap whatever the row says.
    var indices: Range<UInt32> {
        let first = UInt32(clamping: afterUsed)
        let limit = UInt64(first) + State.gapLimit
        return first..<max(first, UInt32(clamping: min(derived, limit)))
    }
}

extension BranchRow {
    package var coded: CBOR {
        .record([
            "derived": .unsigned(derived), "afterUsed": .unsigned(afterUsed),
            "asked": asked == 0 ? nil : .unsigned(asked),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        derived = try fields.number("derived")
        afterUsed = try fields.number("afterUsed")
        asked = try fields.optionalNumber("asked") ?? 0
    }
}

/// The wallet and address that a script belongs to.
package struct ScriptRow: StateRow {
    package var wallet: WalletID
    package var address: AddressKey
}

extension ScriptRow {
    package var coded: CBOR {
        .record(["wallet": .id(wallet), "address": address.coded])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        address = try AddressKey(fields, "address")
    }
}

/// Wrong passphrases in a row, and until when (µs) the wallet is locked.
package struct UnlockRow: StateRow {
    package var failures: UInt64
    package var lockedUntil: UInt64?
}

extension UnlockRow {
    package var coded: CBOR {
        .record([
            "failures": .unsigned(failures), "lockedUntil": lockedUntil.map(CBOR.unsigned),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        failures = try fields.number("failures")
        lockedUntil = try fields.optionalNumber("lockedUntil")
    }
}

/// A session: the engine that decides in it, and its settings.
package struct SessionRow: StateRow {
    package var engine: UInt64
    package var settings: Settings
}

extension SessionRow {
    package var coded: CBOR {
        .record(["engine": .unsigned(engine), "settings": settings.coded])
    }

    package init(_ fields: Fields) throws(FieldError) {
        engine = try fields.number("engine")
        settings = try Settings(try fields.fields("settings"))
    }
}
