package import DaybookEncoding

/// A command of a program: its syntax, its help, and its action.
package struct Command: Sendable {
    /// An option: `--name`, or `--name VALUE`.
    package struct Option: Sendable {
        package let name: String
        /// The placeholder of the value in the help; nil for an option without a value.
        package let value: String?
        package let help: String
        /// Whether it may be given several times, each with a value of its own.
        package let isRepeatable: Bool

        package init(
            _ name: String, _ value: String? = nil, _ help: String, repeatable: Bool = false
        ) {
            self.name = name
            self.value = value
            self.help = help
            isRepeatable = repeatable
        }
    }

    /// The name, of one or two words, such as `wallet add`.
    package let name: String
    /// The arguments as the help shows them, such as `W AMOUNT`.
    package let arguments: String
    /// The permitted numbers of arguments.
    package let count: ClosedRange<Int>
    package let summary: String
    package let options: [Option]
    /// The lists of the store's that the program completes placeholders with, such as `N`.
    let lists: [String: String]
    /// Whether it changes anything: then lost output is a failure.
    package let changes: Bool
    /// Runs the command and returns the exit status.
    package let run: @Sendable (Invocation) async throws -> ExitStatus

    package init(
        _ name: String, _ arguments: String = "", count: ClosedRange<Int> = 0...0,
        does summary: String, options: [Option] = [], lists: [String: String] = [:],
        changes: Bool = false,
        run: @escaping @Sendable (Invocation) async throws -> ExitStatus
    ) {
        self.name = name
        self.arguments = arguments
        self.count = count
        self.summary = summary
        self.options = options
        self.lists = lists
        self.changes = changes
        self.run = run
    }

    var words: [String] { name.split(separator: " ").map(String.init) }

    /// The placeholders of the arguments, in order, without brackets: `W`, `AMOUNT`.
    var placeholders: [String] {
        arguments.split(whereSeparator: { " []".contains($0) }).map { String($0) }
    }
}

/// A whole number that a person or a program has written, at most the greatest number of an id.
///
/// One function reads those of command lines, calls and the page, so that arithmetic on them can't
/// overflow.
package enum OutsideNumber {
    /// The greatest one, 2^53 - 1.
    package static var greatest: UInt64 { Position.greatest }

    /// Reads decimal digits, or hexadecimal ones; nil for anything else and above `greatest`.
    package static func parse(_ text: some StringProtocol, radix: Int = 10) -> UInt64? {
        // `UInt64` alone would accept a sign.
        guard let first = text.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-"),
            let number = UInt64(text, radix: radix), number <= greatest
        else { return nil }
        return number
    }
}

/// A word that must be one of a few.
package enum WordChoice {
    /// Throws if a word is none of these; `place` names the option or parameter in the error.
    package static func check(
        _ word: String, among words: [String], for place: String
    ) throws(CommandFailure) {
        if words.contains(where: { Text.equal($0, word) }) { return }
        let list = [words.dropLast().joined(separator: ", "), words.last ?? ""]
            .filter { !$0.isEmpty }.joined(separator: " or ")
        let meant = Suggestion.question(word.lowercased(), among: words).map { "; " + $0 } ?? ""
        throw .usage("\(place) takes \(list), not '\(CommandFailure.quoted(word))'\(meant)")
    }

    /// The case that a word names.
    package static func named<Case: RawRepresentable & CaseIterable>(
        _ word: String, for place: String
    ) throws(CommandFailure) -> Case where Case.RawValue == String {
        try check(word, among: Case.allCases.map(\.rawValue), for: place)
        guard let named = Case(rawValue: word) else { preconditionFailure("it was checked") }
        return named
    }
}

/// A word of a command line, as bytes and as text, with U+FFFD for bytes that are not UTF-8.
struct Word: Equatable {
    let bytes: [UInt8]
    let text: String

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        text = String(decoding: bytes, as: UTF8.self)
    }
}

/// A call of a command: its arguments, options and console.
package struct Invocation: Sendable {
    /// The program that was called.
    let program: Program
    /// The command's name.
    package let name: String
    let words: [Word]
    package let console: Console
    let values: [(name: String, value: String)]

    /// The arguments as text.
    package var arguments: [String] { words.map(\.text) }

    /// The bytes of an argument, which need not be UTF-8.
    package func bytes(at index: Int) -> [UInt8] { words[index].bytes }

    /// The value of an option, if it was given.
    package func value(_ option: String) -> String? {
        values.first { $0.name == option }?.value
    }

    /// The values of an option that may be repeated, in their order.
    package func values(_ option: String) -> [String] {
        values.filter { $0.name == option }.map(\.value)
    }

    /// Whether an option was given.
    package func has(_ option: String) -> Bool { value(option) != nil }

    /// The numeric value of an option.
    package func number(_ option: String) throws(CommandFailure) -> UInt64? {
        guard let text = value(option) else { return nil }
        return try Self.number(text, option)
    }

    /// The numeric value of an argument; `what` names it in the error.
    package func number(at index: Int, _ what: String) throws(CommandFailure) -> UInt64 {
        try Self.number(arguments[index], what)
    }

    /// The value of an option as an id.
    package func id<ID: EventID>(_ option: String) throws(CommandFailure) -> ID? {
        try number(option).map { ID($0) }
    }

    /// The value of an argument as an id; `what` names it in the error.
    package func id<ID: EventID>(at index: Int, _ what: String) throws(CommandFailure) -> ID {
        ID(try number(at: index, what))
    }

    /// The value of an option as a number of 32 bits.
    package func number32(_ option: String) throws(CommandFailure) -> UInt32? {
        guard let number = try number(option) else { return nil }
        guard let number = UInt32(exactly: number) else {
            throw .usage("\(option) is at most \(UInt32.max)")
        }
        return number
    }

    /// The number that a word is; `what` names its place in the error.
    package static func number(_ text: String, _ what: String) throws(CommandFailure) -> UInt64 {
        guard let number = OutsideNumber.parse(text) else {
            throw .usage(
                "\(what) takes a number up to \(OutsideNumber.greatest), not "
                    + "'\(CommandFailure.quoted(text))'")
        }
        return number
    }
}
