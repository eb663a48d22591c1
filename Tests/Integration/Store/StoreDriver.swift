import DaybookEncoding
import DaybookSystem
import Foundation
import TestSupport

/// Runs the program `StoreDriver`, which stands for another process that uses a store.
struct StoreDriver {
    struct Result {
        let status: Int32
        let wasKilled: Bool
        let lines: [String]

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

    /// A process that has been started and not waited for yet.
    final class Running {
        private let process: Foundation.Process
        private let output: Pipe

        fileprivate init(_ process: Foundation.Process, _ output: Pipe) {
            self.process = process
            self.output = output
        }

        /// Kills the process a moment after it has said so many lines, if it lives that long.
        func wait(killingAfter lines: Int, microseconds: UInt32) -> Result {
            var bytes: [UInt8] = []
            var rest = lines
            while rest > 0 {
                let chunk = readChunk()
                if chunk.isEmpty { return wait(after: bytes) }
                rest -= chunk.count { $0 == UInt8(ascii: "\n") }
                bytes += chunk
            }
            usleep(microseconds)
            Foundation.kill(process.processIdentifier, SIGKILL)
            return wait(after: bytes)
        }

        func wait(after first: [UInt8] = []) -> Result {
            var bytes = first
            while case let chunk = readChunk(), !chunk.isEmpty { bytes += chunk }
            let text = String(decoding: bytes, as: UTF8.self)
            process.waitUntilExit()
            return Result(
                status: process.terminationStatus,
                wasKilled: process.terminationReason == .uncaughtSignal,
                lines: text.split(separator: "\n").map(String.init))
        }

        /// Waits on a thread of its own: Swift's are as few as the processors, and a process whose
        /// output nobody reads stops in the middle of what it does, with the others behind it.
        func end() async -> Result {
            // No other thread uses it until this one has ended.
            nonisolated(unsafe) let running = self
            return await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: running.wait()) }
            }
        }

        /// What came next, nothing at the end; FileHandle's own reading to the end gives up when
        /// a signal comes in between.
        private func readChunk() -> [UInt8] {
            let file = output.fileHandleForReading.fileDescriptor
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(file, &buffer, buffer.count)
                if count >= 0 { return Array(buffer[..<count]) }
                if errno != EINTR { return [] }
            }
        }
    }

    static func start(_ arguments: [String]) throws -> Running {
        let words = ["\(ProgramRun.folder)/StoreDriver"] + arguments
        let process = Foundation.Process(toRun: words)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        return Running(process, output)
    }

    static func run(_ arguments: String...) throws -> Result {
        try start(arguments).wait()
    }
}
