import DaybookEncoding

/// What a node demands of a transaction before it relays it; the same for Dash and Axe.
///
/// Values of `policy.h`, `validation.h`, `consensus.h` and `script/standard.h` of both nodes.
package enum RelayPolicy {
    /// The least fee, in duffs for 1000 bytes.
    package static let minimumFeePerKilobyte: UInt64 = 1000

    /// The largest size in bytes that is relayed (`tx-size` is the refusal of one byte more).
    package static let maximumSize = 99_999

    /// The least amount that a pay-to-public-key-hash output may carry.
    package static let p2pkhDust: UInt64 = 546

    /// The least amount that a pay-to-script-hash output may carry.
    package static let p2shDust: UInt64 = 540

    /// How many blocks must lie on a coinbase, its own included, before it may be spent.
    package static let coinbaseMaturity = 100

    /// From so many blocks on, its own included, a transaction counts as one that stays.
    package static let finalConfirmations: UInt64 = 6

    /// How many transactions that are not in a block may depend on each other in a row.
    package static let ancestorLimit = 25

    /// The longest script of an output that carries data: 80 bytes and their three of overhead.
    package static let maximumDataScript = 83

    /// The longest script of an input.
    package static let maximumInputScript = 1650

    /// The fee above which nodes suspect a mistake: in total (Axe), for 1000 bytes (Dash).
    package static let suspiciousFee: UInt64 = 10_000_000

    /// An output that pays to the hash of a public key, for the size that it has.
    package static let p2pkhOutput = UTXOTransaction.Output(
        amount: 0, script: Script.p2pkh(Bytes(repeating: 0, count: 20)).bytes)

    /// The most bytes that a signed transaction can take: a signature may be a byte shorter.
    package static func mostBytes(inputs: Int, outputs: [UTXOTransaction.Output]) -> UInt64 {
        let input = 148
        let versionAndLockTime = 8
        return UInt64(
            versionAndLockTime + CompactSize.size(of: inputs) + inputs * input
                + CompactSize.size(of: outputs.count) + outputs.reduce(0) { $0 + $1.size })
    }

    /// The fee of so many bytes, rounded up.
    package static func fee(ofBytes size: UInt64, ratePerKilobyte rate: UInt64) -> UInt64 {
        (size * rate + 999) / 1000
    }

    /// The least amount that an output with this script may carry; none for data outputs.
    package static func dust(of script: Script) -> UInt64 {
        guard !script.isData else { return 0 }
        // Spending costs 148 bytes at 3 duffs; an output below that is not worth its spending.
        let outputSize = UTXOTransaction.Output(amount: 0, script: script.bytes).size
        return UInt64(outputSize + 148) * 3
    }
}
