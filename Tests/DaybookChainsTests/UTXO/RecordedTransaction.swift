import DaybookChains
import DaybookEncoding
import Foundation
import Testing

/// A transaction that a real node took or made, from `Fixtures/utxo/transactions.tsv`.
struct RecordedTransaction: CustomTestStringConvertible, Sendable {
    let chain: Chain
    let label: String
    let txid: String
    let bytes: Bytes
    /// What each input spends; empty where the recording does not show it.
    let spent: [UTXOTransaction.Output]

    var testDescription: String { "\(chain.rawValue): \(label)" }

    static let all: [RecordedTransaction] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Fixtures/utxo/transactions.tsv")
        let text = try! String(contentsOf: file, encoding: .utf8)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            return RecordedTransaction(
                chain: Chain(rawValue: String(fields[0]))!, label: String(fields[1]),
                txid: String(fields[2]), bytes: Hex.decode(fields[3])!,
                spent: fields[4].split(separator: ",").map { spent in
                    let parts = spent.split(separator: ":")
                    return UTXOTransaction.Output(
                        amount: UInt64(parts[0])!, script: Hex.decode(parts[1])!)
                })
        }
    }()
}
