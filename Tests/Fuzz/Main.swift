import DaybookEncoding
import DaybookSystem
import Glibc

/// libFuzzer's loop, which calls back with one input after another.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Feeds the harness that DAYBOOK_FUZZ names, by libFuzzer's own arguments; or, without a name,
/// prints what harnesses there are: name, longest input, and the words as libFuzzer wants them.
@main
struct Main {
    static let harness: Harness? = {
        guard let name = getenv("DAYBOOK_FUZZ").map({ String(cString: $0) }) else { return nil }
        return (Harness.all + Harness.controls).first { $0.name == name }
    }()

    static func main() {
        guard harness != nil else {
            for (kind, list) in [("harness", Harness.all), ("control", Harness.controls)] {
                for harness in list { print(kind, harness.name, harness.longest, words(harness)) }
            }
            return
        }
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        exit(runFuzzer(&count, &arguments) { start, count in
            Main.feed(Bytes(UnsafeBufferPointer(start: start, count: count)))
            return 0
        })
    }

    private static func words(_ harness: Harness) -> String {
        harness.words.map { "\"\($0.utf8.map { "\\x" + Hex.encode([$0]) }.joined())\"" }
            .joined(separator: " ")
    }

    /// Runs the harness to its end on this thread: libFuzzer wants each input done with.
    private static func feed(_ bytes: Bytes) {
        let executor = InlineExecutor()
        Task(executorPreference: executor) {
            do {
                try await harness?.run(bytes)
            } catch {
                let line = Bytes("broken law: \(error)\n".utf8)
                _ = write(STDERR_FILENO, line, line.count)
                abort()
            }
            executor.end()
        }
        executor.run()
    }
}

/// Runs jobs where `run` is called, one after the other, until the harness is done.
///
/// A store writes on a thread of its own, which other jobs wait for.
final class InlineExecutor: TaskExecutor {
    private struct Jobs {
        var waiting: [UnownedJob] = []
        var isDone = false
    }

    private let jobs = Monitor(Jobs())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.change { $0.waiting.append(job) }
    }

    /// Ends `run`, once it has no more jobs.
    func end() { jobs.change { $0.isDone = true } }

    func run() {
        while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// The next job, once there is one; nil at the end.
    private func next() -> UnownedJob? {
        jobs.change(when: { !$0.waiting.isEmpty || $0.isDone }) { $0.waiting.popLast() }
    }
}
