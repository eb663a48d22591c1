import DaybookSystem

/// Answers queries about a log's past from state histories in the user's cache folder.
package enum KeptHistory {
    /// The option of commands that ask about the past.
    package static let option = Command.Option(
        "--no-cache", nil, "fold all events again, and cache nothing")

    /// Runs `work` with the folder of histories, or with nil if none is to be used.
    ///
    /// If the work crashes because a history is damaged, all histories are deleted and the work is
    /// done without them.
    package static func run(
        _ invocation: Invocation, _ work: (_ folder: String?) async throws -> ExitStatus
    ) async throws -> ExitStatus {
        guard !invocation.has(option.name), let folder else { return try await work(nil) }
        return try await CrashIsolation.run { _ in
            try await work(folder)
        } crashed: { _ in
            try invocation.console.note("the histories in \(folder) are damaged and deleted")
            try Files.removeTree(folder)
            return try await work(nil)
        }
    }

    /// The program's folder in the user's cache; nil if the environment names none.
    private static var folder: String? { UserFolder.cache.path.map { $0 + "/daybook" } }
}
