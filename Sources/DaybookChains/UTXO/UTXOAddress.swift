package import DaybookCrypto
package import DaybookEncoding

/// An address of Dash or Axe: the hash of a public key or of a script.
///
/// The two coins share the version bytes of test addresses and of script addresses, so an address
/// always belongs to the chain that it was parsed for.
package struct UTXOAddress: Hashable, Sendable {
    /// Whether the hash is that of a public key or of a script.
    package enum Kind: String, Hashable, Sendable {
        case p2pkh
        case p2sh
    }

    /// The chain that the text was parsed for.
    package let chain: Chain
    package let format: AddressFormat
    package let kind: Kind
    /// RIPEMD-160 of SHA-256, 20 bytes.
    package let hash: Bytes

    /// Parses an address of any network of a chain; nil if the text is not an address.
    package init?(_ text: some StringProtocol, chain: Chain) {
        // 21 bytes and a checksum never need more than 35 characters.
        guard text.utf8.count <= 35, let payload = Base58Check.decode(String(text)) else {
            return nil
        }
        self.init(payload: payload, chain)
    }

    /// Parses an address that was parsed before: its checksum is not compared again.
    package init?(parsedBefore text: String, chain: Chain) {
        guard let bytes = Base58.decode(text.utf8.span, maximumLength: 35) else { return nil }
        self.init(payload: bytes.dropLast(4), chain)
    }

    private init?(payload: some RandomAccessCollection<UInt8>, _ chain: Chain) {
        guard chain.rules.ledger == .outputs,
            payload.count == 1 + Hash160.length, let version = payload.first,
            let (format, kind) = Self.meaning(ofVersion: version, chain)
        else { return nil }
        self.chain = chain
        self.format = format
        self.kind = kind
        hash = Bytes(payload.dropFirst())
    }

    /// The address of a public key.
    package init(_ publicKey: PublicKey, _ parameters: UTXOParameters) {
        chain = parameters.chain
        format = parameters.format
        kind = .p2pkh
        hash = Hash160.hash(publicKey.compressed)
    }

    /// The address of an output's script; nil for scripts without an address.
    package init?(_ script: Script, _ parameters: UTXOParameters) {
        switch script {
        case .p2pkh(let hash): (kind, self.hash) = (.p2pkh, hash)
        case .p2sh(let hash): (kind, self.hash) = (.p2sh, hash)
        case .p2pk, .data, .other: return nil
        }
        chain = parameters.chain
        format = parameters.format
    }

    /// The address in Base58Check.
    package var text: String {
        let version = switch kind {
        case .p2pkh: UTXOParameters.p2pkhVersion(chain, format)
        case .p2sh: UTXOParameters.p2shVersion(format)
        }
        return Base58Check.encode([version] + hash)
    }

    /// The script of an output that pays to this address.
    package var script: Script {
        switch kind {
        case .p2pkh: .p2pkh(hash)
        case .p2sh: .p2sh(hash)
        }
    }

    /// The serialized script.
    package var scriptPubKey: Bytes { script.bytes }

    private static func meaning(
        ofVersion version: UInt8, _ chain: Chain
    ) -> (AddressFormat, Kind)? {
        for format in AddressFormat.allCases {
            if version == UTXOParameters.p2pkhVersion(chain, format) { return (format, .p2pkh) }
            if version == UTXOParameters.p2shVersion(format) { return (format, .p2sh) }
        }
        return nil
    }
}

extension Network {
    /// The format of the network's addresses and keys on Dash and Axe.
    package var addressFormat: AddressFormat {
        switch self {
        case .sandbox, .mainnet: .main
        case .regtest, .testnet: .test
        }
    }
}

/// A set of version bytes for addresses and keys.
package enum AddressFormat: String, CaseIterable, Hashable, Sendable {
    /// The format of mainnet and of the sandbox, so that documented URLs work there unchanged.
    case main
    /// The format that testnet, devnets and regtest share.
    case test

    /// The first four bytes of an extended public key (`xpub` or `tpub`).
    package var extendedPublicVersion: UInt32 { self == .main ? 0x0488_b21e : 0x0435_87cf }

    /// The first four bytes of an extended private key (`xprv` or `tprv`).
    package var extendedPrivateVersion: UInt32 { self == .main ? 0x0488_ade4 : 0x0435_8394 }
}
