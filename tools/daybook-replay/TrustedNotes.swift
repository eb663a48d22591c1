import DaybookCommands
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

/// An auditor's own checkpoints, kept earlier or received from others, and keys.
struct TrustedNotes {
    let trust: AuditTrust

    /// The tree heads of the checkpoints in `--checkpoint`, and who cosigned them.
    var heads: [VouchedHead] { trust.heads }
    /// The keys in `--key`, one per line; several if the log has changed its key.
    var keys: [NoteVerifierKey] { trust.keys }
    /// The keys in `--witness`.
    var witnesses: [WitnessKey] { trust.witnesses }

    static let options = [
        Command.Option(
            "--checkpoint", "F", "the log must agree with the checkpoints in this file",
            repeatable: true),
        Command.Option("--key", "F", "checkpoints must be signed by a key in this file"),
        Command.Option(
            "--witness", "KEY", "say what this witness has cosigned; its key, or a file with keys",
            repeatable: true),
        Command.Option(
            "--tsa-certificates", "PEM", "time stamps must lead to a certificate in this file"),
    ]

    /// Throws unless the checkpoints are of the log, and signed by one of the keys or witnesses, if
    /// any are given.
    init(_ invocation: Invocation, _ logID: Bytes) throws {
        var trust = AuditTrust()
        trust.authorities = try invocation.value("--tsa-certificates").map(Self.authorities)
        do {
            let keys = try invocation.value("--key").map { try Self.keys($0) } ?? []
            let witnesses = try invocation.values("--witness").flatMap { try Self.witnesses($0) }
            let notes = try invocation.values("--checkpoint").flatMap {
                try SignedNote.sequence(try Files.readInput($0, limit: NoteLimits.noteBytes))
            }
            trust.heads = try notes.map { note in
                let checkpoint = try Checkpoint(text: note.text)
                if checkpoint.origin != .ofLog(logID) { throw NoteError.otherOrigin }
                let claims = try witnesses.compactMap { try $0.claim(in: note) }
                // A witness's word is worth more than the log's own.
                if claims.isEmpty, !(keys.isEmpty && witnesses.isEmpty) {
                    _ = try note.verified(by: keys)
                }
                return VouchedHead(checkpoint.head, claims: claims)
            }
            trust.keys = keys
            trust.witnesses = Array(Set(witnesses)).sorted { $0.text < $1.text }
            self.trust = trust
        } catch let error as NoteError {
            throw CommandFailure("invalidCheckpoint", .refused, quoting: "\(error)")
        }
    }

    private static func authorities(_ path: String) throws -> StampTrust {
        let pem = try Files.readInput(path, limit: StampTrust.mostBytes)
        do {
            return try StampTrust(pem: pem)
        } catch {
            throw CommandFailure("invalidCertificates", .usage, quoting: "\(path): \(error)")
        }
    }

    private static func keys(_ path: String) throws -> [NoteVerifierKey] {
        try lines(path).map { try NoteVerifierKey($0) }
    }

    /// The witness's key that an option names, or those in the file that it names.
    private static func witnesses(_ text: String) throws -> [WitnessKey] {
        if let key = try? WitnessKey(text) { return [key] }
        // A path may have pluses, but a text with two that is no file is meant as a key.
        if try !Files.exists(text), text.count(where: { $0 == "+" }) >= 2 {
            return [try WitnessKey(text)]
        }
        return try lines(text).map { try WitnessKey($0) }
    }

    /// The keys in a file, one a line.
    private static func lines(_ path: String) throws -> [String] {
        let text = try Files.readInput(path, limit: NoteLimits.noteBytes)
        return try text.split(separator: 0x0a).map { line in
            guard let key = Text.utf8String(Bytes(line)) else { throw NoteError.malformedKey }
            // `daybook checkpoint` prints the key behind this word.
            let word = "key: "
            return Text.begins(key, with: word) ? String(key.dropFirst(word.count)) : key
        }
    }

    /// Throws if no checkpoint is signed by one of the keys, or none by one of the witnesses.
    func check(_ result: Verification) throws {
        let found = result.checkpoints
        if !witnesses.isEmpty,
            !witnesses.contains(where: { result.coverage.has(Coverage.Voucher($0)) })
        {
            throw CommandFailure(
                "notWitnessed", .refused, "the witness has cosigned no checkpoint of this log")
        }
        if keys.isEmpty || !heads.isEmpty || found.signed > 0 { return }
        if found.count == 0 {
            throw CommandFailure(
                "noCheckpoint", .refused, "there is no checkpoint that the key could have signed")
        }
        throw CommandFailure(
            "checkpointUnknownKey", .refused,
            "the key has signed none of the \(found.count) checkpoints")
    }

    /// The auditor's last checkpoint.
    var json: JSON? {
        heads.max { $0.head.size < $1.head.size }.map { vouched in
            .record([
                "size": .int(vouched.head.size),
                "root": .string(Hex.encode(vouched.head.root.bytes)),
                "signed": .bool(!(keys.isEmpty && witnesses.isEmpty)),
            ])
        }
    }

    var lines: [TerminalText] {
        heads.map { vouched in
            "checkpoint of \(vouched.head.size) events: \(signer(of: vouched))"
        }
    }

    private func signer(of vouched: VouchedHead) -> TerminalText {
        if !vouched.claims.isEmpty {
            return "cosigned by \(vouched.claims.map(\.by.name).joined(separator: ", "))"
        }
        return keys.isEmpty
            ? "its signature was not checked, for want of a key" : "signed by the key"
    }
}
