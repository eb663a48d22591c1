import DaybookSystem

/// Runs work that reads possibly damaged files in a child process, and reports its crash.
///
/// LMDB has no checksums, and some damage makes it end the process.
package enum CrashIsolation {
    package typealias Progress = (_ table: String, _ entries: UInt64) -> Void

    /// The last progress that the child reported.
    package struct LastProgress {
        package let table: String
        package let entries: UInt64

        /// The line that the child writes.
        var line: String { "\(table) \(entries)" }

        init(table: String, entries: UInt64) {
            self.table = table
            self.entries = entries
        }

        init(line: String?) {
            let words = (line ?? "").split(separator: " ")
            table = words.first.map { String($0) } ?? "pages"
            entries = words.last.flatMap { UInt64($0) } ?? 0
        }

        package var text: String {
            entries == 0 ? "'\(table)'" : "'\(table)' behind entry \(entries)"
        }
    }

    /// Runs `work` in a child process; calls `crashed` if the child has crashed.
    ///
    /// The child is this program, started again with the same arguments.
    package static func run(
        _ work: (@escaping Progress) async throws -> ExitStatus,
        crashed: (LastProgress) async throws -> ExitStatus
    ) async throws -> ExitStatus {
        if let report = ChildProcess.report {
            return try await work { table, entries in
                // Without a parent, nobody needs the report.
                try? report(LastProgress(table: table, entries: entries).line)
            }
        }
        let (end, report) = try ChildProcess.runAgain()
        switch end {
        case .exited(let status):
            guard ExitStatus(rawValue: status) != nil else {
                throw CommandFailure(
                    "crashed", .store, "its child could not start, and ended with \(status)")
            }
            // The child has printed the result.
            Process.exit(status)
        case .crashed: return try await crashed(LastProgress(line: report))
        case .ended(let signal):
            throw CommandFailure("interrupted", .store, "it was ended by signal \(signal)")
        }
    }
}
