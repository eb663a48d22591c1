import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// Opens callback URLs with the programs that the desktop has for them.
enum CallbackOpener {
    /// Schemes that are never opened, whatever the log says.
    private static let refused = ["file", "javascript", "data", "vbscript", "about", "blob"]

    /// Whether a URL can be handed to `xdg-open` as one word.
    static func canOpen(_ url: String) -> Bool {
        let scheme = url.prefix { $0 != ":" }
        guard scheme.utf8.count < url.utf8.count, let first = scheme.utf8.first,
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first | 0x20)
        else { return false }
        let isGrammatical = scheme.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || "+-.".utf8.contains(byte)
        }
        return isGrammatical && !refused.contains(scheme.lowercased())
            && url.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// Opens a URL; returns whether a program has taken it.
    static func open(_ url: String) async throws -> Bool {
        guard canOpen(url), let program = ExternalProgram(named: "xdg-open") else { return false }
        // A browser that is started by it may go on for as long as it is used.
        return try await program.start([url]).status(within: .seconds(5)) ?? 0 == 0
    }

    /// Opens the callback of a request if it is due, and records its delivery.
    ///
    /// Returns the callback that is due and could not be opened.
    static func openDue(of id: RequestID, _ store: Store) async throws -> String? {
        let before = id.number == 0 ? nil : RequestID(id.number - 1)
        let due = try await store.callbacks(after: before, limit: 1).callbacks.first
        guard let due, due.request == id else { return nil }
        guard try await open(due.url) else { return due.url }
        try await store.delivered(id)
        return nil
    }
}
