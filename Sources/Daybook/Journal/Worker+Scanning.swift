import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookNodes
import DaybookSystem

/// A task's wish for a scan of a chain; tasks that wait at the same time share one scan.
struct ScanRequest {
    /// Contracts of which the wallets may hold tokens for the first time.
    var tokens: [String] = []
    var progress: ChainProgress?
}

/// The part of the state from which the question of a scan to its node was made.
struct KnownQuery: Sendable {
    let query: ChainQuery
    private let chainID: ChainID
    private let point: LogPoint

    /// The query of a state, after an earlier one of the same scan.
    init(
        of chainID: ChainID, in state: borrowing State, at point: LogPoint,
        after earlier: ChainQuery? = nil
    ) {
        let (chain, network) = (chainID.chain, chainID.network)
        let query = ChainQuery(chain, network, in: state, listsBranches: false)
        self.query = if let earlier {
            query.leavingOut(signedSince: earlier, chain, network, in: state)
        } else {
            query
        }
        (self.chainID, self.point) = (chainID, point)
    }

    /// Whether nothing was recorded since that changes it.
    func isStill(in state: State, at point: LogPoint) -> Bool {
        point == self.point
            || KnownQuery(of: chainID, in: state, at: point, after: query).query == query
    }
}

/// A node's complete answer, with its comparison with the outputs of one state.
struct ComparedSnapshot: Sendable {
    /// A change of the answer drops the comparison.
    var snapshot: ChainSnapshot { didSet { compared = nil } }
    private var compared: (outputs: OutputChanges, point: LogPoint)?

    init(_ snapshot: ChainSnapshot, with state: State, at point: LogPoint) {
        self.snapshot = snapshot
        compared = (snapshot.outputChanges(from: state), point)
    }

    /// The outputs in which the answer differs from a state; `point` is nil if that is unrecorded.
    func outputs(from state: State, at point: LogPoint?) -> OutputChanges {
        if let compared, compared.point == point { return compared.outputs }
        return snapshot.outputChanges(from: state)
    }
}

extension Worker {
    /// Compares a snapshot with a state; `point` is nil if the state is not recorded.
    typealias Compare =
        @Sendable (State, _ point: LogPoint?, _ now: UInt64) -> [ChainObserved]

    /// Asks a chain about everything that its wallets depend on, and records what has changed.
    ///
    /// A payment to one of the last derived addresses derives more addresses, which are scanned as
    /// well. A scan is limited in rounds and time: the result is true if there is more to ask, and
    /// the next scan continues.
    @discardableResult
    func scan(_ chainID: ChainID, _ request: ScanRequest = ScanRequest()) async throws -> Bool {
        guard let client = try nodes.client(of: chainID) else { return false }
        do {
            return try await activeRequests.scans(of: chainID).join(request) { requests in
                await scan(chainID, client, for: requests)
            }.get()
        } catch is CancellationError where !Task.isCancelled {
            return try await scan(chainID, request)
        }
    }

    /// Scans once for all tasks that wait; the first one's task does it.
    private func scan(
        _ chainID: ChainID, _ client: any ChainClient, for requests: [ScanRequest]
    ) async -> [Result<Bool, any Error>] {
        do {
            let listeners = requests.compactMap(\.progress)
            let isMoreLeft = try await scan(
                chainID, client, tokens: requests.flatMap(\.tokens)
            ) { done, all in
                for progress in listeners { progress(done, all) }
            }
            return requests.map { _ in .success(isMoreLeft) }
        } catch {
            // If the first task was cancelled, the others have to scan again for themselves.
            let others: any Error = Task.isCancelled ? CancellationError() : error
            return requests.indices.map { .failure($0 == 0 ? error : others) }
        }
    }

