import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// A function of the caller with its context.
///
/// Safe because the header says that the function is called on a thread of ours.
@safe
struct ChangeCallback: Sendable {
    typealias Function =
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void

    private let function: Function
    private nonisolated(unsafe) let context: UnsafeMutableRawPointer?

    init(_ function: @escaping Function, _ context: UnsafeMutableRawPointer?) {
        unsafe self.function = function
        unsafe self.context = context
    }

    /// Calls the function with a text, which is valid until it returns.
    func call(_ text: String) {
        unsafe text.withCString { text in unsafe function(context, text) }
    }
}

/// A subscription: a task that reads changes, and waits for each callback before the next one.
final class Subscription: Sendable {
    private struct Progress {
        var isRunning = false
        var isCancelled = false
    }

    private let number: UInt64
    private let callback: ChangeCallback
    private let thread: CallbackThread
    private let progress = Monitor(Progress())
    private let task = Monitor<Task<Void, Never>?>(nil)

    /// Begins to read the changes.
    init(
        _ number: UInt64, _ changes: StoreChanges, _ callback: ChangeCallback,
        on thread: CallbackThread
    ) {
        self.number = number
        self.callback = callback
        self.thread = thread
        task.change { [self] in $0 = Task { await read(changes) } }
    }

    /// Ends the reading; a callback in progress goes on.
    func cancel() {
        progress.change { $0.isCancelled = true }
        task.change { task in
            task?.cancel()
            task = nil
        }
    }

    /// Waits until no callback is in progress; in a callback, which may be that one, it does not.
    func waitUntilIdle() {
        if CallbackThread.isCurrent { return }
        progress.change(when: { !$0.isRunning }) { _ in }
    }

    private func read(_ changes: StoreChanges) async {
        do throws(DaybookError) {
            for try await change in changes {
                await deliver(change.json(of: number))
            }
        } catch {
            let failure = CommandFailure(explaining: error)
            await deliver(.record(["subscription": .int(number), "error": failure.json]))
        }
    }

    /// Calls back on the store's thread, and waits until that is done.
    private func deliver(_ change: JSON) async {
        let text = change.text()
        await withCheckedContinuation { continuation in
            thread.run { [self] in
                let isCancelled = progress.change { progress in
                    progress.isRunning = !progress.isCancelled
                    return progress.isCancelled
                }
                if !isCancelled { callback.call(text) }
                progress.change { $0.isRunning = false }
                continuation.resume()
            }
        }
    }
}

/// The thread of a store's callbacks.
final class CallbackThread: Sendable {
    private static let running = Monitor<[ThreadID]>([])
    private let thread = WorkThread()

    /// Whether the calling thread is in a callback, of any store.
    static var isCurrent: Bool {
        let current = ThreadID.current
        return running.change { $0.contains(current) }
    }

    /// Adds work to the thread's queue.
    func run(_ work: @escaping @Sendable () -> Void) {
        thread.run {
            let current = ThreadID.current
            Self.running.change { $0.append(current) }
            work()
            Self.running.change { $0.removeAll { $0 == current } }
            return {}
        }
    }
}
