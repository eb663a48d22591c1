import DaybookChains
import DaybookDomain
import DaybookEncoding

/// One scan of a Dash or Axe chain for a wallet's addresses, valid for one highest block.
///
/// Each step is one batch. The first asks about all watched addresses and followed transactions,
/// the next ones about further addresses of the branches as long as those were used, and the last
/// one fetches the transactions.
struct UTXOScan {
    let calls: CoreCalls
    let cache: TransactionCache
    let height: UInt64
    let tip: TransactionID
    var steps: StepCount

    /// The locations of the transactions that the node lists for the scanned addresses.
    private var listed: [TransactionID: SeenTransaction.Location] = [:]
    /// The locations and locks of the transactions that this scan fetched from the node.
    private var fetched: [TransactionID: (location: SeenTransaction.Location, isLocked: Bool)] = [:]
    private var transactions: [TransactionID: UTXOTransaction] = [:]
    /// The parts that were not understood, each alone, so that none ends the scan.
    private var unclear = UnclearParts()
    private var spenders: [Outpoint: TransactionID] = [:]

    /// The limits of one scan; no wallet comes near these numbers.
    struct Limits {
        var transactions = 100_000
        /// The size of all transactions together.
        var bytes = 64 << 20
        /// Addresses to scan beyond those that the wallets watch.
        var addressesAhead = 4000
    }

    /// How many blocks up to the last tip are asked about again, of addresses used before.
    ///
    /// The next answer then has the parts that an answer about one of them left out.
    static let blocksAskedAgain: UInt64 = 100

    private let limits: Limits
    private var bytes = 0
    /// The first block that was asked about, by the script of each address.
    private var firstBlocks: [Bytes: UInt64] = [:]
    /// Divided by ten when the node's answer becomes too long.
    private var addressesPerCall = 1000
    /// Transactions in one batch; this is four requests, after which progress is reported.
    private static let transactionsPerBatch = 996

    init(
        _ calls: CoreCalls, _ cache: TransactionCache, at chain: CoreCalls.ChainInfo,
        within limits: Limits, counting steps: StepCount
    ) {
        self.limits = limits
        self.calls = calls
        self.cache = cache
        height = chain.height
        tip = chain.tip
        self.steps = steps
    }

    /// Adds the results for a query to a snapshot; false if a new block arrived during the scan.
    mutating func run(
        _ query: ChainQuery, into snapshot: inout ChainSnapshot
    ) async throws(ChainFailure) -> Bool {
        var ahead = AddressesAhead(query.branches, most: limits.addressesAhead)
        var next = query.watched.filter { !query.skipped.contains($0.script) }
        var named = unclear.start(with: query.setAside)
        var followed = query.transactions.compactMap { TransactionID(displayed: $0) }
        followed += named.subtracting(followed).sorted()
        while !next.isEmpty || !followed.isEmpty {
            let start = max(snapshot.since, Self.blocksAskedAgain + 1) - Self.blocksAskedAgain
            guard let used = try await list(next, since: start, following: followed)
            else { return false }
            // Entries that name only a transaction are replaced by what is said of that.
            followed = unclear.takeNamed().filter { fetched[$0] == nil }
            named.formUnion(followed)
            next = ahead.next(used)
        }
        for txid in named.sorted() { try noteNamed(txid) }
        let scripts = Set((query.watched + ahead.asked).map(\.script))
        guard try await fetch() else { return false }
        for txid in fetched.keys.sorted() where listed[txid] == nil && !unclear.contains(txid) {
            try listFetched(txid)
        }
        for txid in listed.keys.sorted() where !unclear.contains(txid) {
            guard let transaction = transactions[txid] else { continue }
            try checkConflicts(of: transaction, txid)
            snapshot.add(transaction, txid, height: listed[txid]?.height, paying: scripts)
        }
        for displayed in query.transactions {
            if let status = status(of: displayed) { snapshot.transactions.append(status) }
        }
        snapshot.ahead = ahead.asked.map(\.script)
        snapshot.isCutShort = ahead.isCutShort
        snapshot.setAside += try unclear.parts()
        return true
    }

