import DaybookChains
import DaybookEncoding
import DaybookLog

/// The laws of any wallet, without the code that is under test: they follow from the events' bytes
/// and from the prompts and answers that users and nodes saw.
final class Model {
    private(set) var findings: [String] = []
    private(set) var records: [EventRecord] = []
    private(set) var bytes: [Bytes] = []
    private(set) var requests: [RequestID: Request] = [:]
    var coverage = PlaceCounts()
    /// The worth of a chain's output, by the chain itself; nil where it has none.
    var worth: (Chain, Outpoint) -> UInt64? = { _, _ in nil }
    /// The request that each transaction was signed for.
    private(set) var owners: [Bytes: RequestID] = [:]
    private(set) var denied: Set<Bytes> = []
    /// The transactions that were sent to a node at all.
    private(set) var sent: Set<Bytes> = []
    /// The request to which each coin was promised.
    private var promised: [Outpoint: RequestID] = [:]
    /// The coins of each wallet that its user keeps back.
    private var frozen: [WalletID: Set<Outpoint>] = [:]
    private var lockedUntil: [WalletID: UInt64] = [:]
    /// Wrong passphrases in a row, by wallet; beyond a limit each must lock it.
    private var guesses: [WalletID: UInt64] = [:]
    private var mustLock = false
    var freeGuesses: UInt64 = .max

    struct Request {
        var method: String?
        var awaitsLock = false
        var expires: UInt64?
        var ends: [String] = []
        var callbacks: [String] = []
        var isDelivered = false
        /// The prompts that the user was shown, by digest, with those agreed to.
        var shown: [Bytes: [String: String]] = [:]
        var agreed: Set<Bytes> = []
        /// The coins that the user chose with a prompt, by its digest.
        var chosen: [Bytes: Set<Outpoint>] = [:]
        /// The decision that stands, while nothing says that it does not.
        var decision: EventRecord?
        var prepared: CBOR?
        var signatures = 0
        var txid: Bytes?
        var signed: Bytes?
        var wasSent = false
        var failed = false
        var isRejected = false
        /// The request of the payment to bump or cancel.
        var target: RequestID?
        var isCancelled = false
        /// When its payment was approved, and when its user was told that it succeeded or came to
        /// nothing.
        var paidAt: UInt64?
        var sentAt: UInt64?
        var endedAt: UInt64?
    }

    func find(_ sentence: String) {
        findings.append(sentence)
    }

    // MARK: - What is durable

    /// An event is durable.
    func hears(_ event: Bytes) {
        guard let record = try? EventRecord.decode(event) else {
            return find("event \(records.count) can't be read")
        }
        bytes.append(event)
        records.append(record)
        coverage.mark("event: \(record.type)")
        if let code = record.data["code"]?.textValue, record.type != "broadcast.answered" {
            coverage.mark("code: \(code)")
        }
        if record.type == "clock.set" { setClock(record) }
        takeGuess(record)
        takeFrozen(record)
        guard let id = record.requestID else { return }
        if ["request.received", "remedy.requested"].contains(record.type) {
            requests[id] = Request()
        }
        guard var request = requests[id] else {
            return find("\(record.type) at \(record.position) is of no request")
        }
        take(record, id, &request)
        requests[id] = request
    }

    private func takeGuess(_ record: EventRecord) {
        if mustLock, record.type != "unlock.locked" { find("a wrong passphrase locks nothing") }
        mustLock = false
        guard let wallet = record.wallet else { return }
        switch record.type {
        case "unlock.failed":
            guesses[wallet, default: 0] += 1
            mustLock = guesses[wallet, default: 0] >= freeGuesses
        case "unlock.locked": lockedUntil[wallet] = record.data["until"]?.uintValue
        case "decision.made" where record.data["unlocked"]?.boolValue == true:
            if record.data["decision"]?.textValue == "approve",
                let id = record.requestID, requests[id]?.ends.isEmpty == true,
                requests[id]?.prepared == nil
            {
                guesses[wallet] = nil
            }
        default: break
        }
    }

