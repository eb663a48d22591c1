package import DaybookEncoding

/// The exit status of a program.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case done = 0
    /// A negative result: a refused request, a divergence.
    case refused = 1
    case usage = 2
    /// The store is missing, damaged, too new or locked.
    case store = 3
    /// The passphrase is wrong or missing, or the wallet is locked.
    case passphrase = 4
    /// A node is unreachable or refuses.
    case node = 5

    /// The meaning, for the manual.
    var meaning: String {
        switch self {
        case .done: "done"
        case .refused: "a refusal, a divergence, damage found, or something that does not exist"
        case .usage: "wrong usage"
        case .store:
            "the store is missing, damaged, too new, of another owner, or not writable"
        case .passphrase: "the passphrase is missing or wrong, or the wallet is locked"
        case .node: "a node is unreachable or refuses"
        }
    }
}

/// The failure of a command.
package struct CommandFailure: Error, Equatable, Sendable {
    /// The stable code of the reason.
    package let code: String
    package let message: String
    package let status: ExitStatus
    /// The event at fault, if there is one.
    package let position: Position?

    package init(
        _ code: String, _ status: ExitStatus, _ message: String, position: Position? = nil
    ) {
        self.code = code
        self.status = status
        self.message = message
        self.position = position
    }

    /// A failure with the message of a lower layer, escaped for display on one line.
    ///
    /// The message may contain paths and nodes' answers, and these anything.
    package init(
        _ code: String, _ status: ExitStatus, quoting message: String, position: Position? = nil
    ) {
        self.init(code, status, Text.escaped(message), position: position)
    }

    /// A wrong call of a command.
    package static func usage(_ message: String) -> CommandFailure {
        CommandFailure("usage", .usage, message)
    }

    /// A file of a secret that others may use, which an option names.
    package static func fileExposed(_ option: String) -> CommandFailure {
        CommandFailure(
            "fileExposed", .usage,
            "\(option) names a file that others may use; make it yours alone (chmod 600)")
    }

    /// Reads a time in microseconds since 1970, which an option or a parameter names.
    package static func time(
        _ text: String, for name: String
    ) throws(CommandFailure) -> UInt64 {
        guard let time = Timestamp.parse(text) else {
            throw CommandFailure(
                "invalidTime", .usage, "\(name): \(Timestamp.complaint(about: text))")
        }
        return time
    }

    /// The error object of `--json`.
    package var json: JSON {
        .record([
            "code": .string(code), "message": .string(message),
            "position": position.map { .int($0) },
        ])
    }

    /// A user's text for an error message: escaped, and cut after 64 characters.
    package static func quoted(_ text: String) -> String {
        let escaped = Text.escaped(text)
        return escaped.count <= 64 ? escaped : escaped.prefix(63) + "…"
    }
}