    // MARK: - Listing

    /// Lists the transactions of some addresses, and fetches the followed transactions.
    ///
    /// Returns the addresses that have transactions; nil if a new block arrived.
    private mutating func list(
        _ watched: [ChainQuery.Watched], since: UInt64, following followed: [TransactionID]
    ) async throws(ChainFailure) -> Set<String>? {
        var known: Set<String> = []
        let addresses = watched.filter { known.insert($0.address).inserted }
        steps.expect(addresses.count + followed.count)
        while true {
            do throws(ChainFailure) {
                return try await listOnce(addresses, since: since, following: followed)
            } catch {
                guard error.reason == .tooLong, addressesPerCall > 10, addresses.count > 10
                else { throw error }
                addressesPerCall /= 10
            }
        }
    }

    private mutating func listOnce(
        _ addresses: [ChainQuery.Watched], since: UInt64, following followed: [TransactionID]
    ) async throws(ChainFailure) -> Set<String>? {
        var batch = RPCBatch()
        var lists: [RPCBatch.Pending<CoreCalls.Listing>] = []
        for chunk in chunks(addresses) { lists.append(batch.add(CoreCalls.mempool(of: chunk))) }
        let (used, unused) = (addresses.filter(\.isUsed), addresses.filter { !$0.isUsed })
        for (addresses, first) in [(unused, 1), (used, since)] where first <= height {
            for address in addresses { firstBlocks[address.script] = first }
            for chunk in chunks(addresses) {
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
                switch entry {
                case .success(let entry):
                    try note(entry.txid, at: entry.height.map { .block($0) } ?? .mempool)
                    if let address = entry.address { found.insert(address) }
                case .failure(let entry):
                    unclear.note(entry)
                    if let address = entry.address { found.insert(address) }
                }
            }
        }
        for (txid, pending) in transactions {
            if let found = try understood(txid, pending, answers) { try await store(found, txid) }
        }
        steps.finish(addresses.count + followed.count)
        return found
    }

    private mutating func note(
        _ txid: TransactionID, at location: SeenTransaction.Location
    ) throws(ChainFailure) {
        if listed.updateValue(location, forKey: txid) ?? location != location {
            unclear.note(txid, at: location.height, because: UnclearParts.twoLocations)
        }
        guard listed.count <= limits.transactions else {
            throw ChainFailure(
                .tooLong, "the node names more than \(limits.transactions) transactions")
        }
    }

    /// Lists a transaction that no usable entry names, at the place where the node has it.
    private mutating func noteNamed(_ txid: TransactionID) throws(ChainFailure) {
        guard let location = fetched[txid]?.location, location != .abandoned else {
            if !unclear.contains(txid), unclear.wasNamed(txid) {
                unclear.note(txid, because: UnclearParts.notFound)
            }
            return
        }
        try note(txid, at: location)
    }

    /// The node's answer about a transaction; nil if it does not have it, or is not understood.
    private mutating func understood(
        _ txid: TransactionID, _ pending: RPCBatch.Pending<SeenTransaction?>,
        _ answers: RPCAnswers
    ) throws(ChainFailure) -> SeenTransaction? {
        do {
            return try answers.value(pending)
        } catch {
            guard error.isUnclear else { throw error }
            unclear.note(txid, at: listed[txid]?.height, because: error.message)
            return nil
        }
    }

    private func chunks(_ watched: [ChainQuery.Watched]) -> [[String]] {
        stride(from: 0, to: watched.count, by: addressesPerCall).map { start in
            watched[start..<min(start + addressesPerCall, watched.count)].map(\.address)
        }
    }

