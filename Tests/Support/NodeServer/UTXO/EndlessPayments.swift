import DaybookChains
import DaybookEncoding
import Synchronization

/// Payments that a Dash or Axe node makes up, one for every list of addresses that it is asked for.
package final class EndlessPayments: Sendable {
    private let made = Mutex<[String: UTXOTransaction]>([:])

    /// Makes the server say, each time, that a block has paid the last address it is asked about.
    ///
    /// Without the address in what it says, nothing can be asked about ahead.
    package init(of server: NodeServer, namingAddresses isNamed: Bool = true) {
        let (chain, height) = (server.chain, server.utxo { $0.tip.height })
        server.misbehave(
            .invented { [self] params, truth in
                // Of addresses that were paid before only later blocks are asked for.
                guard let asked = params.arrayValue?.first, asked["start"]?.intValue == 1,
                    let address = asked["addresses"]?.arrayValue?.last?.stringValue,
                    let script = UTXOAddress(address, chain: chain)?.scriptPubKey
                else { return truth }
                let payment = UTXOTransaction(
                    inputs: [.init(Outpoint(TransactionID(hashing: script), 0))],
                    outputs: [.init(amount: 1_000_000, script: script)])
                made.withLock { $0[payment.txid.hex] = payment }
                let entry = JSON.record([
                    "satoshis": .int(1_000_000), "txid": .string(payment.txid.hex),
                    "index": .int(0), "blockindex": .int(1), "height": .int(1),
                    "address": isNamed ? .string(address) : nil,
                ])
                return truth.map { .array(($0.arrayValue ?? []) + [entry]) }
            }, on: "getaddressdeltas")
        server.misbehave(
            .invented { [self] params, truth in
                let txid = params.arrayValue?.first?.stringValue ?? ""
                guard let payment = made.withLock({ $0[txid] }) else { return truth }
                return .success(
                    .record([
                        "hex": .string(Hex.encode(payment.serialized())), "height": .int(1),
                        "blockhash": .string(txid), "confirmations": .int(height),
                    ]))
            }, on: "getrawtransaction")
    }
}
