import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// Reads secrets from files, standard input, or the terminal with echo off.
///
/// Secrets are read as bytes that the caller wipes, never as a `String`.
enum Secrets {
    static let passphraseOptions = [Parameter.passphrase()].compactMap(\.option)

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

    /// Reads what a parameter's option names; a secret that is needed is asked for without it.
    static func value(
        of parameter: Parameter, isNeeded: Bool, _ invocation: Invocation
    ) throws -> WipedBytes? {
        guard let option = parameter.option?.name else { return nil }
        var bytes: [UInt8]
        if let path = invocation.value(option) {
            bytes = parameter.kind == .object
                ? try keystore(path, of: option) : try secret(path, of: option)
        } else if isNeeded {
            bytes = try asked(option, isNew: parameter.kind == .newSecret)
        } else {
            return nil
        }
        defer { wipe(&bytes) }
        return WipedBytes(copying: bytes)
    }

    /// Reads a wallet's passphrase.
    static func passphrase(_ invocation: Invocation) throws -> [UInt8] {
        guard let option = passphraseOptions.first?.name else { return [] }
        guard let path = invocation.value(option) else { return try asked(option, isNew: false) }
        return try secret(path, of: option)
    }

    /// Whether the wallet's passphrase comes from a file: then asking again would change nothing.
    static func isPassphraseInFile(_ invocation: Invocation) -> Bool {
        passphraseOptions.contains { invocation.has($0.name) }
    }

    /// Asks on the terminal for a passphrase, for a new one twice.
    private static func asked(_ option: String, isNew: Bool) throws -> [UInt8] {
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
            throw .fileExposed(option)
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

extension Console {
    /// Prints a new wallet and its words: as bytes, which are wiped at once.
    func show(_ answer: MethodAnswer, _ words: WipedBytes) throws {
        do {
            if !isJSON { try text(try answer.text()) }
            let (before, after) = isJSON
                ? (Console.line(answer.json).dropLast() + #","mnemonic":""#, "\"}\n")
                : ("\n  ", "\n\n")
            let line = WipedBytes(copying: Array(before.utf8))
            line.append(words)
            line.append(Array(after.utf8))
            var bytes = line.unprotected()
            defer { Secrets.wipe(&bytes) }
            try StandardStreams.write(bytes, to: .output)
            try text(
                "These words are the wallet. Write them down: they are not shown again.")
        } catch let error as SystemError {
            let wallet = answer.json["wallet"]?.text() ?? ""
            throw CommandFailure(
                "wordsNotShown", .store,
                "wallet \(wallet) is added, but its words may not have been seen: "
                    + error.description)
        }
    }

    /// Throws if new words could not be shown: without them, a damaged disk loses the wallet.
    func checkWordsCanBeShown() throws(CommandFailure) {
        guard isJSON || Terminal.isTerminal(1) else {
            throw CommandFailure(
                "terminalMissing", .usage,
                "new words are shown on a terminal only; --json gives them to a program")
        }
    }
}
