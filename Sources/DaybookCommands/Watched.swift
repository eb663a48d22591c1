import DaybookSystem

/// Work that reads what may be damaged, done in a process of its own that this one watches.
package enum Watched {
    package typealias Progress = (_ table: String, _ entries: UInt64) -> Void

    /// How far the work had come.
    package struct Place {
        package let table: String
        package let entries: UInt64

        /// The line that a child writes.
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

    /// Runs `work` in a child; `crashed` is asked where that ended by a crash.
    package static func run(
        _ work: (@escaping Progress) async throws -> ExitStatus,
        crashed: (Place) async throws -> ExitStatus
    ) async throws -> ExitStatus {
        if let report = ChildProcess.report {
            return try await work { table, entries in
                // A parent that has gone needs no reports.
                try? report(Place(table: table, entries: entries).line)
            }
        }
        let (end, report) = try ChildProcess.runAgain()
        switch end {
        case .exited(let status):
            guard ExitStatus(rawValue: status) != nil else {
                throw CommandFailure(
                    "crashed", .store, "its child could not start, and ended with \(status)")
            }
            // The child has said all there is to say.
            Process.exit(status)
        case .crashed: return try await crashed(Place(line: report))
        case .ended(let signal):
            throw CommandFailure("interrupted", .store, "it was ended by signal \(signal)")
        }
    }
}
