import Daybook
import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookNodes
import DaybookReplay
import TestSupport

extension SimulatedComputer {
    /// The faults stop: everything must come to its end, and everything must add up.
    func settle() throws {
        tell("the faults stop")
        try judgeSteps(in: try EventLog(in: SafeStorage(disk.tables)))
        random = Seeded(UInt64(received))
        isCalm = true
        vault.lost = nil
        for index in frontEnds.indices {
            frontEnds[index].process?.fate.fuse = nil
            frontEnds[index].process?.fate.spaceFuse = nil
        }
        for chain in Chain.allCases { onChain(chain) { $0.switches.withholdsLocks = false } }
        while !parked.isEmpty { release(0) }
        for chain in Chain.allCases { sendKept(on: chain) }
        for chain in [Chain.dash, .axe] { sendForgottenPayments(on: chain) }
        disk.sync()
        for round in 0..<6 {
            for chain in Chain.allCases { mine(1, on: chain) }
            for index in frontEnds.indices {
                call(index, "sync") { store in "\(try await store.sync().events) events" }
            }
            // Open requests wait until they expire.
            if round == 2 { now += 100_000_000_000 }
        }
        deliverAll()
        let ends = Set([
            "completed", "refused", "coalesced", "rejected", "expired", "failed", "cancelled",
        ])
        call(0, "look at every request") { [self] store in
            for id in model.requests.keys.sorted() {
                let request = try await store.request(id)
                see(request)
                if !ends.contains(request.status.rawValue), !model.waitsForCoins(id) {
                    model.find("request \(id) stays \(request.status.rawValue)")
                }
            }
            return "done"
        }
    }

    private func deliverAll() {
        call(0, "deliver") { [self] store in
            // Everything that waits for the clock is due now.
            _ = try await store.pending()
            for callback in try await store.callbacks() {
                model.hands(callback.url, of: callback.request, asUndelivered: true)
                _ = try await store.delivered(callback.request)
            }
            if try await !store.callbacks().isEmpty { model.find("a callback stays") }
            return "done"
        }
    }

    // MARK: - What must be so in the end

    func judge() throws {
        model.compare { [self] txid in isOnChain(txid) }
        model.comparePayments { [self] txid in
            if case .executed(let receipt) = onICON({ $0.result(of: txid) }) {
                return receipt.failure == nil
            }
            return isOnChain(txid)
        }
        let log = try EventLog(in: SafeStorage(disk.tables))
        try judgeLog(log)
        try judgeCourses(in: log, standing: try judgeSteps(in: log))
        judgeBalances()
    }

    /// The log decides again what it says, keeps every rule, and adds up to the state there is.
    private func judgeLog(_ log: EventLog) throws {
        var decide = StoreParts.decide
        if let plant { decide = plant.decide }
        var replayer = Replayer(decide: decide)
        var verifier = try LogVerifier(logID: logID)
        for (record, bytes) in zip(model.records, model.bytes) {
            replayer.feed(record)
            verifier.feed(bytes)
        }
        replayer.finish()
        if let first = replayer.divergences.first {
            model.find("the replay diverges at \(first.position): \(first.field)")
        }
        let result = verifier.finish()
        if let first = result.violations.first {
            model.find("the log breaks a rule at \(first.position): \(first.message)")
        }
        try log.read { snapshot in
            let state = snapshot.state
            if StateDigest.of(state) != StateDigest.of(replayer.state) {
                model.find("the state is not what the events add up to")
            }
            if let imbalance = state.imbalance() { model.find(imbalance) }
            if let difference = state.coinDifference() { model.find(difference) }
            try judgeHistory(in: plant?.booked(state) ?? state)
            if try snapshot.head().root != result.head.root {
                model.find("the log's tree is not that of its events")
            }
            if snapshot.count != UInt64(model.records.count) {
                model.find("the log has \(snapshot.count) events, not \(model.records.count)")
            }
        }
    }

