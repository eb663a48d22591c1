import DaybookEncoding
import DaybookSystem

/// A front end's connection: answers its requests, each in a task, and sends notifications.
///
/// A door reads the requests' texts and writes what `send` is given, one text a line. Requests are
/// answered as they are done, which may be out of order. A subscription reads changes from the log
/// at its reader's pace, so that a slow reader costs no memory; if the door can't take a
/// notification, the subscription ends with `dropped`.
package final class RPCConnection: Sendable {
    /// What `send` is given.
    package enum Outgoing: Sendable {
        /// An answer, or a notification that must not be lost.
        case needed([UInt8])
        /// A notification that the door may refuse if its reader is slow.
        case droppable([UInt8])
    }

    private struct Tasks {
        var calls: [UInt64: Task<Void, Never>] = [:]
        var subscriptions: [UInt64: Task<Void, Never>] = [:]
        var next: UInt64 = 1
        var isClosed = false
    }

    private let front: Front
    private let send: @Sendable (Outgoing) -> Bool
    private let tasks = Monitor(Tasks())

    /// A connection that writes through `send`, which returns false for a refused notification.
    package init(_ front: Front, send: @escaping @Sendable (Outgoing) -> Bool) {
        self.front = front
        self.send = send
    }

    /// Answers a request through `send`; its text is wiped.
    package func answer(_ text: consuming [UInt8]) async {
        do throws(RPCError) {
            var text = text
            let request = try RPCRequest(wiping: &text)
            if let answer = try await answer(request) { _ = send(.needed(answer)) }
        } catch {
            _ = send(.needed(Array(error.answer.text().utf8)))
        }
    }

    /// Answers a line that was too long to be kept.
    package func refuseLongLine() {
        _ = send(.needed(Array(RPCError.tooLong.answer.text().utf8)))
    }

    /// Ends all subscriptions; calls in progress finish without an answer.
    package func close() {
        let open = tasks.change { tasks in
            tasks.isClosed = true
            defer { tasks.subscriptions = [:] }
            return Array(tasks.subscriptions.values)
        }
        for task in open { task.cancel() }
    }

    private func answer(_ request: RPCRequest) async throws(RPCError) -> [UInt8]? {
        let send = send
        let id = request.id
        return try await front.answer(request) { values in
            let params = JSON.object(
                [.init(name: "id", value: id ?? .null)] + (values.objectValue ?? []))
            _ = send(.droppable(Front.notification("progress", params)))
        }
    }
}