    private func takeFrozen(_ record: EventRecord) {
        guard let wallet = record.wallet, ["coin.frozen", "coin.unfrozen"].contains(record.type)
        else { return }
        let coins = (record.data["coins"]?.arrayValue ?? []).compactMap { coin -> Outpoint? in
            guard let txid = coin["txid"]?.bytesValue.flatMap({ TransactionID(displayed: $0) }),
                let index = coin["index"]?.uintValue
            else { return nil }
            return Outpoint(txid, UInt32(index))
        }
        if record.type == "coin.frozen" {
            frozen[wallet, default: []].formUnion(coins)
        } else {
            frozen[wallet]?.subtract(coins)
        }
    }

    private func take(_ record: EventRecord, _ id: RequestID, _ request: inout Request) {
        let data = record.data
        switch record.type {
        case "remedy.requested":
            request.target = data["payment"]?.uintValue.map { RequestID($0) }
        case "request.cancelled": cancel(record, id, &request)
        case "request.accepted":
            request.method = data["request"]?["method"]?.textValue
            request.expires = data["expires"]?.uintValue
            let lock = data["request"]?["parameters"]?["instantSend"]?.textValue
            // A cancellation waits for the block that decides.
            request.awaitsLock = lock == "required" || request.method == "cancel"
        case "request.rejected":
            request.isRejected = true
            if request.txid != nil { request.endedAt = record.position }
            release(id, request)
            end(record, id, &request)
        case "request.refused", "request.coalesced", "request.expired", "binding.granted":
            end(record, id, &request)
        case "transaction.failed":
            request.failed = true
            if request.txid != nil { request.endedAt = record.position }
            release(id, request)
            // A payment that waits for InstantSend was sent, and its caller knows nothing yet.
            if request.awaitsLock, request.callbacks.isEmpty {
                request.ends.removeAll { $0 == "transaction.sent" }
            }
            end(record, id, &request)
        // The network takes it no more: its coins are free.
        case "transaction.dropped":
            release(id, request)
            request.endedAt = record.position
        case "callback.emitted": emit(data["url"]?.textValue ?? "", id, &request)
        case "callback.delivered": request.isDelivered = true
        case "decision.made": decide(record, id, &request)
        case "decision.refused":
            // A later one does not undo an approval.
            if request.prepared == nil { request.decision = nil }
        case "transaction.prepared": prepare(record, id, &request)
        case "signature.made":
            request.signatures += 1
            if request.signatures > 1 { find("request \(id) was signed twice") }
            if request.prepared == nil { find("request \(id) was signed without a transaction") }
        case "transaction.signed":
            if request.txid != nil { find("request \(id) has two transactions") }
            request.txid = data["txid"]?.bytesValue
            request.signed = data["bytes"]?.bytesValue
            if let txid = request.txid, request.method != "sign" { owners[txid] = id }
            if request.method == "sign" { end(record, id, &request) }
        case "transaction.sent":
            request.sentAt = record.position
            end(record, id, &request)
        default: break
        }
    }

    /// A payment ends because the chain has what its user approved in its place.
    private func cancel(_ record: EventRecord, _ id: RequestID, _ request: inout Request) {
        let other = record.data["by"]?.uintValue.flatMap { requests[RequestID($0)] }
        if other?.target != id || other?.method != "cancel" || other?.txid == nil {
            find("request \(id) was cancelled by nobody's word")
        }
        request.isCancelled = true
        request.endedAt = record.position
        release(id, request)
        // A caller that was told of the sending gets no second callback.
        request.ends.removeAll { $0 == "transaction.sent" }
        end(record, id, &request)
    }

    private func end(_ record: EventRecord, _ id: RequestID, _ request: inout Request) {
        request.ends.append(record.type)
        if request.ends.count > 1 {
            find("request \(id) ended \(request.ends.count) times: \(request.ends)")
        }
    }

