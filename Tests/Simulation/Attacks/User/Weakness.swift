import Daybook
import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLMDB
import DaybookLog
import Simulator
import Synchronization

/// A weakness beside the product's own code: a driver that does not find it finds nothing.
///
/// Each does with the owner's keys what a signer without checks would do.
package final class Weakness: Sendable {
    package let name: Name
    private let state = Mutex<[Bytes]>([])

    package enum Name: String, CaseIterable, Sendable {
        /// Signs the digests of a decision in the log.
        case resume
        /// Sends the change where a row says that it belongs.
        case change
        /// Gives callers the addresses of the rows.
        case rows
        /// Pays again from another coin when a node has refused.
        case twice
        /// Believes the node for ever: no honest answer follows on what was left out.
        case believe
    }

    init(_ name: Name) { self.name = name }

    /// The transactions that it made.
    var sent: [Bytes] { state.withLock { $0 } }

    /// Before an approval: what the log says was agreed to is signed.
    func signRecorded(_ id: RequestID, _ visit: Visit) throws {
        guard name == .resume else { return }
        let row = try visit.computer.stateRows().first {
            $0.key == Bytes("requests/".utf8) + BigEndian.bytes(id.number)
        }?.value
        guard let row, let data = try? CBOR.decode(row), data["status"] == .text("approved"),
            let prepared = data["prepared"], let chain = data["request"]?["chain"]?.textValue
        else { return }
        visit.agreeToRecorded(id)
        try sign(prepared, Chain(rawValue: chain) ?? .dash, visit)
    }

    /// After an approval, signs the prepared transaction with the change address of the rows.
    func signBelievingRows(_ visit: Visit) throws {
        let prepared = visit.computer.lastPrepared.withLock { last in
            defer { last = nil }
            return last
        }
        guard name == .change, let prepared, prepared.chain != .icon,
            let path = prepared.data["changePath"]?.textValue,
            let wallet = prepared.data["wallet"]?.uintValue,
            let bytes = prepared.data["bytes"]?.bytesValue,
            var transaction = try? UTXOTransaction.parse(bytes)
        else { return }
        let row = try visit.computer.stateRows().lazy
            .filter { ByteOrder.begins(
                    $0.key, with: Bytes("addresses/".utf8) + BigEndian.bytes(wallet)) }
            .compactMap { try? CBOR.decode($0.value) }
            .first { $0["path"] == .text(path) }
        let own = visit.scene.owner.scripts[prepared.chain] ?? [:]
        guard let script = row?["script"]?.bytesValue, own[script] == nil,
            let index = transaction.outputs.lastIndex(where: { own[$0.script] != nil })
        else { return }
        transaction.outputs[index].script = script
        try sign(transaction, prepared.data, prepared.chain, visit)
    }

    /// At the end of a visit: says what the rows say.
    func speak(for visit: Visit, _ store: Store) async {
        guard name == .rows else { return }
        let rows = (try? visit.computer.stateRows()) ?? []
        for row in rows where ByteOrder.begins(row.key, with: Bytes("addresses/".utf8)) {
            if let text = try? CBOR.decode(row.value)["text"]?.textValue {
                visit.say("callback", text)
            }
        }
    }

    /// Before the user asks again for what failed: pays from a coin that no attempt has spent.
    func payAgain(_ intent: Intent, _ visit: Visit) throws {
        guard name == .twice, case .payment(let script, let amount) = intent.aim,
            visit.approvals.contains(where: { $0.intent.name == intent.name })
        else { return }
        let signed = try visit.computer.records().compactMap { $0.data["bytes"]?.bytesValue }
        let spent = Set(
            signed.compactMap { try? UTXOTransaction.parse($0) }.flatMap(\.inputs)
                .map(\.outpoint))
        let owner = visit.scene.owner
        let scripts = owner.scripts[intent.chain] ?? [:]
        let coins = visit.computer.chains.utxo(intent.chain) { $0.outputs(of: Array(scripts.keys)) }
        let coin = coins.first {
            $0.spender == nil && !spent.contains($0.outpoint) && $0.amount > amount + 10_000
        }
        guard let coin, let path = scripts[coin.script] else { return }
        var transaction = UTXOTransaction(
            inputs: [.init(coin.outpoint)],
            outputs: [
                .init(amount: amount, script: script),
                .init(amount: coin.amount - amount - 226, script: coin.script),
            ])
        let key = try owner.key(intent.chain, at: path)
        let digest = transaction.signatureDigest(input: 0, scriptCode: coin.script)
        guard let signature = key.sign(digest: digest) else { return }
        transaction.inputs[0].script = Script.pushing([
            signature.der + [UTXOTransaction.signatureHashAll], key.publicKey.compressed,
        ])
        state.withLock { $0.append(transaction.serialized()) }
    }

    /// Signs a transaction with other digests than the prepared ones.
    private func sign(
        _ unsigned: UTXOTransaction, _ prepared: CBOR, _ chain: Chain, _ visit: Visit
    ) throws {
        var transaction = unsigned
        let paths = (prepared["inputs"]?.arrayValue ?? []).map { $0["path"]?.textValue ?? "m" }
        for (index, text) in paths.enumerated() {
            guard let path = DerivationPath(text) else { return }
            let key = try visit.scene.owner.key(chain, at: path)
            let code = Script.p2pkh(Hash160.hash(key.publicKey.compressed)).bytes
            let digest = unsigned.signatureDigest(input: index, scriptCode: code)
            guard let signature = key.sign(digest: digest) else { return }
            transaction.inputs[index].script = Script.pushing([
                signature.der + [UTXOTransaction.signatureHashAll], key.publicKey.compressed,
            ])
        }
        state.withLock { $0.append(transaction.serialized()) }
    }

    private func sign(_ prepared: CBOR, _ chain: Chain, _ visit: Visit) throws {
        let owner = visit.scene.owner
        guard let bytes = prepared["bytes"]?.bytesValue,
            let inputs = prepared["inputs"]?.arrayValue
        else { return }
        let digests = inputs.map { ($0["digest"]?.bytesValue ?? [], $0["path"]?.textValue ?? "m") }
        guard chain != .icon else { return }
        guard var transaction = try? UTXOTransaction.parse(bytes) else { return }
        for (index, (digest, path)) in digests.enumerated() {
            guard transaction.inputs.indices.contains(index), let path = DerivationPath(path) else {
                return
            }
            let key = try owner.key(chain, at: path)
            guard let signature = key.sign(digest: digest) else { return }
            transaction.inputs[index].script = Script.pushing([
                signature.der + [UTXOTransaction.signatureHashAll], key.publicKey.compressed,
            ])
        }
        state.withLock { $0.append(transaction.serialized()) }
    }
}
