import DaybookEncoding
import Foundation
import Testing

/// A program that runs while the test goes on; its output is read line by line.
final class Running {
    private let process = Foundation.Process()
    private let output = Pipe()
    private let error = Pipe()
    private var unread: [UInt8] = []

    init(_ words: [String], environment changes: [String: String]) throws {
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        var environment = ProcessInfo.processInfo.environment
        // The backtracer would keep the pipes open after a crash.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        for (name, value) in changes { environment[name] = value }
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = error
        try process.run()
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    /// The next JSON object on standard output; waits until there is one.
    func object() throws -> JSON {
        let file = output.fileHandleForReading.fileDescriptor
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = unread[..<end]
                unread.removeSubrange(...end)
                return try JSON.parse(Array(line))
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            try #require(count > 0, "the program has ended")
            unread += buffer[..<count]
        }
    }

    /// What the program has open, and the memory that it occupies.
    func resources() throws -> (files: Int, threads: Int, kilobytes: Int) {
        let process = "/proc/\(process.processIdentifier)"
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
    func end(by signal: Int32) -> Answer {
        kill(process.processIdentifier, signal)
        let rest = output.fileHandleForReading.readDataToEndOfFile()
        let complained = error.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Answer(
            status: process.terminationStatus,
            output: String(decoding: unread + Array(rest), as: UTF8.self),
            error: String(decoding: complained, as: UTF8.self))
    }
}
