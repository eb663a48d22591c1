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

    /// The least amount that an output with this script may carry; none for data outputs.
    package static func dust(of script: Script) -> UInt64 {
        guard !script.isData else { return 0 }
        // Spending costs 148 bytes at 3 duffs; an output below that is not worth its spending.
        let outputSize = UTXOTransaction.Output(amount: 0, script: script.bytes).size
        return UInt64(outputSize + 148) * 3
    }
}
