import DaybookSystem

/// Called with the progress of long work: `done` of `all` steps, on a thread of its own.
///
/// The work waits until the call returns, and nothing else does. To stop it, cancel the task.
public typealias WorkProgress = @Sendable (_ done: UInt64, _ all: UInt64) -> Void

/// Long work beside the store, which answers other calls meanwhile.
///
/// The work has a thread of its own, because it neither suspends nor belongs to the store's actor.
/// It ends soon after its task was cancelled.
struct LongWork: Sendable {
    private let progress: WorkProgress?
    private let isCancelled = Monitor(false)

    init(_ progress: WorkProgress? = nil) {
        self.progress = progress
    }

    /// Runs `body` on a thread of its own.
    ///
    /// - Throws: what `body` throws; `callCancelled` if it ended because the task was cancelled.
    static func run<Value: Sendable>(
        reporting progress: WorkProgress? = nil,
        _ body: @escaping @Sendable (LongWork) throws -> Value
    ) async throws(DaybookError) -> Value {
        let work = LongWork(progress)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { resumption in
                WorkThread().run {
                    let result = Result<Value, any Error> {
                        try work.check()
                        return try body(work)
                    }
                    return { resumption.resume(returning: result) }
                }
            }
        } onCancel: {
            work.isCancelled.change { $0 = true }
        }
        do {
            return try result.get()
        } catch {
            throw DaybookError.from(error)
        }
    }

    /// Reports progress, before a step that takes some time.
    ///
    /// - Throws: `CancellationError`, after which the work undoes what is half done.
    func report(_ done: UInt64, of all: UInt64) throws {
        try check()
        progress?(done, all)
        try check()
    }

    /// Throws a `CancellationError` if the task was cancelled.
    func check() throws {
        if isCancelled.change({ $0 }) { throw CancellationError() }
    }
}
