import DaybookEncoding
import Glibc
import Synchronization

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
            executor.isDone.withLock { $0 = true }
        }
        executor.run()
        let isDone = executor.isDone.withLock { $0 }
        precondition(isDone, "no harness waits for anything but its own tasks")
    }
}

/// Runs jobs where `run` is called, one after the other, until there are none.
final class InlineExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    let isDone = Mutex(false)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func run() {
        while let job = jobs.withLock({ $0.popLast() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
