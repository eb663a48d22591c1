import DaybookSystem
import Foundation
import TestSupport

/// Runs the program `LogDriver`, which stands for another process that uses the log.
enum Driver {
    static func start(
        _ arguments: [String], under wrapper: [String] = []
    ) throws -> RunningProgram {
        try RunningProgram(wrapper + ["\(ProgramRun.folder)/LogDriver"] + arguments)
    }

    static func run(_ arguments: String..., under wrapper: [String] = []) throws -> ProgramRun {
        try start(arguments, under: wrapper).end()
    }
}

extension ProgramRun {
    /// The positions that were acknowledged before the process ended.
    var positions: [UInt64] { lines.compactMap { UInt64($0) } }
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
