import DaybookEncoding

/// The parameters in which Dash, Axe and their networks differ.
///
/// The values are those of `src/chainparams.cpp` of Dash Core 21.1.1 and Axe Core 1.6.1.1.
package struct UTXOParameters: Equatable, Sendable {
    /// Dash or Axe.
    package let chain: Chain
    package let network: Network

    /// The parameters of a chain and network; nil for a chain without transaction outputs.
    package static func of(_ chain: Chain, _ network: Network) -> UTXOParameters? {
        chain.rules.ledger == .outputs ? UTXOParameters(chain: chain, network: network) : nil
    }

    private init(chain: Chain, network: Network) {
        self.chain = chain
        self.network = network
    }

    /// The version bytes of addresses and keys.
    package var format: AddressFormat { network.addressFormat }

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

    /// The default BIP 44 coin type; Axe's document names Dash's 5.
    package var coinType: UInt32 { format == .main ? 5 : 1 }

    /// The BIP 44 coin types that a wallet can have, the default first.
    package var coinTypes: [UInt32] {
        chain == .axe && format == .main ? [coinType, Self.registeredAxeCoinType] : [coinType]
    }

    /// The confirmations that an input needs for InstantSend to lock its transaction.
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

/// The demands of a node of Dash or Axe on a transaction that it relays, besides the fee.
///
/// Values of `policy.h`, `validation.h`, `consensus.h` and `script/standard.h` of both nodes.
package enum RelayPolicy {
    /// The largest size in bytes that is relayed (`tx-size` is the refusal of one byte more).
    package static let maximumSize = 99_999

    /// The dust limit of a pay-to-public-key-hash output, in duffs.
    package static let p2pkhDust: UInt64 = 546

    /// The dust limit of a pay-to-script-hash output, in duffs.
    package static let p2shDust: UInt64 = 540

    /// The confirmations that a coinbase needs before it can be spent.
    package static let coinbaseMaturity = 100

    /// The confirmations from which a transaction counts as final.
    package static let finalConfirmations: UInt64 = 6

    /// The longest chain of unconfirmed transactions, and the most descendants of one.
    package static let ancestorLimit = 25

    /// The most bytes of a transaction with its unconfirmed ancestors, or with its descendants.
    package static let packageLimit: UInt64 = 101_000

    /// The longest script of a data output: 80 bytes of data and three of overhead.
    package static let maximumDataScript = 83

    /// The longest script of an input.
    package static let maximumInputScript = 1650

    /// A pay-to-public-key-hash output, used to compute sizes.
    package static let p2pkhOutput = UTXOTransaction.Output(
        amount: 0, script: Script.p2pkh(Bytes(repeating: 0, count: 20)).bytes)

    /// The maximum size of a signed transaction; a signature can be a byte shorter.
    package static func maximumBytes(inputs: Int, outputs: [UTXOTransaction.Output]) -> UInt64 {
        let input = 148
        let versionAndLockTime = 8
        return UInt64(
            versionAndLockTime + CompactSize.size(of: inputs) + inputs * input
                + CompactSize.size(of: outputs.count) + outputs.reduce(0) { $0 + $1.size })
    }

    /// The dust limit of an output with this script; zero for data outputs.
    package static func dust(of script: Script) -> UInt64 {
        guard !script.isData else { return 0 }
        // Nodes compute it as the output and the 148 bytes to spend it, at 3 duffs for each byte.
        let outputSize = UTXOTransaction.Output(amount: 0, script: script.bytes).size
        return UInt64(outputSize + 148) * 3
    }
}

/// Limits and checked sums of amounts in duffs, the hundred millionth part of a coin.
package enum Duffs {
    package static let perCoin: UInt64 = 100_000_000

    /// The decimals of an amount in coins.
    package static let decimals = 8

    /// The largest valid amount of an output or a sum (`MAX_MONEY`).
    package static let maximum: UInt64 = 21_000_000 * perCoin

    /// An amount in coins, as text.
    package static func text(_ amount: UInt64) -> String {
        DecimalAmount.format(UInt256(amount), decimals: decimals)
    }

    /// The sum of amounts; nil if an amount or the sum is above the maximum.
    package static func sum(_ amounts: some Sequence<UInt64>) -> UInt64? {
        var total: UInt64 = 0
        for amount in amounts {
            // Neither term is above 2.1e15 here, so that the addition cannot overflow.
            guard amount <= maximum else { return nil }
            total += amount
            guard total <= maximum else { return nil }
        }
        return total
    }
}
