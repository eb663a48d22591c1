package import DaybookEncoding

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
    /// Whether it does more than to show: then its words must not get lost unnoticed.
    package let changes: Bool
    /// Does it; returns the exit status.
    package let run: @Sendable (Invocation) async throws -> ExitStatus

    package init(
        _ name: String, _ arguments: String = "", count: ClosedRange<Int> = 0...0,
        does summary: String, options: [Option] = [], changes: Bool = false,
        run: @escaping @Sendable (Invocation) async throws -> ExitStatus
    ) {
        self.name = name
        self.arguments = arguments
        self.count = count
        self.summary = summary
        self.options = options
        self.changes = changes
        self.run = run
    }

    var words: [String] { name.split(separator: " ").map(String.init) }
}

/// A word of a command line: the bytes as they came, and the text that they are.
///
/// The text of bytes that are not UTF-8 has U+FFFD in their place.
struct Word: Equatable {
    let bytes: [UInt8]
    let text: String

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        text = String(decoding: bytes, as: UTF8.self)
    }
}

/// A command as it was called.
package struct Invocation: Sendable {
    /// The command's words.
    package let name: String
    let words: [Word]
    package let console: Console
    let values: [(name: String, value: String)]

    /// The arguments.
    package var arguments: [String] { words.map(\.text) }

    /// The bytes of an argument, which need not be UTF-8.
    package func bytes(at index: Int) -> [UInt8] { words[index].bytes }

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

    /// The id that an option is.
    package func id<ID: EventID>(_ option: String) throws(CommandFailure) -> ID? {
        try number(option).map { ID($0) }
    }

    /// The id that an argument is; `what` names it in the error.
    package func id<ID: EventID>(at index: Int, _ what: String) throws(CommandFailure) -> ID {
        ID(try number(at: index, what))
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
