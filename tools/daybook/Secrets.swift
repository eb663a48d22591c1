import Daybook
import DaybookCommands
import DaybookSystem

/// Where secrets come from: files, standard input, or the terminal with echo off.
///
/// They are read into bytes that the caller hands on to be wiped, and never into a text.
enum Secrets {
    static let passphraseOption = Command.Option(
        "--passphrase-file", "F", "read the passphrase from F, - is standard input")
    static let newPassphraseOption = Command.Option(
        "--new-passphrase-file", "F", "read the new passphrase from F, - is standard input")
    static let weakOption = Command.Option(
        "--weak", nil, "take a passphrase of fewer than 8 characters")

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
    static func passphrase(
        _ invocation: Invocation, isNew: Bool = false, from: Command.Option = passphraseOption
    ) throws -> [UInt8] {
        let option = from.name
        if let path = invocation.value(option) { return try secret(path, of: option) }
        guard isInteractive else {
            throw CommandFailure(
                "passphraseMissing", .passphrase,
                "no passphrase: give \(option) F, or call this on a terminal")
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

    /// A passphrase or key that a file holds, which must be its owner's alone.
    static func secret(_ path: String, of option: String) throws -> [UInt8] {
        try checkOwnerAlone(path, option)
        return try password(path, of: option)
    }

    /// A node's password that a file holds: the file is the node's, which may share it.
    ///
    /// It comes without the line's end that editors put there; the carriage return goes too, for
    /// nobody could type it.
    static func password(_ path: String, of option: String) throws -> [UInt8] {
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
            throw unreadable(option, error)
        }
    }

    /// Refuses a file that others may read or write; a pipe is whoever made it's alone.
    private static func checkOwnerAlone(
        _ path: String, _ option: String
    ) throws(CommandFailure) {
        guard path != "-" else { return }
        let found: FileInformation?
        do {
            found = try Files.information(path)
        } catch {
            throw unreadable(option, error)
        }
        guard let found, found.kind == .file else { return }
        // What root gives us to read is not less safe than root is.
        let isOurs = found.owner == Files.currentUser || found.owner == 0
        guard isOurs, found.mode & 0o077 == 0 else {
            throw CommandFailure(
                "fileExposed", .usage,
                "\(option) names a file that others may use; make it yours alone (chmod 600)")
        }
    }

    /// Some type the secret itself instead of its file's name: never repeat it.
    private static func unreadable(_ option: String, _ error: SystemError) -> CommandFailure {
        CommandFailure(
            "unreadableFile", .usage,
            "\(option) names a file, which cannot be read: \(error.code)")
    }

    static func wipe(_ bytes: inout [UInt8]) {
        for index in bytes.indices { bytes[index] = 0 }
        bytes = []
    }
}
