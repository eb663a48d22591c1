import DaybookSystem

/// Questions about the past of a log, answered out of a history that is kept in the user's cache.
package enum KeptHistory {
    /// What a command that asks about the past may be told.
    package static let option = Command.Option(
        "--no-cache", nil, "fold all events anew, and keep nothing for the next time")

    /// Runs `work` with the folder of histories; with nil where none is to be used.
    ///
    /// LMDB has no checksums, and some damage makes it end the process: it is a child's. What is
    /// left then is to delete the histories, and to do the work without.
    package static func run(
        _ invocation: Invocation, _ work: (_ folder: String?) async throws -> ExitStatus
    ) async throws -> ExitStatus {
        guard !invocation.has(option.name), let folder else { return try await work(nil) }
        return try await Watched.run { _ in
            try await work(folder)
        } crashed: { _ in
            try invocation.console.note("the histories in \(folder) are damaged and deleted")
            try Files.removeTree(folder)
            return try await work(nil)
        }
    }

    /// Where the user's programs keep what they can make again; nil where that is nowhere.
    private static var folder: String? {
        func absolute(_ name: String) -> String? {
            // The XDG base directory specification ignores what is no absolute path.
            EnvironmentVariables.value(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        return (absolute("XDG_CACHE_HOME") ?? absolute("HOME").map { $0 + "/.cache" })
            .map { $0 + "/daybook" }
    }
}