    /// Each history adds up to its balance, and has what the chain took of each payment.
    private func judgeHistory(in state: State) throws {
        if let difference = state.historyDifference() { model.find(difference) }
        judgeBooks(of: state)
        for (key, entry) in state.history.rows() {
            let meaning = state.meaning(of: entry, in: key.first)
            coverage.mark("history: \(meaning.kind.rawValue)")
            guard meaning.isPayer, let txid = entry.txid, let fee = meaning.fee,
                case .executed(let receipt) = onICON({ $0.result(of: txid) })
            else { continue }
            if fee != receipt.fee {
                model.find("history has a fee of \(fee.decimal), not \(receipt.fee?.decimal ?? "")")
            }
        }
    }

    /// Whether a block has a transaction.
    private func isOnChain(_ txid: Bytes) -> Bool {
        if case .executed = onICON({ $0.result(of: txid) }) { return true }
        return [Chain.dash, .axe].contains { chain in
            guard let id = TransactionID(Bytes(txid.reversed())),
                case .inBlock = onChain(chain, { $0.status(of: id) })
            else { return false }
            return true
        }
    }

    /// Whether a block has somebody's payment to a wallet, and it came to something: on ICON one
    /// that a reorganisation made wait can run out of steps where another went before it.
    private func isPaid(_ funding: Funding) -> Bool {
        guard case .executed(let receipt) = onICON({ $0.result(of: funding.id) }) else {
            return isOnChain(funding.id)
        }
        return receipt.failure == nil
    }

    /// Whether a chain has a transaction, or has taken it to put it into a block.
    func isKnown(_ txid: Bytes) -> Bool {
        if (onICON { $0.result(of: txid) } ?? .unknown) != .unknown { return true }
        return [Chain.dash, .axe].contains { chain in
            TransactionID(Bytes(txid.reversed())).map { id in
                (onChain(chain) { $0.status(of: id) } ?? .unknown) != .unknown
            } ?? false
        }
    }

    /// Each wallet's balance must be the receipts less the payments, by the chain and by the terms
    /// that users agreed to.
    private func judgeBalances() {
        if model.waitsForWhatWasDenied(isOnChain) {
            return coverage.mark("left open: what was denied and then lost")
        }
        var expected: [Account: SignedSum] = [:]
        for funding in fundings where isPaid(funding) {
            expected[Account(funding.home, funding.asset), default: SignedSum()].add(
                funding.amount)
        }
        for (txid, id) in model.owned where isOnChain(txid) {
            charge(txid, id, &expected)
        }
        let ledger = expected
        let (waiting, lacking) = (model.waitingWallets, model.lackingWallets)
        call(0, "balances") { [self] store in
            let lines = try await store.balances()
            for wallet in try await store.wallets() {
                for line in lines where line.wallet == wallet.id {
                    let sum = ledger[Account(wallet.address, line.asset)] ?? SignedSum()
                    if line.confirmed.description != sum.text {
                        model.find(
                            "wallet \(wallet.id) shows \(line.confirmed) \(line.symbol), "
                                + "the chain has \(sum.text)\(word(of: wallet, line.asset))")
                    }
                    let holds = line.reserved != 0 && !waiting.contains(wallet.id)
                    let isOpen = line.unconfirmed != 0 && !lacking.contains(wallet.id)
                    if isOpen || holds {
                        model.find(
                            "wallet \(wallet.id) still has \(line.unconfirmed) unconfirmed and "
                                + "\(line.reserved) reserved \(line.symbol)")
                    }
                }
            }
            return "compared"
        }
    }

    /// The ICON network's own figure of a balance.
    private func word(of wallet: Wallet, _ asset: String) -> String {
        guard let holder = ICONAddress(wallet.address) else { return "" }
        let held = onICON { asset == "ICX" ? $0.balance(of: holder) : $0.tokens(of: holder) }
        return ", and says \(held?.decimal ?? "nothing")"
    }

