/// What Dash and Axe differ in, and what their networks differ in.
///
/// Values as in `src/chainparams.cpp` of Dash Core 21.1.1 and Axe Core 1.6.1.1.
package struct UTXOParameters: Equatable, Sendable {
    /// Dash or Axe.
    package let chain: Chain
    /// Which of its networks.
    package let network: Network

    /// The parameters of a chain on a network; nil for a chain that has no transaction outputs.
    package static func of(_ chain: Chain, _ network: Network) -> UTXOParameters? {
        switch chain {
        case .dash, .axe: UTXOParameters(chain: chain, network: network)
        case .icon: nil
        }
    }

    private init(chain: Chain, network: Network) {
        self.chain = chain
        self.network = network
    }

    /// The version bytes that addresses and keys of this network are written with.
    package var format: AddressFormat {
        switch network {
        case .sandbox, .mainnet: .main
        case .regtest, .testnet: .test
        }
    }

    /// The coin's ticker symbol.
    package var coinName: String { chain == .dash ? "DASH" : "AXE" }

    /// The first byte of a pay-to-public-key-hash address.
    package var p2pkhVersion: UInt8 { Self.p2pkhVersion(chain, format) }

    /// The first byte of a pay-to-script-hash address.
    package var p2shVersion: UInt8 { Self.p2shVersion(format) }

    /// The first byte of a private key in wallet import format; both coins use the same.
    package var wifVersion: UInt8 { format == .main ? 0xcc : 0xef }

    /// The first four bytes of an extended public key (`xpub` or `tpub`).
    package var extendedPublicVersion: UInt32 { format.extendedPublicVersion }

    /// The first four bytes of an extended private key (`xprv` or `tprv`).
    package var extendedPrivateVersion: UInt32 { format.extendedPrivateVersion }

    /// The BIP 44 coin type used unless the user chose otherwise: Axe's document says Dash's 5.
    package var coinType: UInt32 { format == .main ? 5 : 1 }

    /// The BIP 44 coin types a wallet may be made with, the default first.
    package var coinTypes: [UInt32] {
        chain == .axe && format == .main ? [coinType, Self.registeredAxeCoinType] : [coinType]
    }

    /// How deep an input must be for InstantSend to lock its transaction.
    package var instantSendConfirmations: Int { format == .main ? 6 : 2 }

    /// The coin type of Axe Core's own chain parameters, which Axe's URL document does not use.
    package static let registeredAxeCoinType: UInt32 = 4242

    static func p2pkhVersion(_ chain: Chain, _ format: AddressFormat) -> UInt8 {
        switch format {
        case .main: chain == .axe ? 0x37 : 0x4c
        case .test: 0x8c
        }
    }

    static func p2shVersion(_ format: AddressFormat) -> UInt8 {
        format == .main ? 0x10 : 0x13
    }
}
