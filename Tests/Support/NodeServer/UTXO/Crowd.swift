import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookNodes

extension NodeServer {
    /// Pays each of many addresses by a transaction of its own, twenty in a block.
    package func fundEach(_ addresses: [String], _ duffs: UInt64) throws {
        let secret = SHA256.hash(Bytes("Daybook crowd".utf8))
        guard let key = PrivateKey(SecretBytes(copying: secret)),
            let parameters = UTXOParameters.of(chain, network)
        else { preconditionFailure("a Core node has addresses") }
        let own = UTXOAddress(key.publicKey, parameters)
        for start in stride(from: 0, to: addresses.count, by: 20) {
            let part = addresses[start..<min(start + 20, addresses.count)]
            let made = try fund(own.text, (duffs + 1_000) * UInt64(part.count) + 10_000)
            guard let bytes = utxo({ $0.transaction(made) }) else { throw Silence() }
            var coin = try Self.coin(of: own.scriptPubKey, in: UTXOTransaction.parse(bytes))
            for address in part {
                guard let script = UTXOAddress(address, chain: chain)?.scriptPubKey else {
                    throw NodeRefusal(-5, "Invalid address")
                }
                let left = coin.amount - duffs - 1_000
                var next = UTXOTransaction(
                    inputs: [.init(coin.outpoint)],
                    outputs: [
                        .init(amount: duffs, script: script),
                        .init(amount: left, script: own.scriptPubKey),
                    ])
                let digest = next.signatureDigest(input: 0, scriptCode: own.scriptPubKey)
                guard let signature = key.sign(digest: digest) else {
                    throw NodeRefusal(-4, "no signature")
                }
                next.inputs[0].script = Script.pushing(
                    [signature.der + [UTXOTransaction.signatureHashAll], key.publicKey.compressed])
                guard case .accepted(let txid) = utxo({ $0.submit(next.serialized()) }) else {
                    throw NodeRefusal(-4, "a payment was refused")
                }
                coin = (Outpoint(txid, 1), left)
            }
            mine()
        }
    }

    private static func coin(
        of script: Bytes, in transaction: UTXOTransaction
    ) throws -> (outpoint: Outpoint, amount: UInt64) {
        guard let index = transaction.outputs.firstIndex(where: { $0.script == script }) else {
            throw Silence()
        }
        return (Outpoint(transaction.txid, UInt32(index)), transaction.outputs[index].amount)
    }

    /// A copy of the chain for `restore`, at this node or another one.
    package func snapshot() -> [(key: Bytes, value: Bytes)] {
        chain == .icon ? icon { Self.all($0.rows) } : utxo { Self.all($0.rows) }
    }

    /// Restores a copy of the chain: all later blocks and payments are lost.
    package func restore(_ rows: [(key: Bytes, value: Bytes)]) {
        if chain == .icon {
            icon { Self.replace(&$0.rows, by: rows) }
        } else {
            utxo { Self.replace(&$0.rows, by: rows) }
        }
    }

    private static func all(_ rows: any Rows) -> [(key: Bytes, value: Bytes)] {
        rows.scan(prefix: [], after: nil, limit: .max).map { ($0.key, $0.value) }
    }

    private static func replace(
        _ old: inout any Rows, by rows: [(key: Bytes, value: Bytes)]
    ) {
        for row in all(old) { old.remove(row.key) }
        for row in rows { old.set(row.key, row.value) }
    }
}
