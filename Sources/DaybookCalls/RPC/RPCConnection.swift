import Daybook
import DaybookCommands
import DaybookEncoding
package import DaybookSystem

/// A front end's connection: answers its requests, each in a task, and sends notifications.
///
/// A door reads the requests' texts and writes what `send` is given, one text a line. Requests are
/// answered as they are done, which may be out of order. A subscription reads changes from the log
/// at its reader's pace, so that a slow reader costs no memory; if the door can't take a
/// notification, the subscription ends with `dropped`.
package final class RPCConnection: Sendable {
    /// The argument of `send`.
    package enum Outgoing: Sendable {
        /// An answer, or a notification that must not be lost.
        case needed(WipedBytes)
        /// A notification that the door may refuse if its reader is slow.
        case droppable(WipedBytes)
    }

    private struct Subscriptions {
        /// The tasks of those that have begun.
        var open: [UInt64: Task<Void, Never>] = [:]
        var last: UInt64 = 0
        var isClosed = false
    }

    /// The number of subscriptions that a connection can have.
    private static let limit = 1000

    private let served: any ServedStores
    private let send: @Sendable (Outgoing) -> Bool
    private let subscriptions = Monitor(Subscriptions())

    /// A connection that writes through `send`, which returns false for a refused notification.
    package init(_ served: any ServedStores, send: @escaping @Sendable (Outgoing) -> Bool) {
        self.served = served
        self.send = send
    }

    /// Answers a request through `send`; its text is wiped.
    package func answer(_ text: WipedBytes) async {
        do throws(RPCError) {
            let request = try RPCRequest(wiping: text)
            let (answer, reply) = try await served.answer(request, to: self)
            if let answer { _ = send(.needed(answer)) }
            reply.sent()
        } catch {
            _ = send(.needed(error.answer.line))
        }
    }

    /// Answers a line that was too long to be kept.
    package func refuseLongLine() {
        _ = send(.needed(RPCError.tooLong.answer.line))
    }

    /// Sends a notification; false if the door refuses it because its reader is slow.
    func notify(_ method: String, _ params: JSON) -> Bool {
        send(.droppable(Front.notification(method, params)))
    }

    /// Ends all subscriptions; calls in progress finish, and their answers are lost.
    package func close() {
        let open = subscriptions.change { subscriptions in
            subscriptions.isClosed = true
            defer { subscriptions.open = [:] }
            return Array(subscriptions.open.values)
        }
        for task in open { task.cancel() }
    }

    // MARK: - Subscriptions

    /// The number of a new subscription, which `begin` starts.
    func newSubscription() throws(CommandFailure) -> UInt64 {
        let number = subscriptions.change { subscriptions -> UInt64? in
            guard subscriptions.open.count < Self.limit else { return nil }
            subscriptions.last += 1
            return subscriptions.last
        }
        guard let number else {
            throw .usage("a connection has at most \(Self.limit) subscriptions")
        }
        return number
    }

    /// Sends the changes of events from a position on, until `end` or `close`.
    func begin(_ number: UInt64, of front: Front, from next: Position) {
        // A task that ends at once finds itself among the open ones, and can say so.
        subscriptions.change { subscriptions in
            guard !subscriptions.isClosed else { return }
            subscriptions.open[number] = Task(executorPreference: served.executor) {
                await self.sendChanges(number, of: front, from: next)
            }
        }
    }

    private func sendChanges(_ number: UInt64, of front: Front, from next: Position) async {
        var last = next
        var failure: CommandFailure?
        var isSlow = false
        let activity = front.store.activity
        activity.subscriberBegan()
        defer { activity.subscriberEnded(dropped: isSlow) }
        do {
            for try await change in front.store.changes(from: next) {
                guard notify("changed", change.json(of: number)) else {
                    isSlow = true
                    break
                }
                last = change.position.next
            }
        } catch {
            failure = CommandFailure(explaining: error)
        }
        guard !Task.isCancelled, end(number) else { return }
        let params = JSON.record([
            "subscription": .int(number), "position": last.beforeJSON,
            "error": failure?.json,
        ])
        _ = send(.needed(Front.notification("dropped", params)))
    }

    /// Ends a subscription; false if there is none with this number.
    func end(_ number: UInt64) -> Bool {
        let task = subscriptions.change { $0.open.removeValue(forKey: number) }
        task?.cancel()
        return task != nil
    }
}
