package import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// The part of a log that a report lists.
package struct ReportScope: Equatable, Sendable {
    /// The first moment of the period; nil for the log's beginning.
    package var from: UInt64?
    /// The first moment after the period; nil for the log's end.
    package var to: UInt64?
    /// The wallet, if only one is listed; it is chosen when the log has been read.
    package fileprivate(set) var wallet: WalletID?
    /// Whether events are listed, with their proofs.
    package var showsEvents = true

    package init() {}

    func isBefore(_ time: UInt64) -> Bool { from.map { time < $0 } ?? false }

    func isAfter(_ time: UInt64) -> Bool { to.map { time >= $0 } ?? false }

    func holds(_ wallet: WalletID) -> Bool { self.wallet.map { $0 == wallet } ?? true }
}

/// The facts about a log that a report needs before it is written.
package struct ReportIndex {
    package fileprivate(set) var scope: ReportScope
    let logID: Bytes
    /// The tree over all events.
    fileprivate(set) var head: TreeHead
    /// The state after the last event.
    fileprivate(set) var state: State
    /// When the first and the last event happened.
    fileprivate(set) var times: ClosedRange<UInt64>?
    /// The events of the period, all of which the log has in a row.
    fileprivate(set) var period: Range<Position>
    /// How many requests are listed, by their status.
    fileprivate(set) var statuses: [Standing.Status: Int] = [:]
    /// Payments that were sent and came to nothing: the event that says so, and why.
    fileprivate(set) var lost: [RequestID: (position: Position, loss: PaymentLoss)] = [:]
    fileprivate(set) var balances: [BalanceSeries] = []

    /// How many events there are.
    package var events: UInt64 { head.size }
    /// The root of the tree over all events.
    package var root: Bytes { head.root.bytes }
    /// How many requests are listed.
    package fileprivate(set) var requestCount = 0
    /// How many of their payments were sent and came to nothing.
    package var lostCount: Int { lost.count }

    /// The row of a request that the report lists.
    func listed(_ id: RequestID) -> RequestRow? {
        guard period.contains(id.position) else { return nil }
        if scope.wallet == nil { return state.request(id) }
        return state.request(id).flatMap { $0.wallet == scope.wallet ? $0 : nil }
    }
}

/// Reads a log once from its first event, and builds the index that a report is written from.
package struct ReportIndexer: ~Copyable {
    private var index: ReportIndex
    private var tree = TreeFold()
    private var series: [BalanceKey: Int] = [:]

    /// An indexer that folds the events into an empty state.
    package init(logID: Bytes, scope: ReportScope = ReportScope(), into state: State = State()) {
        let head = TreeHead(size: 0, root: .ofEmptyTree)
        index = ReportIndex(scope: scope, logID: logID, head: head, state: state, period: 0..<0)
        index.state.balances.trackReplaced()
    }

    /// Takes the next event.
    package mutating func feed(_ record: EventRecord) {
        tree.add(leaf: record.bytes)
        let last = max(record.time, index.times?.upperBound ?? 0)
        index.times = (index.times?.lowerBound ?? record.time)...last
        // An event of a damaged log can have an earlier time than those before it.
        if index.scope.isBefore(last) {
            index.period = record.id.next..<record.id.next
        } else if !index.scope.isAfter(last) {
            index.period = min(index.period.lowerBound, record.id.next)..<record.id.next
        }
        guard let event = try? record.event() else { return }
        index.state.evolve(event)
        noteLoss(event)
        for (key, _) in index.state.balances.takeReplaced() { note(key, event, last) }
    }

    /// The index of all events that were fed.
    package consuming func finish() -> ReportIndex { finish { _ in nil } }

    /// The index of all events that were fed; `wallet` chooses the only one to list, if any.
    package consuming func finish(
        listing wallet: (State) throws -> WalletID?
    ) rethrows -> ReportIndex {
        index.scope.wallet = try wallet(index.state)
        index.head = TreeHead(size: tree.size, root: tree.root())
        let (state, all) = (index.state, index.lost)
        index.lost = [:]
        for (id, lost) in all {
            guard let row = index.listed(id) else { continue }
            let isConflicted = lost.loss == .dropped && state.isConflicted(row)
            index.lost[id] = isConflicted ? (lost.position, .conflicted) : lost
        }
        state.requests.walk { id, row in
            if index.listed(id) != nil {
                index.statuses[state.status(of: row), default: 0] += 1
                index.requestCount += 1
            }
            return true
        }
        index.balances.removeAll { !index.scope.holds($0.key.first) }
        index.balances.sort { $0.key < $1.key }
        return index
    }

    /// Notes a payment that was lost, or one that was not lost after all.
    ///
    /// A dropped transaction may still be mined; a reorganization undoes a failure on the chain.
    private mutating func noteLoss(_ event: Event) {
        guard let id = event.request else { return }
        if case .transactionDropped = event.payload { index.lost[id] = (event.position, .dropped) }
        if case .transactionConfirmed(let data) = event.payload {
            index.lost[id] = data.failure == nil ? nil : (event.position, .failedOnChain)
        }
        if case .transactionReorganised = event.payload,
            index.lost[id]?.loss == .failedOnChain
        {
            index.lost[id] = nil
        }
    }

    private mutating func note(_ key: BalanceKey, _ event: Event, _ time: UInt64) {
        if index.scope.isAfter(time) { return }
        let place = series[key] ?? index.balances.count
        if place == index.balances.count {
            series[key] = place
            index.balances.append(BalanceSeries(of: key))
        }
        let balance = index.state.balances[key] ?? BalanceRow()
        if index.scope.isBefore(time) {
            index.balances[place].open(with: balance)
        } else {
            index.balances[place].add(balance, at: event.position, event.time)
        }
    }
}

/// A fault of a log that replaying or auditing it has found.
package struct ReportFinding: Equatable, Sendable {
    /// The event at fault; nil when the whole log is.
    package let position: Position?
    /// The rule that was broken, such as `replay`.
    package let rule: String
    package let message: String

    package init(position: Position?, rule: String, message: String) {
        self.position = position
        self.rule = rule
        self.message = message
    }
}

/// The findings about a log, and its unchecked parts.
package struct ReportFindings: Sendable {
    package let faults: [ReportFinding]
    /// The checked and the unchecked parts, in sentences.
    package let checked: [String]
    package let unchecked: [String]
    /// The sessions that were not judged; `unchecked` says so too.
    package let unjudged: UnjudgedSessions

    package init(
        _ faults: [ReportFinding], checked: [String], unchecked: [String],
        unjudged: UnjudgedSessions = UnjudgedSessions()
    ) {
        (self.faults, self.checked, self.unchecked) = (faults, checked, unchecked)
        self.unjudged = unjudged
    }
}
