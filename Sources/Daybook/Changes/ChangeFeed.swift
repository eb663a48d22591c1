import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

/// Wakes a store's subscribers when its log has grown, and reads the changes for them.
///
/// Subscribers pull: each has a position of its own and reads behind it, so that nothing is lost or
/// kept for a slow one. Commits of this process wake them at once, those of other processes through
/// a watch of the log, which exists while somebody subscribes.
final class ChangeFeed: Sendable {
    /// The changes of some events.
    struct Batch {
        let changes: [StoreChange.Change]
        /// The position after the last of the events.
        let next: Position
    }

    private struct Waiting {
        /// Nil once the store is gone, so that no subscriber keeps its files open.
        var log: EventLog?
        /// The number of events that is known of.
        var count: UInt64 = 0
        var subscribers = 0
        var watch: (any Sendable)?
        var waiters: [UInt64: Waiter] = [:]
        var lastID: UInt64 = 0
        /// The wallets that this process has unlocked or locked, each with the number of the time.
        var unlockings: [WalletID: UInt64] = [:]
        var lastUnlocking: UInt64 = 0
    }

    private struct Waiter {
        let position: Position
        let resumption: CheckedContinuation<Void, Never>
    }

    /// The last batch, which all subscribers at its position share.
    private struct Reader {
        var last: (from: Position, batch: Batch)?
    }

    private let waiting: Monitor<Waiting>
    private let reader = Monitor(Reader())

    /// A feed of a log.
    init(_ log: EventLog) {
        waiting = Monitor(Waiting(log: log))
    }

    /// Ends all subscriptions, because the store is gone.
    func close() {
        let (waiters, watch) = waiting.change { waiting in
            defer { (waiting.log, waiting.waiters, waiting.watch) = (nil, [:], nil) }
            return (Array(waiting.waiters.values), waiting.watch)
        }
        _ = watch
        reader.change { $0 = Reader() }
        for waiter in waiters { waiter.resumption.resume() }
    }

    /// Whether the store is gone.
    var isClosed: Bool { waiting.change { $0.log == nil } }

    /// The number of subscribers that wait for an event.
    var waiters: Int { waiting.change { $0.waiters.count } }

    // MARK: - Growth

    /// The number of events in the log; nil once the store is gone.
    func count() throws -> UInt64? {
        try waiting.change { $0.log }?.count()
    }

    /// Wakes the subscribers that waited for what this process has committed.
    func noteCommit() { noteGrowth(.published) }

    /// Looks whether the log has grown, unless told, and wakes the subscribers that waited for it.
    func noteGrowth(to known: UInt64? = nil) { noteGrowth(to: known, .askedNow) }

    private func noteGrowth(to known: UInt64? = nil, _ freshness: LogFreshness) {
        guard let log = waiting.change({ $0.subscribers > 0 ? $0.log : nil }) else { return }
        // If the log can't be read, all wake: each finds the error when it reads.
        let count = known ?? (try? log.count(freshness))
        let woken = waiting.change { waiting in
            waiting.count = max(waiting.count, count ?? 0)
            let woken = waiting.waiters.filter { waiter in
                count.map { waiter.value.position.number < $0 } ?? true
            }
            for id in woken.keys { waiting.waiters[id] = nil }
            return Array(woken.values)
        }
        for waiter in woken { waiter.resumption.resume() }
    }

