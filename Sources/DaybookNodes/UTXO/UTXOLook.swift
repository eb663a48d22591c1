import DaybookChains
import DaybookDomain
import DaybookEncoding

/// One look at a chain, while its highest block stays the same.
///
/// Each step asks all that it needs at once: first about all addresses and the transactions that
/// are followed, then about addresses further ahead as long as payments are found there, and in
/// the end for the transactions themselves.
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
    private var transactions: [TransactionID: UTXOTransaction] = [:]
    private var spenders: [Outpoint: TransactionID] = [:]

    /// What no wallet exceeds; a node that names more has gone astray.
    struct Bounds {
        var transactions = 100_000
        /// Of all transactions together.
        var bytes = 64 << 20
        /// So many addresses are asked about beyond those that the wallets watch.
        var addressesAhead = 4000
    }

    private let bounds: Bounds
    private var bytes = 0
    /// So many addresses are asked about in one call; fewer where the answer becomes too long.
    private var addressesPerCall = 1000
    /// So many transactions are fetched before it is told how many there are: four requests.
    private static let transactionsAtOnce = 996

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

    /// Adds what the chain has of what is asked for; false if a block came in meanwhile.
    mutating func look(
        for question: ChainQuery, into answer: inout ChainSnapshot
    ) async throws(ChainFailure) -> Bool {
        var ahead = AddressesAhead(question.branches, most: bounds.addressesAhead)
        var wave = question.watched.filter { !question.skipped.contains($0.script) }
        var followed = question.transactions.compactMap { TransactionID(displayed: $0) }
        while !wave.isEmpty || !followed.isEmpty {
            guard let used = try await find(wave, since: answer.since, following: followed)
            else { return false }
            followed = []
            wave = ahead.next(used)
        }
        let scripts = Set((question.watched + ahead.asked).map(\.script))
        guard try await fetch() else { return false }
        for txid in places.keys.sorted() {
            guard let transaction = transactions[txid] else { continue }
            try noteSpends(of: transaction, txid)
            answer.take(transaction, txid, places[txid]?.height, paying: scripts)
        }
        for displayed in question.transactions {
            if let status = status(of: displayed) { answer.transactions.append(status) }
        }
        answer.ahead = ahead.asked.map(\.script)
        answer.isCutShort = ahead.isCutShort
        return true
    }

    // MARK: - Places

    /// Finds out which transactions touch addresses, and how those stand that are followed.
    ///
    /// Returns the addresses that blocks or the mempool have; nil if a block came in meanwhile.
    private mutating func find(
        _ watched: [ChainQuery.Watched], since: UInt64, following followed: [TransactionID]
    ) async throws(ChainFailure) -> Set<String>? {
        var known: Set<String> = []
        let addresses = watched.filter { known.insert($0.address).inserted }
        steps.expect(addresses.count + followed.count)
        while true {
            do throws(ChainFailure) {
                return try await ask(about: addresses, since: since, following: followed)
            } catch {
                guard error.reason == .tooLong, addressesPerCall > 10, addresses.count > 10
                else { throw error }
                addressesPerCall /= 10
            }
        }
    }

    private mutating func ask(
        about addresses: [ChainQuery.Watched], since: UInt64,
        following followed: [TransactionID]
    ) async throws(ChainFailure) -> Set<String>? {
        var batch = RPCBatch()
        var lists: [RPCBatch.Place<[CoreCalls.Entry]>] = []
        for chunk in chunks(addresses) { lists.append(batch.add(CoreCalls.mempool(of: chunk))) }
        let (used, unused) = (addresses.filter(\.isUsed), addresses.filter { !$0.isUsed })
        for (chunks, first) in [(chunks(unused), 1), (chunks(used), max(since, 1))]
        where first <= height {
            for chunk in chunks {
                lists.append(batch.add(CoreCalls.blocks(first...height, of: chunk)))
            }
        }
        let transactions = followed.map {
            ($0, batch.add(CoreCalls.transaction($0, tip: height)))
        }
        guard let answers = try await calls.answers(to: batch, at: tip) else { return nil }
        var found: Set<String> = []
        for list in lists {
            for entry in try answers.value(list) {
                try place(entry.txid, entry.height.map { .block($0) } ?? .mempool)
                if let address = entry.address { found.insert(address) }
            }
        }
        for (txid, place) in transactions {
            if let answer = try answers.value(place) { try await take(answer, txid) }
        }
        steps.finish(addresses.count + followed.count)
        return found
    }

    private mutating func place(
        _ txid: TransactionID, _ place: SeenTransaction.Place
    ) throws(ChainFailure) {
        guard places.updateValue(place, forKey: txid) ?? place == place else { throw .twoPlaces }
        guard places.count <= bounds.transactions else {
            throw ChainFailure(
                .tooLong, "the node names more than \(bounds.transactions) transactions")
        }
    }

    private func chunks(_ watched: [ChainQuery.Watched]) -> [[String]] {
        stride(from: 0, to: watched.count, by: addressesPerCall).map { start in
            watched[start..<min(start + addressesPerCall, watched.count)].map(\.address)
        }
    }

    // MARK: - Transactions

    /// Gets the transactions that are not known yet; false if a block came in meanwhile.
    private mutating func fetch() async throws(ChainFailure) -> Bool {
        steps.expect(places.count)
        var unknown: [TransactionID] = []
        for txid in places.keys.sorted() {
            if let known = seen[txid] == nil ? await cache.transaction(txid) : nil {
                try keep(known, txid)
            } else if transactions[txid] == nil {
                unknown.append(txid)
                continue
            }
            guard seen[txid].map({ $0.place == places[txid] }) ?? true else { throw .twoPlaces }
            steps.finish()
        }
        for start in stride(from: 0, to: unknown.count, by: Self.transactionsAtOnce) {
            let part = unknown[start..<min(start + Self.transactionsAtOnce, unknown.count)]
            var batch = RPCBatch()
            let asked = part.map { ($0, batch.add(CoreCalls.transaction($0, tip: height))) }
            guard let answers = try await calls.answers(to: batch, at: tip) else { return false }
            for (txid, place) in asked {
                guard let found = try answers.value(place) else {
                    guard places[txid] == .mempool else { throw .notIndexed }
                    continue
                }
                guard found.place == places[txid] else { throw .twoPlaces }
                try await take(found, txid)
            }
            steps.finish(part.count)
        }
        return true
    }

    /// Takes a transaction that the node gave.
    private mutating func take(
        _ found: SeenTransaction, _ txid: TransactionID
    ) async throws(ChainFailure) {
        seen[txid] = (found.place, found.isLocked)
        try keep(found.transaction, txid)
        await cache.keep(found.transaction, txid)
    }

    private mutating func keep(
        _ transaction: UTXOTransaction, _ txid: TransactionID
    ) throws(ChainFailure) {
        guard transactions.updateValue(transaction, forKey: txid) == nil else { return }
        bytes += transaction.serialized().count
        guard bytes <= bounds.bytes else {
            throw ChainFailure(
                .tooLong, "the node names transactions of more than \(bounds.bytes) bytes")
        }
    }

    /// Remembers what a transaction spends, which no other one may spend.
    private mutating func noteSpends(
        of transaction: UTXOTransaction, _ txid: TransactionID
    ) throws(ChainFailure) {
        guard !transaction.isCoinbase else { return }
        for input in transaction.inputs {
            guard spenders.updateValue(txid, forKey: input.outpoint) ?? txid == txid else {
                throw ChainFailure(
                    .invalidAnswer, "the node says of one coin that two transactions spend it")
            }
        }
    }

    private func status(of displayed: Bytes) -> ChainObserved.TransactionStatus? {
        guard let txid = TransactionID(displayed: displayed), let found = seen[txid],
            found.place != .abandoned
        else { return nil }
        return .init(txid: displayed, height: found.place.height, locked: found.isLocked)
    }
}