    private func emit(_ url: String, _ id: RequestID, _ request: inout Request) {
        request.callbacks.append(url)
        if request.callbacks.count > 1 { find("request \(id) has two callbacks") }
        if request.ends.isEmpty { find("request \(id) is answered before it ended") }
        // A proof of payment is the signed transaction itself.
        let isProof = url.contains("onchain=")
        if isProof { coverage.mark("callback: a proof of payment") }
        if let named = isProof ? request.signed : request.txid, request.wasSent, !request.failed,
            !request.isRejected, !request.isCancelled, !url.contains(Hex.encode(named)),
            request.method == "pay"
        {
            find("the callback of request \(id) does not name its transaction")
        }
    }

    /// A clock that is set keeps what was left to wait of locks and of expiries.
    private func setClock(_ record: EventRecord) {
        guard let from = record.data["from"]?.uintValue else { return }
        func moved(_ time: UInt64) -> UInt64 {
            time > from ? record.time + (time - from) : min(time, record.time)
        }
        lockedUntil = lockedUntil.mapValues(moved)
        for id in requests.keys {
            if let expires = requests[id]?.expires { requests[id]?.expires = moved(expires) }
        }
    }

    private func decide(_ record: EventRecord, _ id: RequestID, _ request: inout Request) {
        guard record.data["decision"]?.textValue == "approve" else { return }
        guard let digest = record.data["prompt"]?.bytesValue, request.agreed.contains(digest)
        else { return find("request \(id) was approved without its user's word") }
        if let wallet = record.wallet, let until = lockedUntil[wallet],
            until > record.time, record.data["unlocked"]?.boolValue == true
        {
            find("wallet \(wallet) was opened while it was locked")
        }
        // The user had agreed to the prepared transaction by then; a later decision is refused.
        if request.prepared == nil { request.decision = record }
    }

    // MARK: - What is prepared

    private func prepare(_ record: EventRecord, _ id: RequestID, _ request: inout Request) {
        if request.prepared != nil { find("request \(id) was prepared twice") }
        request.prepared = record.data
        request.paidAt = record.position
        guard let decision = request.decision, let digest = decision.data["prompt"]?.bytesValue,
            let lines = request.shown[digest]
        else { return find("request \(id) was prepared without its user's word") }
        if let expires = request.expires, record.time >= expires {
            find("request \(id) was prepared after it had expired")
        }
        guard let chain = lines["chain"].flatMap({ Chain(rawValue: $0) }), chain != .icon
        else { return checkICON(record, id, lines) }
        checkPayment(record, id, lines, chain)
    }

    private func checkICON(_ record: EventRecord, _ id: RequestID, _ lines: [String: String]) {
        guard let text = record.data["bytes"]?.bytesValue, let params = try? JSON.parse(text)
        else { return find("request \(id) has a transaction that can't be read") }
        for key in ["from", "to"] {
            let target = key == "to" ? lines["contract"] ?? lines["to"] : lines[key]
            if params[key]?.stringValue != target {
                find("request \(id) has another '\(key)' than was shown")
            }
        }
        if lines["contract"] == nil, let shown = lines["minor"] {
            let value = params["value"]?.stringValue.flatMap(ICONInteger.parse)
            if value?.decimal != shown { find("request \(id) moves another amount than was shown") }
        }
    }

    /// The outputs are what was shown and change of the wallet's own; the fee is what was shown.
    private func checkPayment(
        _ record: EventRecord, _ id: RequestID, _ lines: [String: String], _ chain: Chain
    ) {
        guard let bytes = record.data["bytes"]?.bytesValue,
            let transaction = try? UTXOTransaction.parse(bytes),
            let target = lines["to"].flatMap({ UTXOAddress($0, chain: chain) }),
            let amount = lines["minor"].flatMap({ UInt64($0) })
        else { return find("request \(id) has a transaction that can't be read") }
        let paid = transaction.outputs.filter {
            $0.amount == amount && $0.script == target.scriptPubKey
        }
        if paid.isEmpty || transaction.outputs.count > 2 {
            find("request \(id) pays something else than was shown")
        }
        let spent = transaction.inputs.map(\.outpoint)
        if let coins = record.wallet.flatMap({ frozen[$0] }), !coins.isDisjoint(with: spent) {
            find("request \(id) spends a coin that its user keeps back")
        }
        if let digest = requests[id]?.decision?.data["prompt"]?.bytesValue,
            let chosen = requests[id]?.chosen[digest], !chosen.isSuperset(of: spent)
        {
            find("request \(id) spends other coins than its user chose")
        }
        for input in transaction.inputs {
            let rival = requests[id]?.method == "cancel" ? requests[id]?.target : nil
            if let other = promised[input.outpoint], other != id, other != rival {
                find("requests \(other) and \(id) spend the same coin")
            }
            promised[input.outpoint] = id
        }
        let worths = transaction.inputs.map { worth(chain, $0.outpoint) }
        // Coins that a lying node made up are worth nothing that could be compared.
        guard !worths.contains(nil) else { return }
        let all = worths.reduce(0) { $0 + ($1 ?? 0) }
        let fee = all &- transaction.outputs.reduce(0) { $0 + $1.amount }
        if DecimalAmount.format(UInt256(fee), decimals: 8) != lines["fee"] {
            find("request \(id) pays a fee of \(fee), shown was \(lines["fee"] ?? "none")")
        }
    }