    private struct Account: Hashable {
        let home: String
        let asset: String
        init(_ home: String, _ asset: String) {
            self.home = home
            self.asset = asset
        }
    }

    /// An amount that may be below nothing on the way.
    private struct SignedSum {
        private var more = UInt256.zero
        private var less = UInt256.zero
        mutating func add(_ amount: UInt256) { more = more.adding(amount) ?? .max }
        mutating func take(_ amount: UInt256) { less = less.adding(amount) ?? .max }
        var text: String {
            more.subtracting(less)?.decimal ?? "-" + (less.subtracting(more)?.decimal ?? "")
        }
    }

    private func charge(
        _ txid: Bytes, _ id: RequestID, _ expected: inout [Account: SignedSum]
    ) {
        guard let request = model.requests[id], let bytes = request.signed,
            let payer = request.decision?.wallet.flatMap({ homes[$0] }),
            let digest = request.decision?.data["prompt"]?.bytesValue,
            let lines = request.shown[digest],
            let chain = lines["chain"].flatMap({ Chain(rawValue: $0) })
        else { return model.find("request \(id) moved coins without its user's word") }
        if chain == .icon { return chargeICON(txid, bytes, payer, lines, &expected) }
        guard let transaction = try? UTXOTransaction.parse(bytes) else { return }
        let asset = chain == .dash ? "DASH" : "AXE"
        let spent = transaction.inputs.reduce(UInt64(0)) {
            $0 + (model.worth(chain, $1.outpoint) ?? 0)
        }
        let paid = transaction.outputs.reduce(UInt64(0)) { $0 + $1.amount }
        let amount = lines["minor"].flatMap { UInt256(decimal: $0) } ?? .zero
        expected[Account(payer, asset), default: SignedSum()].take(amount)
        expected[Account(payer, asset), default: SignedSum()].take(UInt256(spent &- paid))
        // A change address is no wallet's to name, but only the payer's own is paid so.
        let own = request.target == nil ? owner(of: lines["to"] ?? "", chain) : payer
        if let own { expected[Account(own, asset), default: SignedSum()].add(amount) }
    }

    private func chargeICON(
        _ txid: Bytes, _ bytes: Bytes, _ payer: String, _ lines: [String: String],
        _ expected: inout [Account: SignedSum]
    ) {
        guard case .executed(let receipt) = onICON({ $0.result(of: txid) }),
            let params = try? JSON.parse(bytes)
        else { return }
        expected[Account(payer, "ICX"), default: SignedSum()].take(receipt.fee ?? .zero)
        guard receipt.failure == nil else { return }
        let value = params["value"]?.stringValue.flatMap(ICONInteger.parse) ?? .zero
        expected[Account(payer, "ICX"), default: SignedSum()].take(value)
        if let own = owner(of: params["to"]?.stringValue ?? "", .icon) {
            expected[Account(own, "ICX"), default: SignedSum()].add(value)
        }
        guard let contract = lines["contract"],
            let amount = lines["minor"].flatMap({ UInt256(decimal: $0) })
        else { return }
        expected[Account(payer, contract), default: SignedSum()].take(amount)
        if let own = owner(of: lines["to"] ?? "", .icon) {
            expected[Account(own, contract), default: SignedSum()].add(amount)
        }
    }

    /// The wallet that an address belongs to.
    private func owner(of text: String, _ chain: Chain) -> String? {
        if let own = owners[text] { return own }
        guard let script = UTXOAddress(text, chain: chain)?.scriptPubKey else { return nil }
        return owners.first { UTXOAddress($0.key, chain: chain)?.scriptPubKey == script }?.value
    }
}