extension ChainFailure {
    fileprivate static let twoPlaces = ChainFailure(
        .invalidAnswer, "the node says of one transaction that it is in two places")
    fileprivate static let notIndexed = ChainFailure(
        .noTransactionIndex, "the node does not find a transaction that is in a block")
}

extension ChainSnapshot {
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

/// The addresses behind those that a wallet watches, asked about once payments come near them.
///
/// A wallet watches twenty unused addresses of each branch, and a payment to one of them makes more
/// of them. Each time that a branch goes on, twice as many are asked about, so that a wallet that
/// was used for long takes few steps. What is paid behind a gap is not the wallet's, as before.
struct AddressesAhead {
    /// All that were asked about ahead.
    private(set) var asked: [ChainQuery.Watched] = []
    /// Whether there are more addresses to ask about than one look does.
    private(set) var isCutShort = false

    private var branches: [Progress]
    private var left: Int

    private struct Progress {
        let branch: ChainQuery.Branch
        var indices: [String: UInt32]
        /// The first index that was not asked about.
        var end: UInt64
        var step = State.gapLimit
        var afterUsed: UInt64 = 0
    }

    /// The addresses behind branches, of which one look asks about so many at most.
    init(_ branches: [ChainQuery.Branch], most: Int) {
        left = most
        self.branches = branches.map {
            Progress(branch: $0, indices: $0.unused, end: UInt64($0.next))
        }
    }

    /// The addresses to ask about next, once these are known to be used.
    mutating func next(_ used: Set<String>) -> [ChainQuery.Watched] {
        let before = asked.count
        for number in branches.indices { branches[number] = advance(branches[number], used) }
        return Array(asked[before...])
    }

    private mutating func advance(_ before: Progress, _ used: Set<String>) -> Progress {
        var progress = before
        for address in used {
            guard let index = progress.indices[address] else { continue }
            progress.afterUsed = max(progress.afterUsed, UInt64(index) + 1)
        }
        let needed = progress.afterUsed + State.gapLimit
        guard progress.afterUsed > 0, needed > progress.end else { return progress }
        let wanted = max(needed, progress.end + progress.step)
        progress.step *= 2
        let end = min(wanted, progress.end + UInt64(left))
        if end < needed { isCutShort = true }
        for index in progress.end..<end {
            guard let index = UInt32(exactly: index) else { break }
            left -= 1
            guard let address = progress.branch.address(at: index) else { continue }
            progress.indices[address.address] = index
            asked.append(address)
        }
        progress.end = end
        return progress
    }
}
