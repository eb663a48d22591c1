package import DaybookSystem

/// The stores of many logs, opened when they are used, with a bounded number open at once.
///
/// A log has one store, whoever uses it. Of the logs that nobody uses, the one that was used least
/// recently is closed where another one needs its place, and each is closed after a while. A log
/// with a call, a subscription or an unlocked wallet stays open.
package final class OpenLogs: Sendable {
    /// How much is kept open, and for how long.
    package struct Limits: Sendable {
        /// How many logs are open at once.
        package var logs = 256
        /// How long a log that nobody uses stays open.
        package var idleSeconds: UInt64 = 300
        /// How long a call waits for a place where all open logs are in use.
        package var waitSeconds: UInt64 = 10

        package init() {}

        /// How many logs may be subscribed to; the other places are for calls.
        fileprivate var subscribed: Int { max(1, logs - logs / 4) }
    }

    /// A store, and what decides how long it is kept.
    struct Opened {
        let store: Store
        /// Whether this machine writes to the log, as far as it knows.
        let isWriter: Bool
        /// Says whether the log would be opened otherwise now, because it was taken over.
        let isOutdated: @Sendable () -> Bool
    }

    private struct Entry {
        enum Phase { case current, outdated, closing }

        var phase = Phase.current
        /// Nil while the store is opened or closed.
        var store: Store?
        var isOutdated: @Sendable () -> Bool = { false }
        var uses = 0
        var subscriptions = 0
        /// When it was used last, in microseconds of the monotonic clock.
        var lastUse: UInt64 = 0
        /// Those who wait until the store is open, or closed.
        var waiting: [Resumption] = []

        /// Whether nobody needs the store.
        var isUnused: Bool { phase != .closing && uses == 0 && store?.holdsKeys == false }

        /// Takes it upon the caller to close an unused store; false if somebody still has it.
        mutating func beginClosing() -> Bool {
            // A task that has just ended may not have let it go yet.
            guard isUnused, isKnownUniquelyReferenced(&store) else { return false }
            phase = .closing
            return true
        }
    }

    private typealias Resumption = CheckedContinuation<Claim, Never>

    private struct Waiter {
        let deadline: UInt64
        let resumption: Resumption
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// Those who wait for a place.
        var queue: [Waiter] = []
        /// Closes what is idle; exists while there are entries.
        var timer: FileWatch?
        /// The tasks that continue what a crash interrupted.
        var resuming: [String: Task<Void, Never>] = [:]
        var isOver = false
    }

    /// The answer to a call that wants to use a log.
    private enum Claim {
        /// The log is open.
        case use(Store)
        /// Open the log in its place.
        case open
        /// Close another log, and ask again.
        case close(String)
        /// Ask again, after having waited.
        case again
        /// All open logs are in use.
        case refused
    }

    /// The threads on which stores wait for the database.
    package let threads: TaskThreads
    /// The activity of all logs, for an operator.
    package let activity: StoreActivity
    private let limits: Limits
    private let open: @Sendable (String) throws -> Opened
    private let state = Monitor(State())

    init(
        _ limits: Limits, on threads: TaskThreads, activity: StoreActivity = StoreActivity(),
        open: @escaping @Sendable (String) throws -> Opened
    ) {
        self.limits = limits
        self.threads = threads
        self.activity = activity
        self.open = open
    }

    /// The number of logs that are open.
    package var count: Int { state.change { $0.entries.count } }

    /// The number of calls that wait for a place.
    var waiters: Int { state.change { $0.queue.count } }

    // MARK: - Using

    /// Opens a log unless it is open, and keeps it open for as long as the result lives.
    ///
    /// - Throws: what `open` throws; `tooManyLogs` if no place gets free in time.
    package func use(_ log: String) async throws -> LogUse {
        let deadline = Clock.monotonicMicroseconds() + limits.waitSeconds * 1_000_000
        var hasWaited = false
        while true {
            let claim = await withCheckedContinuation { resumption in
                let waiter = Waiter(deadline: deadline, resumption: resumption)
                let claim = state.change { state -> Claim? in
                    self.claim(log, for: waiter, hasWaited, &state)
                }
                if let claim { resumption.resume(returning: claim) }
            }
            switch claim {
            case .again:
                hasWaited = true
                continue
            case .close(let other): close(other)
            case .use(let store):
                if hasWaited { wakeNext() }
                let use = LogUse(store, of: log, in: self)
                if !renew(log) { return use }
            case .open:
                if hasWaited { wakeNext() }
                return try begin(log)
            case .refused:
                wakeNext()
                throw Self.tooManyLogs("\(limits.logs) logs are in use")
            }
        }
    }

    /// Takes or makes the entry of a log, or adds the waiter to those who wait.
    private func claim(
        _ log: String, for waiter: Waiter, _ hasWaited: Bool, _ state: inout State
    ) -> Claim? {
        if let entry = state.entries[log] {
            guard let store = entry.store, entry.phase == .current else {
                state.entries[log]?.waiting.append(waiter.resumption)
                return nil
            }
            state.entries[log]?.uses += 1
            return .use(store)
        }
        if hasWaited || state.queue.isEmpty {
            if state.entries.count < limits.logs {
                state.entries[log] = Entry()
                startTimer(&state)
                return .open
            }
            let unused = state.entries.lazy.filter { $0.value.isUnused }
                .min { $0.value.lastUse < $1.value.lastUse }?.key
            if let unused, state.entries[unused]?.beginClosing() == true { return .close(unused) }
        }
        guard Clock.monotonicMicroseconds() < waiter.deadline else { return .refused }
        state.queue.insert(waiter, at: hasWaited ? 0 : state.queue.endIndex)
        return nil
    }

    /// Opens a log whose entry was made.
    private func begin(_ log: String) throws -> LogUse {
        let opened: Opened
        do {
            opened = try open(log)
        } catch {
            remove(log)
            throw error
        }
        let waiting = state.change { state in
            defer { state.entries[log]?.waiting = [] }
            state.entries[log]?.store = opened.store
            state.entries[log]?.isOutdated = opened.isOutdated
            state.entries[log]?.uses = 1
            return state.entries[log]?.waiting ?? []
        }
        let use = LogUse(opened.store, of: log, in: self)
        for resumption in waiting { resumption.resume(returning: .again) }
        if opened.isWriter { resume(use) }
        return use
    }

    // MARK: - Closing

    /// Ends a use; called by `LogUse` when it holds the store no more.
    fileprivate func end(_ log: String, wasSubscribed: Bool) {
        let isOver = state.change { state in
            state.entries[log]?.uses -= 1
            if wasSubscribed { state.entries[log]?.subscriptions -= 1 }
            state.entries[log]?.lastUse = Clock.monotonicMicroseconds()
            guard state.entries[log]?.phase == .outdated else { return false }
            return state.entries[log]?.beginClosing() == true
        }
        if isOver { close(log) } else { wakeNext() }
    }

    /// Closes the store of an entry that nobody else may touch.
    private func close(_ log: String) {
        let store = state.change { $0.entries[log]?.store.take() }
        // This was the last reference to it: its files are closed before another opens them.
        _ = consume store
        remove(log)
    }

    /// Gives the place of a log to others.
    private func remove(_ log: String) {
        let (entry, timer) = state.change { state -> (Entry?, FileWatch?) in
            let entry = state.entries.removeValue(forKey: log)
            guard state.entries.isEmpty, state.queue.isEmpty else { return (entry, nil) }
            defer { state.timer = nil }
            return (entry, state.timer)
        }
        // It ends outside the lock.
        _ = timer
        for resumption in entry?.waiting ?? [] { resumption.resume(returning: .again) }
        wakeNext()
    }

    /// Wakes the one who has waited longest for a place.
    private func wakeNext() {
        let next = state.change { $0.queue.isEmpty ? nil : $0.queue.removeFirst() }
        next?.resumption.resume(returning: .again)
    }

    private func startTimer(_ state: inout State) {
        guard state.timer == nil else { return }
        state.timer = FileWatch(of: nil, orEvery: 1000) { [weak self] in self?.tick() }
    }

    /// Closes what has been idle for long, and wakes those who have waited too long.
    func tick() {
        let now = Clock.monotonicMicroseconds()
        let (idle, late) = state.change { state in
            let due = state.entries.filter { _, entry in
                let end = entry.lastUse + limits.idleSeconds * 1_000_000
                return entry.isUnused && (entry.phase == .outdated || end < now)
            }.keys.sorted()
            let idle = due.filter { state.entries[$0]?.beginClosing() == true }
            let late = Array(state.queue.prefix { $0.deadline <= now })
            state.queue.removeFirst(late.count)
            return (idle, late)
        }
        for log in idle { close(log) }
        for waiter in late { waiter.resumption.resume(returning: .again) }
        wakeNext()
    }

    // MARK: - Uses

    /// Opens a log anew as soon as nobody uses it, if it was taken over since it was opened.
    ///
    /// Subscriptions end, so that they begin again on what is opened then.
    private func renew(_ log: String) -> Bool {
        guard state.change({ $0.entries[log]?.isOutdated })?() == true else { return false }
        let store = state.change { state -> Store? in
            state.entries[log]?.phase = .outdated
            return state.entries[log]?.store
        }
        store?.endSubscriptions()
        return true
    }

    /// Counts a use as a subscription.
    ///
    /// - Throws: `tooManyLogs`, so that places are left for the calls of others.
    fileprivate func subscribe(_ log: String) throws {
        let isRoom = state.change { state in
            let others = state.entries.count { $0.key != log && $0.value.subscriptions > 0 }
            guard others < limits.subscribed else { return false }
            state.entries[log]?.subscriptions += 1
            return true
        }
        if !isRoom { throw Self.tooManyLogs("\(limits.subscribed) logs have subscriptions") }
    }

    private static func tooManyLogs(_ reason: String) -> DaybookError {
        DaybookError(.tooManyLogs, .node, "\(reason), as many as may; try again later")
    }

    /// Continues what a crash interrupted in a log, and stores what was computed of it, beside the
    /// calls.
    private func resume(_ use: LogUse) {
        state.change { state in
            guard !state.isOver else { return }
            state.resuming[use.log] = Task(executorPreference: threads) {
                try? await use.store.resume()
                await use.store.storeDerived()
                self.state.change { $0.resuming[use.log] = nil }
            }
        }
    }

    /// Ends what was begun beside the calls.
    package func stop() async {
        let resuming = state.change { state in
            state.isOver = true
            return Array(state.resuming.values)
        }
        for task in resuming { task.cancel() }
        for task in resuming { await task.value }
    }
}

/// A log's store, which stays open for as long as this value lives.
package final class LogUse: Sendable {
    let log: String
    private let logs: OpenLogs
    private let held: Monitor<(store: Store?, isSubscribed: Bool)>

    fileprivate init(_ store: Store, of log: String, in logs: OpenLogs) {
        self.log = log
        self.logs = logs
        held = Monitor((store, false))
    }

    deinit {
        let isSubscribed = held.change { held in
            held.store = nil
            return held.isSubscribed
        }
        logs.end(log, wasSubscribed: isSubscribed)
    }

    /// The store.
    package var store: Store {
        guard let store = held.change({ $0.store }) else {
            preconditionFailure("a use has its store until it ends")
        }
        return store
    }

    /// Says that the use is one by a subscription, which may last.
    ///
    /// - Throws: `tooManyLogs` if too many logs have subscriptions.
    package func subscribe() throws {
        if held.change({ $0.isSubscribed }) { return }
        try logs.subscribe(log)
        held.change { $0.isSubscribed = true }
    }
}