    private func scan(
        _ chainID: ChainID, _ client: any ChainClient, tokens: [String],
        progress: @escaping ChainProgress
    ) async throws -> Bool {
        let start = clock()
        var (rounds, overtaken) = (0, 0)
        var asked: ChainQuery.Subjects?
        var last: ChainQuery?
        while true {
            let (known, question) = try journal.recorded(.published) { [last, asked] state, log in
                let known = KnownQuery(of: chainID, in: state, at: log.point, after: last)
                var query = known.query
                query.tokens += tokens.filter { !query.tokens.contains($0) }
                if let asked, query.subjects.areAmong(asked) { return (known, ChainQuery?.none) }
                query.branches = ChainQuery.branches(chainID.chain, chainID.network, in: state)
                return (known, query)
            }
            last = known.query
            guard var query = question else { return false }
            let now = clock()
            if rounds == Self.roundLimit || now > start + Self.timeLimit { return true }
            rounds += 1
            query.skipUnused(asked: asked)
            let heldLocks = HeldSendLocks(sendLock)
            defer { heldLocks.end() }
            let complete = try await completeSnapshot(
                of: client, query, ifStill: known, heldLocks, progress)
            let snapshot = complete.snapshot
            probe?("scanned")
            let recording = try await record(snapshot, ifStill: known) { state, point, now in
                snapshot.changes(
                    from: state, forRequest: false, at: now,
                    outputs: complete.outputs(from: state, at: point))
            }
            if recording == .overtaken {
                overtaken += 1
                guard overtaken < Self.overtakenLimit else { throw Self.overtaken }
                continue
            }
            let subjects = query.subjects.adding(scripts: snapshot.ahead)
            asked = asked?.adding(subjects) ?? subjects
            probe?("changes recorded")
            if snapshot.isCutShort { return true }
            // Where nothing was recorded, the next question would be the same.
            if recording == .nothing, known.query.subjects.areAmong(subjects) { return false }
        }
    }

    /// Rounds in one scan. Each finds payments to at most 20 more addresses of a branch, so that a
    /// node that invents a payment to every new address can't keep the scan going.
    private static let roundLimit = 30
    /// No round begins later than this after the scan began, in microseconds.
    private static let timeLimit: UInt64 = 120_000_000

    /// How many times in a row other processes may overtake an answer.
    static let overtakenLimit = 10

    static var overtaken: ChainFailure {
        ChainFailure(
            .unsettled,
            "other scans of the chain were recorded during each of \(overtakenLimit) attempts")
    }

    /// The times of the blocks of which a snapshot says something new; nil if there are none.
    ///
    /// A time that is not understood is set aside. If the node does not answer at all, the scan
    /// fails, because a time that is not recorded with its block never is.
    func blockTimes(
        of snapshot: ChainSnapshot, by client: any ChainClient
    ) async throws -> BlockTimes? {
        let blocks = try journal.recorded(.published) { state, _ in
            snapshot.untimedBlocks(in: state)
        }
        if blocks.isEmpty { return nil }
        return try await client.times(
            of: blocks, below: .init(height: snapshot.height, hash: snapshot.tip))
    }

    // MARK: - Recording

    /// The result of recording a snapshot.
    enum Recording { case nothing, changes, overtaken }

    /// Records the changes that a snapshot shows, unless the snapshot was overtaken.
    ///
    /// `known` is what the query was made from. If another process has recorded a newer
    /// snapshot or sent a payment since, the older snapshot would undo that: what it lacks would
    /// seem to be gone. A snapshot that changes nothing does not wait for the writer.
    func record(
        _ snapshot: ChainSnapshot, ifStill known: KnownQuery, request: RequestID? = nil,
        _ compare: @escaping Compare
    ) async throws -> Recording {
        let start = clock()
        let (found, point) = try journal.recorded(.published) { state, log in
            let isStill = known.isStill(in: state, at: log.point)
            return (isStill ? compare(state, log.point, start) : nil, log.point)
        }
        guard let found else { return .overtaken }
        if found.isEmpty { return .nothing }
        do {
            try await journal.record { state, now, present in
                guard known.isStill(in: state, at: present) else { throw Overtaken() }
                // Mostly nothing else was recorded since they were compared.
                let changes = point == present ? found : compare(state, present, now)
                return Self.inputs(changes, request, passesLeft: snapshot.ahead.count) {
                    compare($0, nil, now)
                }
            }
        } catch is Overtaken {
            return .overtaken
        }
        return .changes
    }

    /// The inputs for changes, and then for what a snapshot says more.
    ///
    /// Recorded changes can derive addresses, twenty at a time, about which the snapshot says more.
    /// The scripts that it asked ahead of the state limit the passes.
    private static func inputs(
        _ changes: [ChainObserved], _ request: RequestID?, passesLeft: Int,
        _ compare: @escaping @Sendable (State) -> [ChainObserved]
    ) -> [Journal.Input] {
        let more: @Sendable (State) -> [Journal.Input] = { state in
            inputs(compare(state), request, passesLeft: passesLeft - 1, compare)
        }
        return changes.enumerated().map { index, data in
            let isLast = index == changes.count - 1
            return Journal.Input(
                .chainObserved(data), request: request.map { .at($0) } ?? .none, actor: .node,
                then: isLast && passesLeft > 0 ? more : nil)
        }
    }

