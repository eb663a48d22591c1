import DaybookChains
import DaybookCrypto
import DaybookEncoding

extension State {
    /// What the user is shown for a request: a function of the request and the state alone.
    ///
    /// `repeats` is an earlier request with the same text; `amount` what the user entered.
    package func prompt(
        for request: Request, id: UInt64, wallet: UInt64?, amount: UInt64?, repeats: UInt64?
    ) -> Prompt {
        let question = PromptMemo.PromptQuestion(
            id: id, request: request, wallet: wallet, amount: amount, repeats: repeats)
        if let known = memo?.prompt(question) { return known }
        let prompt = makePrompt(question)
        memo?.remember(prompt, question)
        return prompt
    }

    private func makePrompt(_ question: PromptMemo.PromptQuestion) -> Prompt {
        let (request, id, wallet) = (question.request, question.id, question.wallet)
        let amount = question.amount
        var lines = PromptLines()
        lines.add("method", request.action.method)
        let row = wallet.flatMap { self.wallet($0) }
        if row == nil { lines.add("chain", request.chain.rawValue) }
        if let wallet, let row {
            lines.add(Terms.place(request.chain, row.wallet.network))
            if case .bind = request.action, let nid = row.wallet.networkID {
                lines.add("nid", ICONInteger.text(nid))
            }
            if request.sendsTransaction, let checks = checks(row.wallet) {
                lines.add("checked", checks)
            }
            lines.add("wallet", String(wallet))
            if let label = row.wallet.label { lines.add("label", label) }
            describe(request, id, wallet, row.wallet, amount, &lines)
            for line in earlierAttempts(of: request, in: row.wallet, amount: amount) {
                lines.add(line.name, line.text)
            }
        }
        if let caller = request.caller {
            lines.add("sender", caller.scheme)
            let first = callers[KeyText(caller.scheme)]
            let isFirst = first == nil || first?.position == id
            lines.add(
                "senderStatus",
                isFirst ? "unverified, never seen before" : "unverified, seen before")
            if let other = lookalike(of: caller) {
                lines.add("warning", "you approved a sender with a similar name before: \(other)")
            }
        }
        for note in request.notes { lines.add(note) }
        if let repeats = question.repeats, let earlier = self.request(repeats),
            earlier.status == .completed
        {
            lines.add("warning", "the same request was already answered: \(repeats)")
        }
        return lines.prompt
    }

    /// What of a real node's word was checked; the user takes the rest on trust.
    private func checks(_ wallet: WalletAdded) -> String? {
        guard let identity = chain(wallet.chain, wallet.network).identity else { return nil }
        let network = "the node's network by \(identity)"
        return wallet.chain == .icon
            ? network : "\(network), each coin by the transaction that paid it"
    }

    private func describe(
        _ request: Request, _ id: UInt64, _ wallet: UInt64, _ row: WalletAdded,
        _ amount: UInt64?, _ lines: inout PromptLines
    ) {
        switch request.action {
        case .pay(let address, let fixed, let instantSend):
            describePayment(
                of: fixed ?? amount, to: address, lockable: instantSend == .required, wallet, row,
                &lines)
            if instantSend != .unspecified { lines.add("instantSend", instantSend.rawValue) }
        case .address(let account):
            lines.add("account", String(account))
            lines.add("consequence", "the sender learns an unused address of this wallet")
        case .masterPublicKey(let account):
            lines.add("paths", paths(row, account))
            lines.add(
                "consequence",
                "the sender can see every address and payment of this account, for ever")
        case .bind:
            lines.add("address", self.wallet(wallet)?.address ?? "")
            lines.add("consequence", "the sender learns the address of this wallet")
        case .sign:
            describeTransaction(request, id, row, &lines)
            lines.add("consequence", "the sender can send this transaction at any time")
        case .sendTransaction, .sendICX, .sendToken:
            describeTransaction(request, id, row, &lines)
        }
    }

    private func ownsAddress(_ address: String, _ row: WalletAdded) -> Bool {
        guard let script = UTXOAddress(address, chain: row.chain)?.scriptPubKey else {
            return false
        }
        return scripts.contains(ScriptKey(row.chain, row.network, script))
    }

    private func paths(_ row: WalletAdded, _ number: UInt32) -> String {
        guard let account = row.account(number) else { return "" }
        return "m/\(number)' and m/44'/\(account.coinType)'/\(number)'"
    }
}