    /// Waits until there is an event at a position or an unlocking after one, the task is cancelled
    /// or the store is gone.
    func wait(for position: Position, orUnlockingAfter unlocking: UInt64) async {
        let id = waiting.change { waiting in
            waiting.lastID += 1
            return waiting.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { resumption in
                let isOver = waiting.change { waiting in
                    if waiting.log == nil || position.number < waiting.count
                        || unlocking < waiting.lastUnlocking
                    {
                        return true
                    }
                    waiting.waiters[id] = Waiter(position: position, resumption: resumption)
                    return false
                }
                if isOver { return resumption.resume() }
                // The task may have been cancelled before it waited.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: UInt64) {
        let waiter = waiting.change { $0.waiters.removeValue(forKey: id) }
        waiter?.resumption.resume()
    }

    // MARK: - Unlocking

    /// The number of the last time that a wallet was unlocked or locked in this process.
    var lastUnlocking: UInt64 { waiting.change { $0.lastUnlocking } }

    /// Tells subscribers that a wallet was unlocked or locked, which no event records.
    func noteUnlocking(of wallet: WalletID) {
        let waiters = waiting.change { waiting in
            waiting.lastUnlocking += 1
            waiting.unlockings[wallet] = waiting.lastUnlocking
            defer { waiting.waiters = [:] }
            return Array(waiting.waiters.values)
        }
        for waiter in waiters { waiter.resumption.resume() }
    }

    /// The wallets that were unlocked or locked after a number, as changes, and the last number.
    func unlockings(after number: UInt64) -> (changes: [StoreChange.Change], last: UInt64) {
        waiting.change { waiting in
            let wallets = waiting.unlockings.filter { $0.value > number }.keys.sorted()
            return (wallets.map { .init(.wallet, wallet: $0) }, waiting.lastUnlocking)
        }
    }

    // MARK: - Subscribers

    /// Counts a subscriber; the first one starts the watch.
    fileprivate func begin() {
        let isFirst = waiting.change { waiting in
            waiting.subscribers += 1
            return waiting.subscribers == 1
        }
        guard isFirst else { return }
        guard let log = waiting.change({ $0.log }) else { return }
        let watch = log.watch { [weak self] in self?.noteGrowth(to: $0) }
        waiting.change { waiting in
            if waiting.log != nil, waiting.subscribers > 0 { waiting.watch = watch }
        }
        // Events of other processes may have come before the watch did.
        noteGrowth()
    }

    /// The last subscriber ends the watch.
    fileprivate func end() {
        let watch: (any Sendable)? = waiting.change { waiting in
            waiting.subscribers -= 1
            guard waiting.subscribers == 0 else { return nil }
            defer { waiting.watch = nil }
            return waiting.watch
        }
        guard watch != nil else { return }
        reader.change { $0 = Reader() }
    }

    // MARK: - Reading

    /// The changes of the events from a position on; nil if there are none or the store is gone.
    ///
    /// A batch has a bounded number of events.
    @concurrent func batch(from next: Position) async throws -> Batch? {
        let (log, told) = waiting.change { ($0.log, $0.count) }
        guard let log else { return nil }
        let batch = try reader.change { reader -> Batch? in
            if let last = reader.last, last.from == next { return last.batch }
            // The log is asked only if others have appended what was told of.
            let isKnown = try log.count(.published) >= told
            let batch = try log.read(isKnown ? .published : .askedNow) {
                try Self.batch(from: next, in: $0)
            }
            if let batch { reader.last = (next, batch) }
            return batch
        }
        if batch == nil {
            // Fewer events than were told of, as after a fail-over: without this nobody would wait.
            waiting.change { waiting in
                if waiting.count == told { waiting.count = min(told, next.number) }
            }
        }
        return batch
    }

    private static func batch(from next: Position, in log: LogSnapshot) throws -> Batch? {
        let records = try log.records(from: next.number, limit: batchSize)
        guard let last = records.last else { return nil }
        let state = log.state
        var changes: [StoreChange.Change] = []
        var seen: Set<StoreChange.Change> = []
        for record in records {
            guard let event = try record.event() else { continue }
            for change in EventChanges.of(event, in: state) where seen.insert(change).inserted {
                changes.append(change)
            }
        }
        if let damage = state.damage { throw JournalRules.damaged(damage) }
        return Batch(changes: changes, next: last.id.next)
    }

    private static let batchSize = 256
}

/// One subscriber of a feed, counted for as long as this value lives.
final class ChangeSubscription: Sendable {
    let feed: ChangeFeed

    init(_ feed: ChangeFeed) {
        self.feed = feed
        feed.begin()
    }

    deinit { feed.end() }
}
