package import DaybookCommands
package import DaybookEncoding
package import DaybookSystem

/// The answer of a method: the result of a call, and the output of its command.
package struct MethodAnswer: Sendable {
    /// The result of a call, an object.
    package let json: JSON
    /// The objects that a command prints with `--json`; nil if it prints the result.
    package private(set) var entries: [JSON]?
    /// The text that a command prints without `--json`.
    package internal(set) var text: @Sendable () throws -> TerminalText
    /// The text that a command prints in place of a list without entries.
    package private(set) var empty: TerminalText?
    /// Messages that a command prints to standard error.
    package var notes: [TerminalText] = []
    /// Messages that it prints there beside a text, and that are in the JSON object.
    package var remarks: [TerminalText] = []
    /// The status that a command ends with.
    package var status = ExitStatus.done
    /// The error that a command ends with, and that the result has as well.
    package var error: (any Error)?
    /// The words of a new wallet, which are shown this once.
    package var words: WipedBytes?

    /// An answer whose members a command shows, unless it has a text of its own.
    package init(_ json: JSON, text: (@Sendable () throws -> TerminalText)? = nil) {
        self.json = json
        self.text = text ?? {
            Console.table((json.objectValue ?? []).map { member in
                (member.name, member.value.stringValue ?? member.value.text())
            }, indent: "")
        }
    }

    /// A list in the member `name`; a command prints each entry on a line.
    package init<Entry: Sendable>(
        _ name: String, _ entries: [Entry], next: JSON? = nil, empty: TerminalText? = "nothing yet",
        json: (Entry) throws -> JSON,
        text: @escaping @Sendable (Entry) throws -> TerminalText
    ) throws {
        try self.init(name, entries.map(json), next: next, empty: empty) {
            try entries.map(text).joined(separator: "\n")
        }
    }

    /// A list in the member `name`; a command prints all of it as one text.
    package init(
        _ name: String, _ entries: [JSON], next: JSON? = nil, with other: JSON.Member? = nil,
        empty: TerminalText? = "nothing yet", text: @escaping @Sendable () throws -> TerminalText
    ) {
        let members = [JSON.Member(name: name, value: .array(entries)), other]
            + [next.map { .init(name: "next", value: $0) }]
        self.init(.object(members.compactMap { $0 }), text: text)
        self.entries = entries
        self.empty = empty
    }

    /// Adds an object that a command prints with `--json` behind the entries of its list.
    mutating func append(entry: JSON) { entries?.append(entry) }

    /// The end of a page, from which the next one begins; nil after the last entry.
    package var next: JSON? { json["next"] }
}
