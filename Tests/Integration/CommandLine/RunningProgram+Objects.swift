import DaybookEncoding
import Foundation
import Testing
import TestSupport

extension RunningProgram {
    /// The next JSON object on standard output; waits until there is one.
    func object() throws -> JSON {
        try JSON.parse(Array(try #require(output.line(), "the program has ended").utf8))
    }

    /// The program's open files and threads, and its memory.
    func resources() throws -> (files: Int, threads: Int, kilobytes: Int) {
        let process = "/proc/\(id)"
        let status = try String(contentsOfFile: "\(process)/status", encoding: .utf8)
        let resident = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let kilobytes = resident?.split(whereSeparator: \.isWhitespace).dropFirst().first
        return (
            files: try FileManager.default.contentsOfDirectory(atPath: "\(process)/fd").count,
            threads: try FileManager.default.contentsOfDirectory(atPath: "\(process)/task").count,
            kilobytes: try #require(kilobytes.flatMap { Int($0) })
        )
    }

    /// Sends a signal and waits for the end.
    func end(by signal: Int32) -> ProgramRun {
        send(signal)
        return end()
    }
}
