import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// Opens callback URLs with the programs that are registered for their schemes.
enum CallbackOpener {
    /// Schemes that are never opened, whatever the log says.
    private static let refused = ["file", "http", "https", "javascript", "data", "vbscript"]

    /// A callback that is due and that no program has taken.
    struct Unopened {
        let url: String
        /// One sentence without a period, in lower case.
        let reason: String

        /// The note for the user.
        var note: TerminalText { "the callback \(Text.escaped(url)) was not opened: \(reason)" }
    }

    /// The scheme of a URL in lower case; nil unless it is one that may be opened.
    private static func scheme(of url: String) -> String? {
        let scheme = url.prefix { $0 != ":" }
        guard scheme.utf8.count < url.utf8.count, let first = scheme.utf8.first,
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first | 0x20)
        else { return nil }
        // RFC 3986, section 3.1.
        let isGrammatical = scheme.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || "+-.".utf8.contains(byte)
        }
        let name = scheme.lowercased()
        return isGrammatical && !refused.contains(name)
            && url.utf8.allSatisfy { (0x21...0x7e).contains($0) } ? name : nil
    }

    /// Starts the program that is registered for a URL's scheme with the URL, or nothing.
    ///
    /// Returns why nothing was started, or nil.
    private static func refusal(opening url: String) async throws -> String? {
        guard let scheme = scheme(of: url) else { return "it is not a URL that may be opened" }
        do {
            let entry = try SchemeHandlers().entry(for: scheme)
            let isTaken = try await entry.start(with: url)
            return isTaken ? nil : "\(CommandFailure.quoted(entry.id)) failed"
        } catch let refusal as SchemeHandlers.Refusal {
            return refusal.reason
        } catch let error as SystemError {
            return "\(error)"
        }
    }

    /// Opens the callback of a request if it is due, and records its delivery.
    ///
    /// Returns the callback that is due and could not be opened.
    static func openDue(of id: RequestID, _ store: Store) async throws -> Unopened? {
        let before = id.number == 0 ? nil : RequestID(id.number - 1)
        let due = try await store.callbacks(after: before, limit: 1).callbacks.first
        guard let due, due.request == id else { return nil }
        if let reason = try await refusal(opening: due.url) {
            return Unopened(url: due.url, reason: reason)
        }
        try await store.delivered(id)
        return nil
    }
}
