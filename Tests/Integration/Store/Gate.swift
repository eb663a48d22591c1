import DaybookSystem
import Synchronization

@testable import Daybook

/// Holds a store's writer back until all that a test wants in one commit wait for it.
final class Gate: Sendable {
    /// The work that waits while the gate is closed; nil while it is open.
    private let held = Mutex<[WorkThread.Work]?>(nil)

    @Sendable func run(_ work: @escaping WorkThread.Work) {
        let isOpen = held.withLock { held in
            held?.append(work)
            return held == nil
        }
        // A thread for each, so that no writer of a store waits for another.
        if isOpen { WorkThread().run(work) }
    }

    func close() { held.withLock { $0 = $0 ?? [] } }

    func open() {
        let works = held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        for work in works { WorkThread().run(work) }
    }
}

extension Store {
    /// Starts a task for each item, all of which share the first commit, and waits for all.
    func together<Item: Sendable, Value: Sendable>(
        _ items: [Item], through gate: Gate,
        _ body: @escaping @Sendable (Store, Item) async throws -> Value
    ) async -> [Result<Value, any Error>] {
        gate.close()
        var tasks: [Task<Value, any Error>] = []
        for item in items {
            tasks.append(Task { try await body(self, item) })
            // Each stands behind the one before it.
            await waitForWriters(tasks.count)
        }
        gate.open()
        var results: [Result<Value, any Error>] = []
        for task in tasks { results.append(await task.result) }
        return results
    }

    /// Comes back when so many tasks wait for a commit that has not begun.
    func waitForWriters(_ count: Int) async {
        await waitUntil { journal.commits.waiting >= count }
    }
}

/// Comes back when a condition holds, or when the test's time is over.
nonisolated(nonsending) func waitUntil(_ holds: () -> Bool) async {
    while !holds(), !Task.isCancelled { await Task.yield() }
}
