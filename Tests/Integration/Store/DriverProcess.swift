import DaybookEncoding
import DaybookSystem
import Foundation
import TestSupport

/// Runs the program `StoreDriver`, which stands for another process that uses a store.
enum DriverProcess {
    static func start(_ arguments: [String]) throws -> RunningProgram {
        try RunningProgram(["\(ProgramRun.folder)/StoreDriver"] + arguments, errors: .shown)
    }

    static func run(_ arguments: [String]) throws -> ProgramRun { try start(arguments).end() }

    static func run(_ arguments: String...) throws -> ProgramRun { try run(arguments) }
}

extension RunningProgram {
    /// Kills the process a moment after it has said so many lines, if it lives that long.
    func end(killingAfter lines: Int, microseconds: UInt32) -> ProgramRun {
        while output.unread.count(where: { $0 == UInt8(ascii: "\n") }) < lines {
            if !output.waitForMore() { return end() }
        }
        usleep(microseconds)
        send(SIGKILL)
        return end()
    }
}

extension ProgramRun {
    /// The places that it passed, in their order.
    var places: [String] { values("probe") }

    /// The calls that made something durable or visible on the disk.
    var diskCalls: [String] { values("disk") }

    /// The code of the error that ended it.
    var code: String? { values("error").first?.split(separator: " ").first.map(String.init) }

    /// The lines that begin with a word, without it.
    func values(_ word: String) -> [String] {
        lines.filter { $0.hasPrefix(word + " ") }.map { String($0.dropFirst(word.count + 1)) }
    }

    /// The requests that it said something was done to.
    func requests(_ word: String) -> [RequestID] {
        values(word).compactMap {
            $0.split(separator: " ").first.flatMap { UInt64($0) }.map { RequestID($0) }
        }
    }
}
