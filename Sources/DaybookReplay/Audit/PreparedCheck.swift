import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding

/// Checks that a prepared transaction does what the request asked for and the prompt showed.
struct PreparedCheck {
    let prepared: TransactionPrepared
    let request: Request
    let decision: DecisionMade
    let prompt: Prompt
    let wallet: WalletRow

    /// The first difference, in words; nil if there is none.
    func fault(_ state: State) -> String? {
        guard wallet.wallet.chain == request.chain else { return "the wallet is of another chain" }
        return request.chain.rules.ledger == .accounts ? iconFault() : utxoFault(state)
    }

    // MARK: - Dash and Axe

    private func utxoFault(_ state: State) -> String? {
        if case .remedy(let remedy, let payment) = request.action {
            return remedyFault(remedy, of: payment, state)
        }
        guard case .pay(let address, let fixed, _) = request.action,
            let target = UTXOAddress(address, chain: request.chain)?.scriptPubKey,
            let amount = fixed ?? decision.amount ?? shownAmount
        else { return "the request asks for no payment" }
        guard let transaction = try? UTXOTransaction.parse(prepared.bytes),
            transaction.type == 0
        else { return "the bytes are not those of an ordinary transaction" }
        let payment = UTXOTransaction.Output(amount: amount, script: target)
        var others = transaction.outputs
        guard let place = others.firstIndex(of: payment) else {
            return "it does not pay what was asked for"
        }
        others.remove(at: place)
        for output in others where !owns(output.script, state) {
            return "it pays \(output.amount) duffs to somebody else"
        }
        if decision.coins.isAll, !others.isEmpty { return "it does not pay all" }
        let named = decision.coins.named
        guard named.isEmpty || transaction.inputs.map(\.outpoint) == named.sorted() else {
            return "it spends other coins than the user named"
        }
        if let fault = inputFault(transaction, state) { return fault }
        return feeFault(transaction)
    }

    /// The amount that the prompt shows where the user chose to pay all.
    private var shownAmount: UInt64? {
        decision.coins.isAll ? prompt["minor"].flatMap { UInt64($0) } : nil
    }

    /// Checks a remedy: a bump must spend an output of the payment, a cancellation one of its
    /// inputs; both must pay the wallet.
    private func remedyFault(_ remedy: Remedy, of id: RequestID, _ state: State) -> String? {
        guard let transaction = try? UTXOTransaction.parse(prepared.bytes), transaction.type == 0
        else { return "the bytes are not those of an ordinary transaction" }
        for output in transaction.outputs where !owns(output.script, state) {
            return "it pays \(output.amount) duffs to somebody else"
        }
        let payment = state.request(state.subject(of: remedy, id))
        let spent = transaction.inputs.map(\.outpoint)
        switch remedy {
        case .bump where !spent.contains { $0.displayed == payment?.txid }:
            return "it spends no output of the payment"
        case .cancel where !spent.contains { payment?.payment?.inputs.contains($0) ?? false }:
            return "it spends no coin of the payment"
        case .bump, .cancel: break
        }
        let cancelled = remedy == .cancel ? payment.map { (id, $0) } : nil
        if let fault = inputFault(transaction, state, apartFrom: cancelled) { return fault }
        return feeFault(transaction)
    }

    /// Checks the inputs; a cancellation may spend those that are reserved for its payment.
    private func inputFault(
        _ transaction: UTXOTransaction, _ state: State,
        apartFrom cancelled: (id: RequestID, row: RequestRow)? = nil
    ) -> String? {
        guard transaction.inputs.map(\.outpoint) == prepared.inputs.map(\.outpoint) else {
            return "it spends other coins than the log says"
        }
        var spent: [UTXOTransaction.Output] = []
        for input in prepared.inputs {
            guard let outpoint = input.outpoint,
                let row = coin(outpoint, state, apartFrom: cancelled?.row)
            else { return "it spends a coin that the wallet does not have" }
            guard row.reservedBy == nil || row.reservedBy == cancelled?.id else {
                return "it spends a coin that is held back for another request"
            }
            if row.isFrozen { return "it spends a coin that the user froze" }
            guard row.output.amount == input.amount,
                row.output.script == Script.p2pkh(Hash160.hash(input.publicKey)).bytes
            else { return "a coin has another amount or key than the log says" }
            spent.append(
                UTXOTransaction.Output(amount: row.output.amount, script: row.output.script))
        }
        guard let unsigned = UnsignedTransaction(transaction, spending: spent),
            unsigned.digests == prepared.inputs.map(\.digest)
        else { return "the digests to sign are not the transaction's" }
        return nil
    }

    private func coin(
        _ outpoint: Outpoint, _ state: State, apartFrom cancelled: RequestRow?
    ) -> OutputRow? {
        let key = OutputKey(prepared.wallet, outpoint)
        if let row = state.outputs[key] { return row }
        guard let row = state.spentOutputs[key], let cancelled, row.output.spentHeight == nil,
            row.output.spentBy == cancelled.txid
        else { return nil }
        return row
    }

    private func feeFault(_ transaction: UTXOTransaction) -> String? {
        var left = UInt256.zero
        for input in prepared.inputs { left = left.adding(UInt256(input.amount ?? 0)) ?? .max }
        for output in transaction.outputs {
            guard let rest = left.subtracting(UInt256(output.amount)) else {
                return "it pays more than it spends"
            }
            left = rest
        }
        guard left == prepared.fee else { return "its fee is another than the log says" }
        let shown = DecimalAmount.format(left, decimals: Duffs.decimals)
        return Text.equal(prompt["fee"] ?? "", shown) ? nil : "its fee is not the one shown"
    }

