package import DaybookEncoding

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
    package struct Branch: Hashable, Sendable {
        /// Which extended key of the account the addresses come from.
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
    /// How other rows name an address: by its row's whole key.
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
