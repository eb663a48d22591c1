import DaybookChains
import DaybookDomain
import DaybookEncoding

/// One look at a chain, while its highest block stays the same.
struct UTXOLook {
    let calls: CoreCalls
    let cache: TransactionCache
    let height: UInt64
    let tip: TransactionID
    var steps: StepCount

    /// Where each transaction stands that pays to or spends from our addresses.
    private var places: [TransactionID: SeenTransaction.Place] = [:]
    /// Of the transactions that were fetched, where they stand and whether they are locked.
    private var seen: [TransactionID: (place: SeenTransaction.Place, isLocked: Bool)] = [:]
    private var spenders: [Outpoint: TransactionID] = [:]

    /// What no wallet exceeds; a node that names more has gone astray.
    struct Bounds {
        var transactions = 100_000
        /// Of all transactions together.
        var bytes = 64 << 20
    }

    private let bounds: Bounds
    private var bytes = 0
    /// So many addresses are asked about at once, so that no answer takes long.
    static let addressesPerCall = 100

    init(
        _ calls: CoreCalls, _ cache: TransactionCache, at chain: CoreCalls.Standing,
        within bounds: Bounds, counting steps: StepCount
    ) {
        self.bounds = bounds
        self.calls = calls
        self.cache = cache
        height = chain.height
        tip = chain.tip
        self.steps = steps
    }

    /// Adds what the chain has of what is asked for.
    mutating func look(
        for question: ChainQuestion, into answer: inout ChainAnswer
    ) async throws(ChainFailure) {
        answer.height = height
        answer.tip = tip.displayed
        answer.since = try await since(question.tip)
        try await findPlaces(
            question.watched.filter { !question.skipped.contains($0.script) },
            since: answer.since)
        let scripts = Set(question.watched.map(\.script))
        for txid in places.keys.sorted() {
            try calls.checkTime()
            if let transaction = try await transaction(txid) {
                try note(transaction, txid)
                answer.take(transaction, txid, places[txid]?.height, paying: scripts)
            }
            steps.finish()
        }
        steps.expect(question.transactions.count)
        for displayed in question.transactions {
            if let status = try await status(of: displayed) { answer.transactions.append(status) }
            steps.finish()
        }
        answer.feeRate = try await calls.feeRate()
        answer.instantSend = try await calls.instantSend()
    }

    /// The first block that was not looked at before; zero if what was is no longer of the chain.
    private func since(_ known: ChainQuestion.Tip?) async throws(ChainFailure) -> UInt64 {
        guard let known, known.height <= height,
            try await calls.block(at: known.height)?.displayed == known.hash
        else { return 0 }
        return known.height + 1
    }

    // MARK: - Places

    private mutating func findPlaces(
        _ watched: [ChainQuestion.Watched], since: UInt64
    ) async throws(ChainFailure) {
        var known: Set<String> = []
        let addresses = watched.filter { known.insert($0.address).inserted }
        let everywhere = Self.chunks(addresses)
        let unused = Self.chunks(addresses.filter { !$0.isUsed })
        let used = Self.chunks(addresses.filter(\.isUsed))
        let new = max(since, 1)
        steps.expect(
            everywhere.count + (height >= 1 ? unused.count : 0) + (height >= new ? used.count : 0))
        for chunk in everywhere {
            for txid in try await calls.mempool(of: chunk) { try place(txid, .mempool) }
            steps.finish()
        }
        for (chunks, first) in [(unused, 1), (used, new)] where first <= height {
            for chunk in chunks {
                for (txid, height) in try await calls.blocks(first...height, of: chunk) {
                    try place(txid, .block(height))
                }
                steps.finish()
            }
        }
        steps.expect(places.count)
    }

    private mutating func place(
        _ txid: TransactionID, _ place: SeenTransaction.Place
    ) throws(ChainFailure) {
        guard places.updateValue(place, forKey: txid) ?? place == place else {
            throw ChainFailure(
                .invalidAnswer, "the node says of one transaction that it is in two places")
        }
        guard places.count <= bounds.transactions else {
            throw ChainFailure(
                .tooLong, "the node names more than \(bounds.transactions) transactions")
        }
    }

    private static func chunks(_ watched: [ChainQuestion.Watched]) -> [[String]] {
        stride(from: 0, to: watched.count, by: addressesPerCall).map { start in
            watched[start..<min(start + addressesPerCall, watched.count)].map(\.address)
        }
    }

    // MARK: - Transactions

    /// What a transaction of ours spends and pays; nil if it has left the mempool meanwhile.
    private mutating func transaction(
        _ txid: TransactionID
    ) async throws(ChainFailure) -> UTXOTransaction? {
        if let known = await cache.transaction(txid) { return known }
        let found = try await fetch(txid)
        guard let found else {
            guard places[txid] == .mempool else {
                throw ChainFailure(
                    .noTransactionIndex, "the node does not find a transaction that is in a block")
            }
            return nil
        }
        guard found.place == places[txid] else {
            throw ChainFailure(
                .invalidAnswer, "the node says of one transaction that it is in two places")
        }
        return found.transaction
    }

    /// Counts a transaction's bytes, and remembers what it spends, which no other one may spend.
    private mutating func note(
        _ transaction: UTXOTransaction, _ txid: TransactionID
    ) throws(ChainFailure) {
        bytes += transaction.serialized().count
        guard bytes <= bounds.bytes else {
            throw ChainFailure(
                .tooLong, "the node names transactions of more than \(bounds.bytes) bytes")
        }
        guard !transaction.isCoinbase else { return }
        for input in transaction.inputs {
            guard spenders.updateValue(txid, forKey: input.outpoint) ?? txid == txid else {
                throw ChainFailure(
                    .invalidAnswer, "the node says of one coin that two transactions spend it")
            }
        }
    }

    private mutating func status(
        of displayed: Bytes
    ) async throws(ChainFailure) -> ChainObserved.TransactionStatus? {
        guard let txid = TransactionID(displayed: displayed) else { return nil }
        if seen[txid] == nil { _ = try await fetch(txid) }
        guard let found = seen[txid], found.place != .abandoned else { return nil }
        return .init(txid: displayed, height: found.place.height, locked: found.isLocked)
    }

    private mutating func fetch(
        _ txid: TransactionID
    ) async throws(ChainFailure) -> SeenTransaction? {
        guard let found = try await calls.transaction(txid, tip: height) else { return nil }
        seen[txid] = (found.place, found.isLocked)
        await cache.keep(found.transaction, txid)
        return found
    }
}

extension ChainAnswer {
    /// Adds what a transaction pays to some scripts, and all that it spends, with what it proves.
    fileprivate mutating func take(
        _ transaction: UTXOTransaction, _ txid: TransactionID, _ height: UInt64?,
        paying scripts: Set<Bytes>
    ) {
        for (index, output) in transaction.outputs.enumerated()
        where scripts.contains(output.script) {
            outputs.append(
                ChainObserved.Output(
                    outpoint: Outpoint(txid, UInt32(index)), script: output.script,
                    amount: output.amount, height: height, coinbase: transaction.isCoinbase))
        }
        guard !transaction.isCoinbase else { return }
        spends += transaction.inputs.indices.map { index in
            let isOurs = transaction.shownScript(input: index).map(scripts.contains) ?? false
            return Spend(
                outpoint: transaction.inputs[index].outpoint, spender: txid.displayed,
                height: height, script: isOurs ? transaction.provenScript(input: index) : nil)
        }
    }
}
