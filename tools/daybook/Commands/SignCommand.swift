import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let sign = Command(
        "sign", "FILE", count: 1...1, does: """
            sign what another machine wrote with `approve N --offline FILE`
            Shows the terms of the transaction in FILE and signs only that, with the warnings of a
            prompt. A fee above the bound for payments is refused. Needs no network. The result goes
            to FILE.signed, for `approve N --signed` on the other machine. A PSBT of version 0 or 2
            is read in binary, base64 or hexadecimal digits; one of another program may pay several,
            all of whom are shown.
            """,
        options: [
            Option("--wallet", "W", "the wallet to sign with, if several could"),
            Option("--out", "FILE", "write the result to this new file"),
            Option("--yes", nil, "do not ask"),
        ] + Secrets.passphraseOptions, changes: true
    ) { invocation, store in
        let path = invocation.arguments[0]
        let content = try SigningFile.read(path)
        let wallet = try await WalletName.findIfNamed(invocation.value("--wallet"), store)?.id
        let terms = try await store.terms(of: content, wallet: wallet)
        try ask(about: terms, in: path, invocation)
        let signed = try await store.sign(
            content, shown: terms, unlockedBy: try Passphrase(reading: invocation))
        return try write(signed, for: path, terms.prompt.json, invocation)
    }

    private static func ask(
        about terms: SigningTerms, in path: String, _ invocation: Invocation
    ) throws {
        try invocation.console.note(
            "\(path) asks for a signature of this:\n"
                + terms.prompt.text(columns: Terminal.columns(of: 2)))
        try confirm(invocation, "sign?", otherwise: "nothing was signed")
    }

    private static func write(
        _ signed: [UInt8], for path: String, _ terms: JSON, _ invocation: Invocation
    ) throws -> ExitStatus {
        let result = invocation.value("--out") ?? path + ".signed"
        try SigningFile.write(signed, to: result)
        try invocation.console.result(
            .record(["file": .string(result), "terms": terms]),
            "wrote \(result): take it back with `daybook approve N --signed`")
        return .done
    }
}

extension Passphrase {
    /// The passphrase of a wallet, from its file or the terminal.
    fileprivate init(reading invocation: Invocation) throws {
        var bytes = try Secrets.passphrase(invocation)
        self.init(wiping: &bytes)
    }
}

/// The files that go between the machine with a watch-only wallet and the one with its key.
enum SigningFile {
    /// Where an approval is signed.
    enum Place {
        case here
        /// On another machine: the signing request to write.
        case offline(String)
        /// On another machine, with the signatures in this file.
        case signed(String)

        init(_ invocation: Invocation) throws(CommandFailure) {
            switch (invocation.value("--offline"), invocation.value("--signed")) {
            case (nil, nil): self = .here
            case (let path?, nil): self = .offline(path)
            case (nil, let path?): self = .signed(path)
            default: throw .usage("--offline and --signed do not go together")
            }
        }
    }

    /// The largest file that is read, for a PSBT in hexadecimal digits.
    private static let limit = 40 << 20

    static func read(_ path: String) throws -> [UInt8] {
        path == "-"
            ? try StandardStreams.readAll(limit: limit)
            : try Files.readInput(path, limit: limit)
    }

    /// Throws if a file exists.
    static func refuseExisting(_ path: String) throws {
        guard try !Files.exists(path) else {
            throw CommandFailure("fileExists", .usage, quoting: "\(path) exists already")
        }
    }

    /// Writes a new file that only its owner may read.
    static func write(_ content: [UInt8], to path: String) throws {
        try refuseExisting(path)
        try Files.writeAtomically(path, content, mode: 0o600)
    }
}
