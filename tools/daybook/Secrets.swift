import Daybook
import DaybookCommands
import DaybookSystem

/// Reads secrets from files, standard input, or the terminal with echo off.
///
/// Secrets are read as bytes that the caller wipes, never as a `String`.
enum Secrets {
    static let passphraseOption = Command.Option(
        "--passphrase-file", "F", "read the passphrase from F, - is standard input")
    static let newPassphraseOption = Command.Option(
        "--new-passphrase-file", "F", "read the new passphrase from F, - is standard input")
    static let weakOption = Command.Option(
        "--weak", nil, "accept a passphrase of fewer than 8 characters")

    private static let limit = 4096
    private static let keystoreLimit = 65_536

    /// Throws if more than one option is `-`, because standard input can be read only once.
    static func checkStandardInput(_ invocation: Invocation, _ options: [String])
        throws(CommandFailure)
    {
        guard options.filter({ invocation.value($0) == "-" }).count <= 1 else {
            throw .usage("standard input can be only one of the files")
        }
    }

    /// Reads a wallet's passphrase; a new one is asked for twice.
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

    /// Whether a person can be asked.
    static var isInteractive: Bool { Terminal.isTerminal(0) && Terminal.isTerminal(2) }

    /// Reads a passphrase, key or password from a file that only its owner may use.
    ///
    /// The line break at its end, also with a carriage return, is removed. A file that others of
    /// its group may read is taken if `isShared` says that it is one that a node shares so.
    static func secret(
        _ path: String, of option: String, isShared: ([UInt8]) -> Bool = { _ in false }
    ) throws(CommandFailure) -> [UInt8] {
        var (bytes, users) = try read(path, option)
        let isExposed =
            switch users {
            case .owner: false
            case .group: !isShared(bytes)
            case .all: true
            }
        guard !isExposed else {
            wipe(&bytes)
            throw CommandFailure(
                "fileExposed", .usage,
                "\(option) names a file that others may use; make it yours alone (chmod 600)")
        }
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        return bytes
    }

    /// Reads a keystore file, which others may have: its password protects it.
    static func keystore(_ path: String, of option: String) throws(CommandFailure) -> [UInt8] {
        try read(path, option, limit: keystoreLimit).bytes
    }

    private static func read(
        _ path: String, _ option: String, limit: Int = limit
    ) throws(CommandFailure) -> (bytes: [UInt8], users: FileUsers) {
        do {
            return path == "-"
                ? (try StandardStreams.readAll(limit: limit), .owner)
                : try Files.readSecret(path, limit: limit, orPipe: true)
        } catch {
            throw unreadable(option, error)
        }
    }

    /// Never repeats the name: some users type the secret itself instead of a file's name.
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