    private func release(_ id: RequestID, _ request: Request) {
        guard request.prepared != nil else { return }
        let coins = promised.filter { $0.value == id }.keys
        promised = promised.filter { $0.value != id }
        // A failed cancellation leaves the payment its coin.
        guard request.method == "cancel", let target = request.target, let first = requests[target],
            !first.failed, !first.isRejected, !first.isCancelled, first.endedAt == nil
        else { return }
        for coin in coins { promised[coin] = target }
    }

    // MARK: - What comes out

    /// A transaction goes to a node.
    func sends(_ bytes: Bytes, txid: Bytes) {
        guard let id = owners[txid], var request = requests[id] else {
            return find("a transaction was sent that is not durable")
        }
        if request.signed != bytes { find("request \(id) sent other bytes than it signed") }
        if request.failed, !wasDenied(txid) {
            find("request \(id) was sent after it had failed")
        }
        if request.isRejected { find("request \(id) was sent after it was rejected") }
        if request.isCancelled { find("request \(id) was sent after it was cancelled") }
        request.wasSent = true
        requests[id] = request
        sent.insert(txid)
    }

    /// A node took a transaction and says that it did not.
    func isDenied(_ txid: Bytes) {
        denied.insert(txid)
    }

    /// Whether a node denied a transaction, or one of ours that it needs: it fails with that.
    func wasDenied(_ txid: Bytes) -> Bool {
        if denied.contains(txid) { return true }
        guard let bytes = owners[txid].flatMap({ requests[$0]?.signed }),
            let transaction = try? UTXOTransaction.parse(bytes)
        else { return false }
        return transaction.inputs.contains { wasDenied($0.outpoint.displayed) }
    }

    /// A prompt is shown to a user.
    func shows(_ lines: [(name: String, text: String)], _ digest: Bytes, of id: RequestID) {
        guard requests[id]?.expires != nil else {
            return find("request \(id) was shown before it was durable")
        }
        // Of lines with the same name the last is what this looks at, but for warnings.
        var table = Dictionary(lines.map { ($0.name, $0.text) }, uniquingKeysWith: { $1 })
        let warnings = lines.filter { $0.name == "warning" }.map(\.text)
        table["warnings"] = warnings.joined(separator: "\n")
        requests[id]?.shown[digest] = table
    }

    /// A user agrees to the prompt; `coins` are the ones that the user chose.
    func agrees(to digest: Bytes, of id: RequestID, only coins: [Outpoint]? = nil) {
        requests[id]?.agreed.insert(digest)
        if let coins { requests[id]?.chosen[digest] = Set(coins) }
    }

    /// A callback is handed out, to be opened.
    func hands(_ url: String, of id: RequestID, asUndelivered: Bool = false) {
        guard let request = requests[id], request.callbacks.contains(url) else {
            return find("request \(id) hands out a callback that is not durable")
        }
        if asUndelivered, request.isDelivered {
            find("request \(id) hands out its callback again")
        }
    }
}

extension EventRecord {
    /// The wallet that the event is about.
    var wallet: WalletID? { data["wallet"]?.uintValue.map { WalletID($0) } }
}