    /// Adds a followed transaction of our addresses, although the node does not list it for them.
    ///
    /// A list of the mempool may be older, and a list of blocks may begin later. But a node that
    /// has the transaction in a block and leaves it out of that block's list contradicts itself.
    private mutating func listFetched(_ txid: TransactionID) throws(ChainFailure) {
        guard let location = fetched[txid]?.location, location != .abandoned,
            let transaction = transactions[txid]
        else { return }
        let asked = ownScripts(of: transaction).compactMap { firstBlocks[$0] }
        guard let first = asked.min() else { return }
        if let height = location.height, height >= first {
            throw ChainFailure(
                .omission,
                "the node leaves the transaction \(txid.hex) out of what it lists for block"
                    + " \(height), which has it")
        }
        listed[txid] = location
    }

    /// The scripts that a transaction pays, and those whose keys sign its inputs.
    private func ownScripts(of transaction: UTXOTransaction) -> [Bytes] {
        let signers = transaction.isCoinbase ? [] : transaction.inputs.indices.filter { index in
            transaction.shownScript(input: index).map { firstBlocks[$0] != nil } ?? false
        }
        return transaction.outputs.map(\.script)
            + signers.compactMap { transaction.provenScript(input: $0) }
    }

    // MARK: - Fetching

    /// Fetches the listed transactions that are not cached; false if a new block arrived.
    private mutating func fetch() async throws(ChainFailure) -> Bool {
        steps.expect(listed.count)
        var unknown: [TransactionID] = []
        for txid in listed.keys.sorted() where !unclear.contains(txid) {
            if let known = fetched[txid] == nil ? await cache.transaction(txid) : nil {
                try keep(known, txid)
            } else if transactions[txid] == nil {
                unknown.append(txid)
                continue
            }
            if let found = fetched[txid], found.location != listed[txid] {
                unclear.note(
                    txid, at: listed[txid]?.height, because: UnclearParts.twoLocations)
            }
            steps.finish()
        }
        for start in stride(from: 0, to: unknown.count, by: Self.transactionsPerBatch) {
            let part = unknown[start..<min(start + Self.transactionsPerBatch, unknown.count)]
            var batch = RPCBatch()
            let asked = part.map { ($0, batch.add(CoreCalls.transaction($0, tip: height))) }
            guard let answers = try await calls.answers(to: batch, at: tip) else { return false }
            for (txid, pending) in asked {
                guard let found = try understood(txid, pending, answers) else {
                    // A transaction can leave the mempool at any time, but not a block.
                    if listed[txid] != .mempool, !unclear.contains(txid) {
                        unclear.note(
                            txid, at: listed[txid]?.height, because: UnclearParts.notFound)
                    }
                    continue
                }
                guard found.location == listed[txid] else {
                    unclear.note(
                        txid, at: listed[txid]?.height, because: UnclearParts.twoLocations)
                    continue
                }
                try await store(found, txid)
            }
            steps.finish(part.count)
        }
        return true
    }

    /// Stores a transaction that the node sent.
    private mutating func store(
        _ found: SeenTransaction, _ txid: TransactionID
    ) async throws(ChainFailure) {
        fetched[txid] = (found.location, found.isLocked)
        try keep(found.transaction, txid)
        await cache.keep(found.transaction, txid)
    }

    private mutating func keep(
        _ transaction: UTXOTransaction, _ txid: TransactionID
    ) throws(ChainFailure) {
        guard transactions.updateValue(transaction, forKey: txid) == nil else { return }
        bytes += transaction.serialized().count
        guard bytes <= limits.bytes else {
            throw ChainFailure(
                .tooLong, "the node names transactions of more than \(limits.bytes) bytes")
        }
    }

    /// Throws if another transaction of this scan spends one of the same outputs.
    private mutating func checkConflicts(
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
        guard let txid = TransactionID(displayed: displayed), let found = fetched[txid],
            found.location != .abandoned, !unclear.contains(txid)
        else { return nil }
        return .init(txid: displayed, height: found.location.height, locked: found.isLocked)
    }
}

