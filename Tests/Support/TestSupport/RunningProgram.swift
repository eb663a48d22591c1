import DaybookSystem
import Foundation

/// A program that runs while a test goes on.
///
/// Foundation does not start it: two threads that start programs at the same time would hand each
/// other's pipes on, and a pipe would end only with the other's program.
package final class RunningProgram: Sendable {
    /// Where the program's standard error goes.
    package enum Errors: Sendable {
        /// To `error`.
        case apart
        /// To `output`.
        case amongOutput
        /// To nobody.
        case dropped
        /// To where this process's own goes.
        case shown
    }

    /// The program's standard input; it reads nothing where there is none.
    package let input: PipeEnd?
    /// Its standard output.
    package let output: PipeEnd
    /// Its standard error, if that is apart.
    package let error: PipeEnd?
    private let program: StartedProgram
    /// Its status once it has ended.
    private let status = Monitor<Int32?>(nil)

    /// Starts a program; a name without a folder is looked up in `PATH`.
    ///
    /// It gets this process's variables with changes, among them nil for one that it must not get.
    /// Swift's backtracer is off, because it would keep the pipes open after a crash.
    package init(
        _ words: [String], in folder: String? = nil, environment changes: [String: String?] = [:],
        hasInput: Bool = false, errors: Errors = .apart
    ) throws {
        var variables = ProcessInfo.processInfo.environment
        variables["SWIFT_BACKTRACE"] = "enable=no"
        for (name, value) in changes { variables[name] = value }
        // It looks a name up, and changes to the folder.
        let start = folder.map { ["-C", $0] } ?? []
        let pipes = try (input: Self.pipe(), output: Self.pipe(), error: Self.pipe())
        // They stay open here until the program has them.
        let handedOver = [pipes.input.read, pipes.output.written, pipes.error.written]
        defer { for end in handedOver { end.close() } }
        let error =
            switch errors {
            case .apart: pipes.error.written.descriptor
            case .amongOutput: pipes.output.written.descriptor
            case .dropped: Int32?.none
            case .shown: STDERR_FILENO
            }
        program = try ExternalProgram(at: "/usr/bin/env").start(
            start + words,
            .init(
                input: hasInput ? pipes.input.read.descriptor : nil,
                output: pipes.output.written.descriptor, error: error),
            environment: variables.map { "\($0)=\($1)" }, isDetached: false)
        input = hasInput ? pipes.input.written : nil
        output = pipes.output.read
        self.error = errors == .apart ? pipes.error.read : nil
        // At once, whoever asks: Swift Testing waits for any child, and the first that has ended
        // and is not waited for hides all others from it.
        Thread.detachNewThread { [program, status] in
            let ended = (try? program.wait()) ?? -1
            status.change { $0 = ended }
        }
    }

    /// Ends a program that is not told to by the end of its input.
    deinit {
        if input == nil { send(SIGTERM) }
    }

    /// Its process id.
    package var id: Int32 { program.id }

    /// Sends it a signal, unless it has ended.
    package func send(_ signal: Int32) {
        status.change { status in
            if status == nil { kill(program.id, signal) }
        }
    }

    /// Waits for its end; returns its status and what it has printed and nobody took.
    package func end() -> ProgramRun {
        readToEnd()
        let status = status.change(when: { $0 != nil }, { $0 ?? -1 })
        return ProgramRun(
            status: status, output: String(decoding: output.take(), as: UTF8.self),
            error: String(decoding: error?.take() ?? [], as: UTF8.self))
    }

    /// The same on a thread of its own, because Swift has as few as there are processors.
    package func ended() async -> ProgramRun {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.end()) }
        }
    }

    /// Reads both streams at once, so that the program never waits for a reader.
    private func readToEnd() {
        var open = [output, error].compactMap { $0 }
        while !open.isEmpty {
            var ready = open.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            if poll(&ready, nfds_t(ready.count), -1) <= 0 { continue }
            open = zip(open, ready).filter { $1.revents == 0 || $0.waitForMore() }.map(\.0)
        }
    }

    private static func pipe() throws -> (read: PipeEnd, written: PipeEnd) {
        // Writing to a program that has ended is an error, not the end of this process.
        DaybookSystem.Process.ignoreBrokenPipes()
        var ends: [Int32] = [0, 0]
        guard Foundation.pipe(&ends) == 0 else { throw NoPipe(code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (PipeEnd(ends[0]), PipeEnd(ends[1]))
    }

    private struct NoPipe: Error {
        let code: Int32
    }
}
