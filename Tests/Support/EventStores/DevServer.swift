import DaybookSystem
import Foundation
import TestSupport

/// Servers that `tools/dev` runs, which end with this process and do what they are told.
package final class DevServer: Sendable {
    /// The words of the first line that it printed: addresses, for example.
    package let words: [String]
    private let input: Pipe
    private let output: Monitor<Lines>

    package struct Failed: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// Starts a verb of `tools/dev`, and waits for its first line.
    package init(_ arguments: [String]) throws {
        let process = Foundation.Process()
        process.executableURL = URL(filePath: Repository.path("tools/dev"))
        process.arguments = arguments
        let printed = Pipe()
        // The server ends when this pipe does, however this process ends.
        input = Pipe()
        process.standardInput = input
        process.standardOutput = printed
        try process.run()
        var lines = Lines(printed)
        words = lines.next().split(separator: " ").map(String.init)
        output = Monitor(lines)
    }

    /// Sends a line, and waits for the line that answers it; empty if the server has ended.
    package func tell(_ line: String) throws -> String {
        try output.change { output in
            try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
            return output.next()
        }
    }

    /// The lines of a pipe.
    private struct Lines {
        private let pipe: Pipe
        private var rest = Data()

        init(_ pipe: sending Pipe) { self.pipe = pipe }

        /// The next line without its end; what is left at the end of the pipe.
        mutating func next() -> String {
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { rest = Data(rest[(end + 1)...]) }
                    return String(decoding: rest[..<end], as: UTF8.self)
                }
                let part = pipe.fileHandleForReading.availableData
                rest += part
                if part.isEmpty {
                    defer { rest = Data() }
                    return String(decoding: rest, as: UTF8.self)
                }
            }
        }
    }
}
