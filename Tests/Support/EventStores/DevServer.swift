import DaybookSystem
import TestSupport

/// Servers that `tools/dev` runs, which end with this process and do what they are told.
package final class DevServer: Sendable {
    /// The words of the first line that it printed: addresses, for example.
    package let words: [String]
    private let program: Monitor<RunningProgram>

    package struct Failed: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// Starts a verb of `tools/dev`, and waits for its first line.
    package init(_ arguments: [String]) throws {
        // The server ends when its input does, however this process ends.
        let program = try RunningProgram(
            [Repository.path("tools/dev")] + arguments, hasInput: true, errors: .shown)
        words = program.output.line()?.split(separator: " ").map(String.init) ?? []
        self.program = Monitor(program)
    }

    /// Sends a line, and waits for the line that answers it; empty if the server has ended.
    package func tell(_ line: String) throws -> String {
        try program.change { program in
            try program.input?.write("\(line)\n".utf8)
            return program.output.line() ?? ""
        }
    }
}
