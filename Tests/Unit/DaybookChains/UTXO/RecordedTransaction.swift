import DaybookChains
import DaybookEncoding
import Foundation
import Testing
import TestSupport

/// A transaction that a real node took or made, from `Fixtures/utxo/transactions.tsv`.
struct RecordedTransaction: CustomTestStringConvertible, Sendable {
    let chain: Chain
    let label: String
    let txid: String
    let bytes: Bytes
    /// The outputs that the inputs spend; empty where the recording does not show them.
    let spent: [UTXOTransaction.Output]

    var testDescription: String { "\(chain.rawValue): \(label)" }

    static let all: [RecordedTransaction] = {
        try! Fixture.rows("utxo/transactions.tsv").map { fields in
            RecordedTransaction(
                chain: Chain(rawValue: fields[0])!, label: fields[1],
                txid: fields[2], bytes: Hex.decode(fields[3])!,
                spent: fields[4].split(separator: ",").map { spent in
                    let parts = spent.split(separator: ":")
                    return UTXOTransaction.Output(
                        amount: UInt64(parts[0])!, script: Hex.decode(parts[1])!)
                })
        }
    }()
}
