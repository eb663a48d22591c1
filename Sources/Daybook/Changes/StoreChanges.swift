public import DaybookEncoding

extension Store {
    /// The changes after an event, and then each new one, of this and of other processes.
    ///
    /// For example, a list that is always up to date:
    ///
    ///     for try await change in store.changes() {
    ///         if change.changes.contains(where: { $0.what == .request }) {
    ///             show(try await store.pending())
    ///         }
    ///     }
    ///
    /// Without a position, it begins now. None is lost: whoever was away continues after the last
    /// position that it saw, and a slow reader gets several changes as one. Cancel the reading task
    /// to end it; it also ends with the store. Any number of tasks may read.
    ///
    /// `unlock` and `lock` are no events, so their changes have no position of their own: whoever
    /// continues after a position is told of all wallets that this process has unlocked or locked,
    /// and after a restart of the process no wallet is unlocked.
    public nonisolated func changes(after position: Position? = nil) -> StoreChanges {
        StoreChanges(feed, from: position?.next)
    }

    /// The changes of all events from a position on.
    ///
    /// If `includingSilent`, events without a change are handed out as well, with no changes.
    package nonisolated func changes(
        from next: Position, includingSilent: Bool = false
    ) -> StoreChanges {
        StoreChanges(feed, from: next, includingSilent: includingSilent)
    }

    /// The position of the last event; nil for a log without events.
    ///
    /// - Throws: `storeDamaged`.
    public nonisolated func lastPosition() throws(DaybookError) -> Position? {
        do {
            let count = try feed.count() ?? 0
            return count == 0 ? nil : Position(count - 1)
        } catch {
            throw DaybookError.from(error)
        }
    }
}

/// A store's changes as a sequence without an end; see `Store.changes(after:)`.
public struct StoreChanges: AsyncSequence, Sendable {
    /// The changes of some events.
    public typealias Element = StoreChange
    /// A failure to read the log.
    public typealias Failure = DaybookError

    private let feed: ChangeFeed
    private let start: Result<Position, DaybookError>
    private let seenUnlocking: UInt64
    private let includesSilent: Bool

    /// The sequence from a position on; nil is the end of the log as it is now.
    init(_ feed: ChangeFeed, from next: Position?, includingSilent: Bool = false) {
        self.feed = feed
        includesSilent = includingSilent
        seenUnlocking = next == nil ? feed.lastUnlocking : 0
        start = Result { () throws(DaybookError) in
            if let next { return next }
            do {
                return Position(try feed.count() ?? 0)
            } catch {
                throw DaybookError.from(error)
            }
        }
    }

    /// Begins to read; every iterator reads all changes.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            subscription: ChangeSubscription(feed), next: start, seenUnlocking: seenUnlocking,
            includesSilent: includesSilent)
    }

    /// Reads the changes one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: ChangeSubscription
        fileprivate var next: Result<Position, DaybookError>
        fileprivate var seenUnlocking: UInt64
        fileprivate let includesSilent: Bool

        /// Waits for the next change; nil if the task is cancelled or the store is gone.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DaybookError) -> StoreChange? {
            var position = try next.get()
            while !Task.isCancelled {
                let unlockings = subscription.feed.unlockings(after: seenUnlocking)
                let batch = try await read(from: position)
                if batch == nil, unlockings.changes.isEmpty {
                    if subscription.feed.isClosed { return nil }
                    await subscription.feed.wait(
                        for: position, orUnlockingAfter: seenUnlocking)
                    continue
                }
                seenUnlocking = unlockings.last
                position = batch?.next ?? position
                next = .success(position)
                let events = batch?.changes ?? []
                let changes = events + unlockings.changes.filter { !events.contains($0) }
                if includesSilent || !changes.isEmpty {
                    // Only a wallet of the log is unlocked: there is an event before this position.
                    let number = position.number
                    return StoreChange(
                        position: Position(number == 0 ? 0 : number - 1), changes: changes)
                }
            }
            return nil
        }

        private func read(
            from position: Position
        ) async throws(DaybookError) -> ChangeFeed.Batch? {
            do {
                return try await subscription.feed.batch(from: position)
            } catch {
                throw DaybookError.from(error)
            }
        }
    }
}
