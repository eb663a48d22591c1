import Daybook
import DaybookCommands
import DaybookSystem

/// Where secrets come from: files, standard input, or the terminal with echo off.
///
/// They are read into bytes that the caller hands on to be wiped, and never into a text.
enum Secrets {
    static let passphraseOption = Command.Option(
        "--passphrase-file", "F", "read the passphrase from F, - is standard input")

    private static let limit = 4096
    private static let keystoreLimit = 65_536

    /// Standard input can be read once: refuses more than one `-` among the options.
    static func checkStandardInput(_ invocation: Invocation, _ options: [String])
        throws(CommandFailure)
    {
        guard options.filter({ invocation.value($0) == "-" }).count <= 1 else {
            throw .usage("standard input can be only one of the files")
        }
    }

    /// The wallet's passphrase; asked for twice where a new one is chosen.
    static func passphrase(_ invocation: Invocation, isNew: Bool = false) throws -> [UInt8] {
        let option = passphraseOption.name
        if let path = invocation.value(option) { return try secret(path, of: option) }
        guard isInteractive else {
            throw CommandFailure(
                "passphraseMissing", .passphrase,
                "no passphrase: give --passphrase-file F, or call this on a terminal")
        }
        var first = try typed(isNew ? "new passphrase: " : "passphrase: ")
        guard isNew else { return first }
        var second = try typed("the same again: ")
        let isSame = first == second
        wipe(&second)
        if isSame { return first }
        wipe(&first)
        throw CommandFailure(
            "passphraseMismatch", .passphrase, "the two passphrases are not the same")
    }

    private static func typed(_ prompt: String) throws(CommandFailure) -> [UInt8] {
        do {
            return try Terminal.readPassphrase(prompt: prompt)
        } catch where error.code == .interrupted {
            throw CommandFailure("passphraseMissing", .passphrase, "no passphrase was given")
        } catch {
            throw CommandFailure("passphraseMissing", .passphrase, error.description)
        }
    }

    /// Whether a person sits at the other end.
    static var isInteractive: Bool { Terminal.isTerminal(0) && Terminal.isTerminal(2) }

    /// A secret that a file holds, without the line's end that editors put there; the carriage
    /// return too, for nobody could type it.
    static func secret(_ path: String, of option: String) throws -> [UInt8] {
        var bytes = try file(path, option, limit: limit)
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        return bytes
    }

    /// A keystore file, as it is.
    static func keystore(_ path: String, of option: String) throws -> [UInt8] {
        try file(path, option, limit: keystoreLimit)
    }

    private static func file(
        _ path: String, _ option: String, limit: Int
    ) throws(CommandFailure) -> [UInt8] {
        do {
            return path == "-"
                ? try StandardStreams.readAll(limit: limit) : try Files.read(path, limit: limit)
        } catch {
            // Some type the secret itself instead of its file's name: never repeat it.
            throw CommandFailure(
                "unreadableFile", .usage,
                "\(option) names a file, which cannot be read: \(error.code)")
        }
    }

    static func wipe(_ bytes: inout [UInt8]) {
        for index in bytes.indices { bytes[index] = 0 }
        bytes = []
    }
}