/// The transactions and entries of a scan that were not understood.
private struct UnclearParts {
    private var reasons: [TransactionID: (reason: String, height: UInt64?)] = [:]
    private var entries: [SetAside] = []
    private var named: Set<TransactionID> = []
    private var heights: [TransactionID: UInt64] = [:]
    private var untaken: Set<TransactionID> = []

    static let twoLocations = "the node says of one transaction that it is in two places"
    static let notFound = "the node does not find a transaction that it lists in a block"

    func contains(_ txid: TransactionID) -> Bool { reasons[txid] != nil }

    /// Whether an entry that was not understood names a transaction.
    func wasNamed(_ txid: TransactionID) -> Bool { named.contains(txid) }

    /// Takes over where the transactions are that are set aside already; returns their ids.
    mutating func start(with known: [SetAside]) -> Set<TransactionID> {
        var ids: Set<TransactionID> = []
        for item in known {
            guard let txid = item.txid.flatMap({ TransactionID(displayed: $0) }) else { continue }
            ids.insert(txid)
            heights[txid] = item.height
        }
        return ids
    }

    mutating func note(_ txid: TransactionID, at height: UInt64? = nil, because reason: String) {
        if reasons[txid] == nil { reasons[txid] = (reason, height ?? heights[txid]) }
    }

    mutating func note(_ entry: CoreCalls.UnclearEntry) {
        guard let txid = entry.txid else {
            return entries.append(
                SetAside(
                    .listing, address: entry.address, height: entry.height, because: entry.reason))
        }
        heights[txid] = heights[txid] ?? entry.height
        if named.insert(txid).inserted { untaken.insert(txid) }
    }

    /// The transactions that unclear entries name, each once.
    mutating func takeNamed() -> [TransactionID] {
        defer { untaken = [] }
        return untaken.sorted()
    }

    /// All parts; throws if there are so many that the answer is not usable.
    func parts() throws(ChainFailure) -> [SetAside] {
        let transactions = reasons.map { txid, found in
            SetAside(
                .transaction, txid: txid.displayed, height: found.height, because: found.reason)
        }
        let parts = (transactions + entries).inOrder
        guard parts.count <= SetAside.limit else {
            throw ChainFailure(
                .invalidAnswer,
                "more than \(SetAside.limit) parts of the answer are not understood: "
                    + (parts.first?.sentence ?? ""))
        }
        return parts
    }
}

extension ChainSnapshot {
    /// Adds a transaction's outputs to some scripts, and its spends, with a proof if they are ours.
    fileprivate mutating func add(
        _ transaction: UTXOTransaction, _ txid: TransactionID, height: UInt64?,
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

/// The addresses to scan beyond those that a wallet watches already (BIP 44's gap limit).
///
/// A wallet watches some unused addresses of each branch, twenty unless it says more. When one of
/// them turns out to be used, further addresses are scanned in the same pass, each time twice as
/// many, so that restoring a wallet with a long history takes few steps. Payments beyond a gap of
/// unused addresses are not found.
struct AddressesAhead {
    /// All addresses that were returned by `next`.
    private(set) var asked: [ChainQuery.Watched] = []
    /// Whether the limit kept addresses from being scanned.
    private(set) var isCutShort = false

    private var branches: [Progress]
    private var left: Int

    private struct Progress {
        let branch: ChainQuery.Branch
        var indices: [String: UInt32]
        /// The first index that has not been scanned.
        var end: UInt64
        var step: UInt64
        /// The index after the last used one.
        var afterUsed: UInt64 = 0
    }

    /// Starts behind the watched addresses of the branches; returns at most `most` addresses.
    init(_ branches: [ChainQuery.Branch], most: Int) {
        left = most
        self.branches = branches.map {
            Progress(
                branch: $0,
                indices: Dictionary($0.unused.map { ($0.address, $0.index) }) { _, last in last },
                end: UInt64($0.next), step: $0.gap)
        }
    }

    /// The addresses to scan next, now that these are known to be used.
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
        let needed = progress.afterUsed + progress.branch.gap
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
