package import DaybookEncoding

/// How a program ended, as a shell reads it.
package enum ExitStatus: Int32, Sendable {
    case done = 0
    /// The answer is no: a refused request, a divergence.
    case refused = 1
    case usage = 2
    /// The store is missing, damaged, too new or locked.
    case store = 3
    /// The passphrase is wrong or missing, or none is taken now.
    case passphrase = 4
    /// A node is unreachable or refuses.
    case node = 5
}

/// Why a command could not do what it was called for.
package struct CommandFailure: Error, Equatable, Sendable {
    /// Our name of the reason, the same in every version.
    package let code: String
    package let message: String
    package let status: ExitStatus
    /// The event at fault, where there is one.
    package let position: Position?

    package init(
        _ code: String, _ status: ExitStatus, _ message: String, position: Position? = nil
    ) {
        self.code = code
        self.status = status
        self.message = message
        self.position = position
    }

    /// A failure in the words of a layer below, made safe to print.
    ///
    /// A path or a node's answer may hold anything; the report is one line whatever they hold.
    package init(
        _ code: String, _ status: ExitStatus, quoting message: String, position: Position? = nil
    ) {
        self.init(code, status, Text.escaped(message), position: position)
    }

    /// The command was called wrongly.
    package static func usage(_ message: String) -> CommandFailure {
        CommandFailure("usage", .usage, message)
    }

    /// The error object of `--json`.
    package var json: JSON {
        .record([
            "code": .string(code), "message": .string(message),
            "position": position.map { .int($0) },
        ])
    }

    /// A text of the user's as errors may repeat it: safe to print, and not whole if it is long.
    package static func quoted(_ text: String) -> String {
        let escaped = Text.escaped(text)
        return escaped.count <= 64 ? escaped : escaped.prefix(63) + "…"
    }
}