    /// Whether a script is one of the wallet's own.
    private func owns(_ script: Bytes, _ state: State) -> Bool {
        let owner = state.owner(of: script, wallet.wallet.chain, wallet.wallet.network)
        if owner?.wallet == prepared.wallet { return true }
        // The owner may be an older wallet with the same keys.
        return state.addresses.rows(.wallet(prepared.wallet))
            .contains { $0.row.script == script }
    }

    // MARK: - ICON

    private func iconFault() -> String? {
        guard let params = try? JSON.parse(prepared.bytes),
            let transaction = try? ICONTransaction(params: params),
            prepared.inputs.map(\.digest) == [transaction.hash]
        else { return "the digest to sign is not the transaction's" }
        guard Text.equal(transaction.from.text, wallet.address),
            transaction.nid == wallet.wallet.networkID
        else { return "it is not the wallet's" }
        switch request.action {
        case .sign(let asked), .sendTransaction(let asked):
            // A step limit that the caller left open is checked with the fee that was shown.
            let whole = asked.withStepLimit(transaction.stepLimit)
            guard let same = try? ICONTransaction(params: whole), same.hash == transaction.hash
            else { return "it is another transaction than the one asked for" }
        case .sendICX(let from, let to, let value, let data):
            guard Text.equal(transaction.from.text, from), Text.equal(transaction.to.text, to),
                transaction.value == value, carries(data, params)
            else { return "it does not pay what was asked for" }
        case .sendToken(let from, let to, let value, let contract):
            let transfer = Action.CallData(
                type: "call",
                data: .record([
                    "method": .string("transfer"),
                    "params": .record([
                        "_to": .string(to), "_value": .string(ICONInteger.text(value)),
                    ]),
                ]))
            guard Text.equal(transaction.from.text, from),
                Text.equal(transaction.to.text, contract), transaction.value == .zero,
                carries(transfer, params)
            else { return "it does not pay what was asked for" }
        case .pay, .address, .masterPublicKey, .bind, .remedy:
            return "the request asks for no transaction of an account"
        }
        return shownFault(transaction)
    }

    /// Whether the transaction has the same data as the request.
    private func carries(_ data: Action.CallData?, _ params: JSON) -> Bool {
        guard let data else { return params["data"] == nil && params["dataType"] == nil }
        guard let type = params["dataType"]?.stringValue, Text.equal(type, data.type),
            let carried = params["data"]
        else { return false }
        if let asked = data.data.stringValue, let text = carried.stringValue {
            // Hexadecimal digits may be upper or lower case.
            return asked.hasPrefix("0x") && text.hasPrefix("0x")
                && Hex.decode(asked.dropFirst(2)) == Hex.decode(text.dropFirst(2))
        }
        return carried["method"] == data.data["method"]
            && Self.members(carried["params"]) == Self.members(data.data["params"])
    }

    /// The parameters of a call, which may lack them.
    private static func members(_ parameters: JSON?) -> [JSON.Member] {
        parameters?.objectValue ?? []
    }

    /// Checks that a transaction that is sent costs at most what was shown.
    private func shownFault(_ transaction: ICONTransaction) -> String? {
        if case .sign = request.action { return nil }
        let fee = DecimalAmount.format(prepared.fee, decimals: 18)
        guard Text.equal(prompt["highestFee"] ?? "", fee),
            Text.equal(prompt["stepLimit"] ?? "", transaction.stepLimit.decimal)
        else { return "its fee is not the one shown" }
        return nil
    }
}

/// Verifies a signed transaction: that it is the prepared one, and that its signatures are valid.
struct SignedCheck {
    let signed: TransactionSigned
    let prepared: TransactionPrepared

    /// Checks a transaction of any chain; only those of Dash and Axe spend outputs.
    func check() -> [Finding] {
        prepared.inputs.contains { $0.outpoint != nil } ? checkUTXO() : checkICON()
    }

    /// Checks each input's script as a node would, with the recorded public keys.
    func checkUTXO() -> [Finding] {
        guard let transaction = try? UTXOTransaction.parse(signed.bytes),
            Self.unsigned(transaction).serialized() == prepared.bytes
        else { return [Self.somethingElse] }
        let txid = transaction.txid.displayed
        var findings = txid == signed.txid ? [] : [Self.anotherID]
        let spent = prepared.inputs.map { input in
            let script = Script.p2pkh(Hash160.hash(input.publicKey)).bytes
            return UTXOTransaction.Output(amount: input.amount ?? 0, script: script)
        }
        if !transaction.verifies(spending: spent) { findings.append(Self.wrongSignature) }
        return findings
    }

    /// Checks that the signature recovers to the sender's key.
    func checkICON() -> [Finding] {
        guard let params = try? JSON.parse(signed.bytes),
            let transaction = try? ICONTransaction(params: params),
            Bytes(transaction.params.text().utf8) == prepared.bytes
        else { return [Self.somethingElse] }
        var findings = transaction.hash == signed.txid ? [] : [Self.anotherID]
        let signature = params["signature"]?.stringValue.flatMap { ICONSignature(base64: $0) }
        if signature.map({ transaction.isSigned(by: $0) }) != true {
            findings.append(Self.wrongSignature)
        }
        return findings
    }

    private static func unsigned(_ transaction: UTXOTransaction) -> UTXOTransaction {
        var unsigned = transaction
        for index in unsigned.inputs.indices { unsigned.inputs[index].script = [] }
        return unsigned
    }

    private static let somethingElse = Finding(
        .signedSomethingElse, "the signed transaction is not the prepared one")
    private static let anotherID = Finding(
        .signedSomethingElse, "the transaction has another id than the log says")
    private static let wrongSignature = Finding(.badSignature, "a signature does not verify")
}