    /// Another process has recorded what changes the question of a snapshot.
    private struct Overtaken: Error {}

    // MARK: - Sending again

    /// Asks a node, and sends again those of our transactions that its answer lacks.
    ///
    /// They are sent together, parents first, and then the node is asked once more. Its new answer
    /// can show that a further transaction is missing, which is sent then. A transaction that
    /// another task is sending, or whose state has changed meanwhile, is left alone.
    ///
    /// About a recorded transaction of a block that the answer lacks, the node is asked by its id
    /// as well: a node that has it there contradicts itself, and the client then throws.
    func completeSnapshot(
        of client: any ChainClient, _ query: ChainQuery, ifStill known: KnownQuery,
        _ heldLocks: HeldSendLocks, _ progress: ChainProgress?
    ) async throws -> ComparedSnapshot {
        var query = query
        var timesDoubted = 0
        var signed: [Bytes: TransactionSigned] = [:]
        var replies: [Bytes: BroadcastAnswered.Answer] = [:]
        while true {
            let snapshot = try await client.observe(query, progress: progress)
            let (compared, missing, leftOut) = try journal.recorded(.published) {
                [query] state, log in
                if let unproven = snapshot.unprovenSpend(in: state) {
                    throw ChainFailure(unproven: unproven)
                }
                let complete = ComparedSnapshot(snapshot, with: state, at: log.point)
                let outputs = complete.outputs(from: state, at: log.point)
                let missing = snapshot.missing(in: state, to: query, outputs)
                for transaction in missing where signed[transaction.txid] == nil {
                    signed[transaction.txid] = try log.signed(
                        by: transaction.request, transaction.txid)
                }
                return (complete, missing, snapshot.leftOut(in: state, of: query, outputs))
            }
            let unsent = try missing.filter { transaction in
                try replies[transaction.txid] == nil && heldLocks.take(of: transaction.request)
            }.compactMap { signed[$0.txid] }
            let sent = try await sendAgain(unsent, to: client, ifStill: known)
            for transaction in missing {
                guard let reply = sent[transaction.txid] else { continue }
                activeRequests.note(reply, of: transaction.request)
                replies[transaction.txid] = reply.answer
            }
            if sent.values.contains(where: { $0.answer == .accepted }) { continue }
            if !leftOut.isEmpty {
                guard timesDoubted < Self.doubtLimit else { throw Self.leavesOutOthers }
                timesDoubted += 1
                query.transactions += leftOut
                continue
            }
            var complete = compared
            for transaction in missing {
                guard let signed = signed[transaction.txid] else { continue }
                let isExcluded = try journal.recorded(.published) { [complete] state, _ in
                    complete.snapshot.excludes(signed, in: state)
                }
                if replies[transaction.txid] == .refused || isExcluded {
                    complete.snapshot.drop(transaction)
                } else {
                    complete.snapshot.hold(signed)
                }
            }
            if let times = try await blockTimes(of: complete.snapshot, by: client) {
                complete.snapshot.add(times, at: clock())
            }
            return complete
        }
    }

    /// How many times in a row a node's answer may lack recorded transactions of blocks.
    private static let doubtLimit = 3

    private static var leavesOutOthers: ChainFailure {
        ChainFailure(
            .omission, "each answer of the node leaves out other transactions that it had before")
    }

    /// Sends transactions again; returns the node's answers by transaction id.
    private func sendAgain(
        _ transactions: [TransactionSigned], to client: any ChainClient,
        ifStill known: KnownQuery
    ) async throws -> [Bytes: BroadcastAnswered] {
        if transactions.isEmpty { return [:] }
        // Their sending is locked now, but somebody may have rejected one before.
        let payments = try journal.recorded(.asWriter) { state, log in
            known.isStill(in: state, at: log.snapshot.point) ? log.payments(transactions) : nil
        }
        guard let payments else { return [:] }
        let answers = await client.send(payments)
        probe?("sent again")
        return Dictionary(
            answers.map { ($0.txid, $0.answer) }, uniquingKeysWith: { first, _ in first })
    }
}
