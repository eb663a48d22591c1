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
        prompt(
            for: request, id: id, wallet: wallet, amount: amount, repeats: repeats, payment: nil)
    }

    /// The same, with the payment that it shows where its coins are selected already.
    func prompt(
        for request: Request, id: UInt64, wallet: UInt64?, amount: UInt64?, repeats: UInt64?,
        payment: Result<Spending.Payment, Refusal>?
    ) -> Prompt {
        var lines = PromptLines()
        lines.add("method", request.action.method)
        lines.add("chain", request.chain.rawValue)
        let row = wallet.flatMap { self.wallet($0) }
        if let wallet, let row {
            lines.add("network", row.wallet.network.rawValue)
            if let nid = row.wallet.networkID { lines.add("nid", ICONInteger.text(nid)) }
            if request.sendsTransaction, let checks = checks(row.wallet) {
                lines.add("checked", checks)
            }
            lines.add("wallet", String(wallet))
            if let label = row.wallet.label { lines.add("label", label) }
            describe(request, id, wallet, row.wallet, amount, payment, &lines)
            for line in earlierAttempts(of: request, in: row.wallet, amount: amount) {
                lines.add(line.name, line.text)
            }
        }
        if let caller = request.caller {
            lines.add("sender", caller.scheme)
            let first: PointerRow? = get(Key.caller(caller.scheme))
            let isFirst = first == nil || first?.position == id
            lines.add(
                "senderStatus",
                isFirst ? "unverified, never seen before" : "unverified, seen before")
            if let other = lookalike(of: caller) {
                lines.add("warning", "you approved a sender with a similar name before: \(other)")
            }
        }
        for note in request.notes { lines.add("sender's \(note.name)", note.text) }
        if let repeats, let earlier = self.request(repeats), earlier.status == .completed {
            lines.add("warning", "the same request was already answered: \(repeats)")
        }
        return Prompt(lines.lines)
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
        _ amount: UInt64?, _ payment: Result<Spending.Payment, Refusal>?,
        _ lines: inout PromptLines
    ) {
        switch request.action {
        case .pay(let address, let fixed, let instantSend):
            lines.add("to", address)
            if instantSend != .unspecified { lines.add("instantSend", instantSend.rawValue) }
            describePayment(
                of: fixed ?? amount, to: address, lockable: instantSend == .required, wallet, row,
                payment, &lines)
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
        case .sign(let parameters):
            describeParameters(parameters, &lines)
            lines.add("consequence", "the sender can send this transaction at any time")
        case .sendTransaction(let parameters):
            describeParameters(parameters, &lines)
            describeFee(request, id, row, &lines)
        case .sendICX(let from, let to, let value, let data):
            lines.add("from", from)
            lines.add("to", to)
            lines.add(amount: value, decimals: 18, asset: "ICX")
            if let data { describe(data, &lines) }
            describeFee(request, id, row, &lines)
        case .sendToken(let from, let to, let value, let contract):
            lines.add("from", from)
            lines.add("to", to)
            let token: TokenRow? = get(Key.token(row.network, contract))
            lines.add(
                amount: value, decimals: Int(clamping: token?.decimals ?? 0),
                asset: token?.symbol ?? "?")
            lines.add("contract", contract)
            describeFee(request, id, row, &lines)
        }
    }

    private func describePayment(
        of amount: UInt64?, to address: String, lockable: Bool, _ wallet: UInt64,
        _ row: WalletAdded, _ payment: Result<Spending.Payment, Refusal>?,
        _ lines: inout PromptLines
    ) {
        guard let parameters = UTXOParameters.of(row.chain, row.network) else { return }
        let coin = parameters.coinName
        guard let amount else {
            lines.add("asset", coin)
            lines.add("amount", "to be entered")
            return
        }
        lines.add(amount: UInt256(amount), decimals: Duffs.decimals, asset: coin)
        if ownsAddress(address, row) { lines.add("warning", "this address is in your wallet") }
        let payment = payment ?? Spending.payment(
            of: amount, to: address, lockable: lockable, from: wallet, self)
        switch payment {
        case .success(let payment):
            let fee = payment.selection.fee
            lines.add("fee", DecimalAmount.format(UInt256(fee), decimals: Duffs.decimals))
            lines.add(
                "total", DecimalAmount.format(UInt256(amount + fee), decimals: Duffs.decimals))
        case .failure(let refusal):
            lines.add("problem", refusal.reason)
        }
    }

    private func ownsAddress(_ address: String, _ row: WalletAdded) -> Bool {
        guard let script = UTXOAddress(address, chain: row.chain)?.scriptPubKey else {
            return false
        }
        return contains(Key.script(row.chain, row.network, script))
    }

    private func paths(_ row: WalletAdded, _ number: UInt32) -> String {
        guard let account = row.account(number) else { return "" }
        return "m/\(number)' and m/44'/\(account.coinType)'/\(number)'"
    }

    /// An ICON transaction costs at most its step limit; the limit stands in the prepared bytes.
    private func describeFee(
        _ request: Request, _ id: UInt64, _ row: WalletAdded, _ lines: inout PromptLines
    ) {
        guard let steps = steps(of: request, row, estimate: self.request(id)?.estimate),
            let price = chain(.icon, row.network).steps?.price,
            let fee = price.multiplied(by: steps)
        else { return lines.add("problem", Refusal(.chainUnavailable).reason) }
        lines.add("stepLimit", steps.decimal)
        if lacksEstimate(request, row, id: id) {
            lines.add("warning", "the node could not estimate this call: it may fail at a cost")
        }
        lines.add("fee", "at most \(DecimalAmount.format(fee, decimals: 18)) ICX")
    }

    private func describeParameters(_ parameters: JSON, _ lines: inout PromptLines) {
        guard case .object(let members) = parameters else { return }
        for member in members where member.name != "data" {
            lines.add(member.name, member.value.stringValue ?? member.value.text())
        }
        if let text = parameters["value"]?.stringValue, let value = ICONInteger.parse(text) {
            lines.add("amount", DecimalAmount.format(value, decimals: 18) + " ICX")
        }
        if let data = parameters["data"] {
            let type = parameters["dataType"]?.stringValue ?? "message"
            describe(Action.CallData(type: type, data: data), &lines)
        }
    }

    private func describe(_ data: Action.CallData, _ lines: inout PromptLines) {
        lines.add("dataType", data.type)
        lines.add("data", data.data.stringValue ?? data.data.text())
        if PromptLines.isCut(data.data.text()) { describeParts(of: data.data, &lines) }
        if data.type == "message", let text = data.data.stringValue,
            let bytes = Hex.decode(text.dropFirst(2)), let message = Text.utf8String(bytes)
        {
            lines.add("message", message)
        }
    }

    /// What matters may stand where a long call is cut off, so that each part gets its own line.
    private func describeParts(of data: JSON, _ lines: inout PromptLines) {
        guard case .object(let members) = data else { return }
        let parts = members.flatMap { member -> [(name: String, value: JSON)] in
            guard case .object(let inner) = member.value else {
                return [(member.name, member.value)]
            }
            return inner.map { ("\(member.name).\($0.name)", $0.value) }
        }
        for part in parts.prefix(Self.mostParts) {
            lines.add("data.\(part.name)", part.value.stringValue ?? part.value.text())
        }
        if parts.count > Self.mostParts {
            lines.add("warning", "\(parts.count - Self.mostParts) parts of the data are not shown")
        }
    }

    private static var mostParts: Int { 16 }
}

/// Lines in the making; the one place where texts become safe to show.
private struct PromptLines {
    private(set) var lines: [Prompt.Line] = []

    /// A longer text is shown by its beginning and the digest of all of it, so that a prompt stays
    /// one that can be read and stored, and still says exactly one thing.
    private static let longestLine = 2048

    static func isCut(_ text: String) -> Bool { Text.escaped(text).utf8.count > longestLine }

    mutating func add(_ name: String, _ text: String) {
        lines.append(Prompt.Line(Self.shown(name), Self.shown(text)))
    }

    /// Cut by code points, because one letter can have any number of accents.
    private static func shown(_ text: String) -> String {
        let shown = Text.escaped(text)
        guard shown.utf8.count > longestLine else { return shown }
        let digest = Hex.encode(SHA256.hash(Bytes(text.utf8)))
        let beginning = String(shown.unicodeScalars.prefix(longestLine / 2))
        return "\(beginning)… (\(text.utf8.count) bytes, SHA-256 \(digest))"
    }

    mutating func add(amount: UInt256, decimals: Int, asset: String) {
        add("asset", asset)
        add("amount", DecimalAmount.format(amount, decimals: decimals))
        add("minor", amount.decimal)
    }
}
