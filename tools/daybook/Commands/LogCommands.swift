import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let log = Command(
        "log", does: "print the events, oldest first",
        options: [
            Option("--from", "N", "from event N on"),
            Option("--request", "N", "of request N only"),
            Option("--session", "N", "of session N only"),
            Option("--follow", nil, "then print new events as they are written"),
        ]
    ) { invocation, store in
        var pages = EventPages(
            next: try invocation.id("--from") ?? 0,
            request: try invocation.id("--request"),
            session: try invocation.id("--session"))
        if pages.request != nil, pages.session != nil {
            throw CommandFailure.usage("either --request or --session")
        }
        func printNew() async throws {
            pages.next = try await pages.each(of: store) { event in
                try invocation.console.result(try event.json, try event.text)
            }
        }
        try await printNew()
        guard invocation.has("--follow") else { return .done }
        for try await _ in store.changes(from: pages.next, includingSilent: true) {
            try await printNew()
        }
        return .done
    }
}

extension Command {
    static let prove = Command(
        "prove", "N", count: 1...1, does: """
            prove to others that the log has event N
            The proof is against the given checkpoint, or against a new one.
            """,
        options: [checkpointOption], changes: true
    ) { invocation, store in
        let position: Position = try invocation.id(at: 0, "N")
        let note = try checkpointText(invocation)
        let proof = try await store.proof(of: position, in: note)
        try invocation.console.result(
            .record([
                "position": .int(proof.position), "size": .int(proof.size),
                "proof": .string(proof.text), "key": .string(proof.key),
                "event": .string(Hex.encode(proof.event)),
            ]), TerminalText(lines: String(proof.text.dropLast())))
        if !invocation.console.isJSON { try invocation.console.note("key: \(proof.key)") }
        return .done
    }

    static let checkpointOption = Option("--checkpoint", "F", "a note that `checkpoint` printed")

    /// The content of the file in `--checkpoint`.
    static func checkpointText(_ invocation: Invocation) throws -> String? {
        guard let path = invocation.value(checkpointOption.name) else { return nil }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.readInput(path, limit: 262_144)
        } catch {
            throw CommandFailure("unreadableFile", .usage, quoting: error.description)
        }
        guard let text = Text.utf8String(bytes) else {
            throw CommandFailure("checkpointInvalid", .refused, "the checkpoint is no text")
        }
        return text
    }
}
