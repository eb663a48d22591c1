/// One command of a program: how it is called, what it says about itself, and what it does.
package struct Command: Sendable {
    /// An option: `--name`, or `--name VALUE`.
    package struct Option: Sendable {
        package let name: String
        /// What stands for the value in the help; nil for an option without one.
        package let value: String?
        package let help: String

        package init(_ name: String, _ value: String? = nil, _ help: String) {
            self.name = name
            self.value = value
            self.help = help
        }
    }

    /// The words that call it, such as `wallet add`.
    package let name: String
    /// The arguments as the help shows them, such as `W AMOUNT`.
    package let arguments: String
    /// How many arguments there may be.
    package let count: ClosedRange<Int>
    package let summary: String
    package let options: [Option]
    /// Does it; returns the exit status.
    package let run: @Sendable (Invocation) async throws -> ExitStatus

    package init(
        _ name: String, _ arguments: String = "", count: ClosedRange<Int> = 0...0,
        does summary: String, options: [Option] = [],
        run: @escaping @Sendable (Invocation) async throws -> ExitStatus
    ) {
        self.name = name
        self.arguments = arguments
        self.count = count
        self.summary = summary
        self.options = options
        self.run = run
    }

    var words: [String] { name.split(separator: " ").map(String.init) }
}

/// A command as it was called.
package struct Invocation: Sendable {
    /// The command's words.
    package let name: String
    package let arguments: [String]
    package let console: Console
    let values: [(name: String, value: String)]

    /// The value of an option, if it was given.
    package func value(_ option: String) -> String? {
        values.first { $0.name == option }?.value
    }

    /// Whether an option was given.
    package func has(_ option: String) -> Bool { value(option) != nil }

    /// The number that an option names.
    package func number(_ option: String) throws(CommandFailure) -> UInt64? {
        guard let text = value(option) else { return nil }
        return try Self.number(text, option)
    }

    /// The number that an argument is; `what` names it in the error.
    package func number(at index: Int, _ what: String) throws(CommandFailure) -> UInt64 {
        try Self.number(arguments[index], what)
    }

    private static func number(_ text: String, _ what: String) throws(CommandFailure) -> UInt64 {
        // Digits only: `UInt64` would take a plus sign.
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(text)
        else {
            throw .usage("\(what) takes a number, not '\(CommandFailure.quoted(text))'")
        }
        return number
    }
}
