import Daybook
import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookNodes
import DaybookReplay

extension World {
    /// A user looks at a request and says yes or no; all that follows is done at once.
    mutating func decide(
        _ id: RequestID, _ scribe: inout Scribe, _ transaction: inout LogTransaction
    ) throws {
        guard let row = transaction.state.request(id), let request = row.request else {
            throw LogFault("request \(id) is not known")
        }
        let wallet = random.one(of: transaction.state.candidates(for: request))
        let isApproved = random.below(100) < 75
        let prompt = transaction.state.prompt(
            for: request, id: id, wallet: wallet.id, amount: nil, repeats: row.repeats)
        let decision = DecisionMade(
            decision: isApproved ? .approve : .reject, prompt: isApproved ? prompt.digest : nil,
            wallet: isApproved ? wallet.id : nil, amount: nil,
            unlocked: isApproved && request.action != .bind)
        try scribe.write(.decisionMade(decision), .at(id), at: time, to: &transaction)
        try sign(id, wallet.row.wallet, &scribe, &transaction)
        try deliver(id, &scribe, &transaction)
    }

    private mutating func sign(
        _ id: RequestID, _ wallet: WalletAdded, _ scribe: inout Scribe,
        _ transaction: inout LogTransaction
    ) throws {
        guard let row = transaction.state.request(id), row.status == .approved,
            let prepared = row.prepared
        else { return }
        let signatures = try prepared.inputs.map { input in
            guard let path = DerivationPath(input.path), let label = wallet.label else {
                throw LogFault("request \(id) is to be signed by an unknown key")
            }
            return try keys.sign(input.digest, at: path, of: label)
        }
        let made = SignatureMade(signatures: signatures)
        time += random.among(1_000...5_000)
        let events = try scribe.write(.signatureMade(made), .at(id), at: time, to: &transaction)
        let signed = events.lazy.compactMap { event -> TransactionSigned? in
            if case .transactionSigned(let data) = event.payload { data } else { nil }
        }.first
        guard let signed, transaction.state.request(id)?.status == .signed else { return }
        let answer = send(signed, wallet.chain)
        guard answer.answer == .accepted else {
            throw LogFault("the sandbox refused request \(id): \(answer.message ?? "")")
        }
        time += random.among(20_000...200_000)
        try scribe.write(.broadcastAnswered(answer), .at(id), at: time, to: &transaction)
        var waiting = unconfirmed[wallet.chain] ?? Unconfirmed(since: time)
        waiting.transactions.append(signed.txid)
        waiting.scripts += try UTXOScripts.touched(by: prepared, wallet.chain)
        unconfirmed[wallet.chain] = waiting
    }

    private mutating func send(_ signed: TransactionSigned, _ chain: Chain) -> BroadcastAnswered {
        guard var sandbox = utxo.removeValue(forKey: chain) else {
            return SandboxClient.send(signed.bytes, signed.txid, &icon, time)
        }
        defer { utxo[chain] = sandbox }
        return SandboxClient.send(signed.bytes, signed.txid, &sandbox)
    }

    /// The front end opens the callback's URL; one in twenty times it forgets to say so.
    mutating func deliver(
        _ id: RequestID, _ scribe: inout Scribe, _ transaction: inout LogTransaction
    ) throws {
        guard let row = transaction.state.request(id), row.callback != nil, !row.delivered,
            random.below(20) > 0
        else { return }
        try scribe.write(
            .callbackDelivered(CallbackDelivered()), .at(id), at: time, to: &transaction)
    }
}

/// Which scripts a prepared transaction spends from and pays to.
enum UTXOScripts {
    static func touched(by prepared: TransactionPrepared, _ chain: Chain) throws -> [Bytes] {
        if chain == .icon { return [] }
        let made = try UTXOTransaction.parse(prepared.bytes).outputs.map(\.script)
        let spent = prepared.inputs.compactMap { input in
            PublicKey(input.publicKey).map { Script.p2pkh(Hash160.hash($0.compressed)).bytes }
        }
        return spent + made
    }
}
