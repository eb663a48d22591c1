import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// A store that C code has open: its calls in progress, and its subscriptions.
final class OpenStore: Sendable {
    private struct Activity {
        var calls = 0
        var subscriptions: [UInt64: Subscription] = [:]
        var last: UInt64 = 0
        var isClosed = false
    }

    private let front: Front
    private let activity = Monitor(Activity())
    /// Runs the callbacks of all subscriptions, one at a time.
    private let callbacks = CallbackThread()

    var home: String { front.home }

    init(_ home: String, frontEnd: String) throws {
        front = try Front(opening: home, frontEnd: frontEnd)
    }

    /// Performs a request on a task, while this thread waits.
    func call(_ request: WipedBytes) throws(CommandFailure) -> CallAnswer {
        try begin()
        defer { activity.change { $0.calls -= 1 } }
        let answer = Monitor<CallAnswer?>(nil)
        let front = front
        Task {
            let reply = await front.call(request)
            answer.change { $0 = reply }
        }
        return answer.change(when: { $0 != nil }) { answer in
            defer { answer = nil }
            return answer ?? CallAnswer(failure: .usage("the answer is there"))
        }
    }

    /// Calls back for the changes of all events from a position on, or from now on.
    func subscribe(from next: Position?, _ callback: ChangeCallback) throws -> UInt64 {
        let end = try front.store.lastPosition()?.next ?? 0
        let next = next ?? end
        guard next <= end else {
            throw CommandFailure("unknownPosition", .refused, "the log has only \(end) events")
        }
        let changes = front.store.changes(from: next)
        let number = try activity.change { activity throws(CommandFailure) in
            if activity.isClosed { throw Self.closed }
            activity.last += 1
            activity.subscriptions[activity.last] = Subscription(
                activity.last, changes, callback, on: callbacks)
            return activity.last
        }
        return number
    }

    /// Ends a subscription, and waits until its callback has returned.
    func unsubscribe(_ number: UInt64) throws(CommandFailure) {
        guard let found = activity.change({ $0.subscriptions.removeValue(forKey: number) }) else {
            throw CommandFailure(
                "unknownSubscription", .usage, "the store has no subscription \(number)")
        }
        found.cancel()
        found.waitUntilIdle()
    }

    /// Ends all subscriptions, and waits for what is in progress unless that waits for this.
    func close() {
        let open = activity.change { activity in
            activity.isClosed = true
            defer { activity.subscriptions = [:] }
            return Array(activity.subscriptions.values)
        }
        for subscription in open { subscription.cancel() }
        for subscription in open { subscription.waitUntilIdle() }
        if CallbackThread.isCurrent { return }
        activity.change(when: { $0.calls == 0 }) { _ in }
    }

    private func begin() throws(CommandFailure) {
        try activity.change { activity throws(CommandFailure) in
            if activity.isClosed { throw Self.closed }
            activity.calls += 1
        }
    }

    private static let closed = CommandFailure("storeClosed", .usage, "the store is closed")
}