extension SimulatedComputer {
    /// All movements of an asset add up to what each wallet holds, in the books of all wallets and
    /// in those of each, and no transaction stands twice.
    private func judgeBooks(of state: State) {
        var held: [BalanceKey: SignedAmount] = [:]
        var ids: Set<String> = []
        for movement in Books(of: state) {
            coverage.mark("movement: \(movement.kind.rawValue)")
            movement.add(to: &held)
            guard let txid = movement.txid else { continue }
            let id = "\(movement.wallet) \(movement.asset.name) \(Hex.encode(txid))"
            if !ids.insert(id).inserted { model.find("the books have this twice: \(id)") }
        }
        var own: [BalanceKey: SignedAmount] = [:]
        for wallet in state.wallets.keys() {
            for movement in Books(of: state, wallet: wallet) { movement.add(to: &own) }
        }
        for (key, row) in state.balances.rows() {
            let balance = SignedAmount(row.confirmed).adding(SignedAmount(row.unconfirmed))
            for (books, sum) in [("all", held[key]), ("its own", own[key])]
            where sum ?? .zero != balance {
                model.find(
                    "wallet \(key.first) has \(balance.decimal) of \(key.text), and "
                        + "\((sum ?? .zero).decimal) in the books of \(books)")
            }
        }
    }
}

extension Movement {
    /// Adds what it changed to the sums of its wallets.
    fileprivate func add(to sums: inout [BalanceKey: SignedAmount]) {
        func add(_ amount: SignedAmount, _ asset: BookAsset, _ wallet: WalletID?) {
            guard let wallet else { return }
            let key = BalanceKey(wallet, asset.name)
            sums[key] = (sums[key] ?? .zero).adding(amount)
        }
        add(SignedAmount(sent, isNegative: true), asset, payer)
        add(SignedAmount(fee, isNegative: true), asset.coin, payer)
        add(SignedAmount(received), asset, payee)
    }
}

/// No request is in a state without a next step.
extension SimulatedComputer {
    /// Each request has ended, waits for its user until it expires, or has work to be done.
    ///
    /// Returns the payments that are named as ones that can't end by themselves.
    @discardableResult
    func judgeSteps(in log: EventLog) throws -> Set<RequestID> {
        var standing: Set<RequestID> = []
        try log.read { snapshot in
            let state = snapshot.state
            if let difference = state.historyDifference() { model.find(difference) }
            for (id, row) in state.requests.rows() {
                if Self.isStuck(id, row, in: state) {
                    model.find("request \(id) is \(row.status.rawValue) and has no next step")
                }
                if state.standstill(of: id, row) != nil { standing.insert(id) }
            }
        }
        return standing
    }

    /// Each request came to its state by the table of transitions, and to its end.
    private func judgeCourses(in log: EventLog, standing: Set<RequestID>) throws {
        var courses: [RequestID: PaymentCourse] = [:]
        for record in model.records {
            guard let id = record.requestID, let event = try record.event() else {
                continue
            }
            courses[id, default: PaymentCourse()].apply(event)
        }
        for (id, course) in courses.sorted(by: { $0.key < $1.key }) {
            coverage.mark("state: \(course.state.rawValue)")
            if let fault = course.fault {
                model.find(
                    "request \(id) was \(fault.from.rawValue), which \(fault.step.rawValue) does"
                        + " not leave")
            } else if try log.read({ $0.state.request(id).map($0.state.paymentState) })
                != course.state
            {
                model.find("the row of request \(id) is not \(course.state.rawValue)")
            } else if !course.state.isEnd, !model.lacksCoins(id), !standing.contains(id) {
                model.find("request \(id) stays \(course.state.rawValue)")
            }
        }
    }

    private static func isStuck(_ id: RequestID, _ row: RequestRow, in state: State) -> Bool {
        switch row.status {
        // The outcomes of an input are decided in the same commit.
        case .received, .approved: return true
        case .pending: return row.expires == nil
        case .deferred, .sent: return state.work(where: { $0 == id }).isEmpty
        case .signed:
            if !state.work(where: { $0 == id }).isEmpty { return false }
            // The payment waits for what its user asked to cancel it.
            guard let other = row.cancel, let next = state.request(other) else { return true }
            return next.status.isTerminal && !state.inFlight().contains(other)
        default: return false
        }
    }
}
