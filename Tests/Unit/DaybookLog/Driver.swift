import DaybookSystem
import Foundation
import TestSupport

/// Runs the program `LogDriver`, which stands for another process that uses the log.
struct Driver {
    struct Result {
        let status: Int32
        let wasKilled: Bool
        let output: String
        let error: String

        /// The positions that were acknowledged before the process ended.
        var positions: [UInt64] { output.split(separator: "\n").compactMap { UInt64($0) } }
    }

    /// A process that has been started and not waited for yet.
    final class Running {
        private let process: Foundation.Process
        private let output: Pipe
        private let error: Pipe

        fileprivate init(_ process: Foundation.Process, _ output: Pipe, _ error: Pipe) {
            self.process = process
            self.output = output
            self.error = error
        }

        /// Waits until it has said something, so that it is surely at work.
        func waitForOutput() -> Data {
            output.fileHandleForReading.availableData
        }

        func kill() {
            Foundation.kill(process.processIdentifier, SIGKILL)
        }

        func wait(after first: Data = Data()) -> Result {
            let rest = output.fileHandleForReading.readDataToEndOfFile()
            let error = error.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return Result(
                status: process.terminationStatus,
                wasKilled: process.terminationReason == .uncaughtSignal,
                output: String(decoding: first + rest, as: UTF8.self),
                error: String(decoding: error, as: UTF8.self))
        }
    }

    static func start(_ arguments: [String], under wrapper: [String] = []) throws -> Running {
        let words = wrapper + ["\(ProgramRun.folder)/LogDriver"] + arguments
        let process = Foundation.Process(toRun: words)
        let output = Pipe()
        let error = Pipe()
        process.standardOutput = output
        process.standardError = error
        try process.run()
        return Running(process, output, error)
    }

    static func run(_ arguments: String..., under wrapper: [String] = []) throws -> Result {
        try start(arguments, under: wrapper).wait()
    }
}

/// The system call tracer, which kills a process or lets a call fail at a chosen call.
enum Tracer {
    private static let path = "/usr/bin/strace"

    /// Whether the system lets processes be traced; some containers do not.
    static let isAllowed: Bool = {
        // Where it is not installed, its tests fail.
        guard FileManager.default.isExecutableFile(atPath: path) else { return true }
        let probe = try? Driver.run("open", "/nonexistent", under: [path, "-f", "-o", "/dev/null"])
        return probe?.error.hasPrefix("there is no log") == true
    }()

    static func injecting(_ injection: String, _ calls: String) -> [String] {
        [
            path, "-f", "-o", "/dev/null", "-e", "trace=\(calls)", "-e",
            "inject=\(injection)",
        ]
    }
}

extension TemporaryFolder {
    /// Where the log of the test lies.
    var log: String { "\(path)/log" }
}
