import DaybookSystem
import Foundation

/// A program that has ended: its exit status, and what it printed.
package struct ProgramRun: Sendable {
    /// The status; 128 and the signal if a signal ended it.
    package let status: Int32
    /// The standard output, and the standard error where that is not apart.
    package let output: String
    /// The standard error.
    package let error: String

    package init(status: Int32, output: String, error: String) {
        self.status = status
        self.output = output
        self.error = error
    }

    /// Whether a signal ended it.
    package var wasKilled: Bool { status > 128 }

    /// The lines of the output that are not empty.
    package var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// The folder of the programs that were built with the tests.
    package static let folder = Files.parent(
        of: (try? Files.resolved("/proc/self/exe")) ?? CommandLine.arguments[0])

    /// Runs a program and waits for its end; a name without a folder is looked up in `PATH`.
    ///
    /// The output has what went to standard error too, unless that is to be dropped.
    package init(
        _ words: [String], in folder: String? = nil, environment changes: [String: String?] = [:],
        dropsErrors: Bool = false
    ) throws {
        self = try RunningProgram(
            words, in: folder, environment: changes, errors: dropsErrors ? .dropped : .amongOutput
        ).end()
    }
}
