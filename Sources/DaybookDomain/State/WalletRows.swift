package import DaybookEncoding

/// A wallet: what `wallet.added` said, and its first address.
package struct WalletRow: StateRow {
    package var wallet: WalletAdded
    package var address: String
    package var removed: Bool

    package init(wallet: WalletAdded, address: String, removed: Bool = false) {
        self.wallet = wallet
        self.address = address
        self.removed = removed
    }

    package var coded: CBOR {
        .record([
            "wallet": wallet.coded, "address": .text(address), "removed": .flag(removed),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try WalletAdded(try fields.fields("wallet"))
        address = try fields.text("address")
        removed = try fields.flag("removed")
    }
}

/// Wrong passphrases in a row, and until when (µs) the wallet takes none.
package struct UnlockRow: StateRow {
    package var failures: UInt64
    package var lockedUntil: UInt64?

    package init(failures: UInt64, lockedUntil: UInt64? = nil) {
        self.failures = failures
        self.lockedUntil = lockedUntil
    }

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

/// An address of a wallet.
package struct AddressRow: StateRow {
    package var text: String
    package var script: Bytes
    /// The key's derivation path and the key itself, 33 bytes.
    package var path: String
    package var publicKey: Bytes
    /// It has received something.
    package var used: Bool = false
    /// The caller to whom it was given.
    package var givenTo: String?

    /// A run of addresses under one extended key.
    package struct Branch: Equatable, Sendable {
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

        package var key: Bytes {
            [kind.rawValue] + Key.number32(account) + [isChange ? 1 : 0]
        }
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

/// How many addresses of a branch are derived, and the index after the last used one.
package struct BranchRow: StateRow {
    package var derived: UInt64
    package var afterUsed: UInt64

    package init(derived: UInt64, afterUsed: UInt64) {
        self.derived = derived
        self.afterUsed = afterUsed
    }

    package var coded: CBOR {
        .record(["derived": .unsigned(derived), "afterUsed": .unsigned(afterUsed)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        derived = try fields.number("derived")
        afterUsed = try fields.number("afterUsed")
    }
}

/// Whose a script is: points to the address's row.
package struct ScriptRow: StateRow {
    package var wallet: UInt64
    package var address: Bytes

    package init(wallet: UInt64, address: Bytes) {
        self.wallet = wallet
        self.address = address
    }

    package var coded: CBOR {
        .record(["wallet": .unsigned(wallet), "address": .bytes(address)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.number("wallet")
        address = try fields.bytes("address")
    }
}
