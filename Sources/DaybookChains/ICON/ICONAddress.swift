package import DaybookCrypto
package import DaybookEncoding

/// Who holds ICX or code: an account (`hx…`) or a contract (`cx…`).
package struct ICONAddress: Hashable, Sendable {
    /// What stands behind an address.
    package enum Kind: String, Hashable, Sendable {
        case account = "hx"
        case contract = "cx"
    }

    /// Whether the address is an account's or a contract's.
    package let kind: Kind
    /// The 20 bytes after the prefix.
    package let hash: Bytes

    /// An address of 20 bytes; nil for another number of them.
    package init?(kind: Kind, hash: Bytes) {
        guard hash.count == 20 else { return nil }
        self.kind = kind
        self.hash = hash
    }

    /// An address from its text: the prefix and 40 lower-case digits, as nodes demand.
    package init?(_ text: String) {
        let bytes = Bytes(text.utf8)
        guard bytes.count == 42, bytes[2...].allSatisfy(ICONInteger.isDigit),
            let kind = Kind(rawValue: String(decoding: bytes[..<2], as: UTF8.self)),
            let hash = Hex.decode(bytes[2...])
        else { return nil }
        self.kind = kind
        self.hash = hash
    }

    /// The account of a public key: the end of the SHA3-256 of its two coordinates.
    package init(_ key: PublicKey) {
        kind = .account
        hash = Bytes(SHA3_256.hash(Bytes(key.uncompressed.dropFirst())).suffix(20))
    }

    /// The address as people and nodes write it.
    package var text: String { kind.rawValue + Hex.encode(hash) }

    /// The contract that runs the network itself: step prices and costs are asked of it.
    package static let system = ICONAddress(
        kind: .contract, fixed: Bytes(repeating: 0, count: 20))

    private init(kind: Kind, fixed hash: Bytes) {
        self.kind = kind
        self.hash = hash
    }
}
