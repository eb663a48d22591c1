package import DaybookEncoding

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
