import DaybookCrypto
import DaybookEncoding
import DaybookLog
import Foundation
import TestSupport
import Testing

/// The proofs that a part of a log gives to a reader who has only it and the log's public key.
struct PartialAuditTests {
    private let scene: Scene
    private let request: String
    private let key: String

    init() throws {
        scene = try Scene()
        request = try scene.pending("dashwallet://pay=\(Scene.payee)&amount=1&sender=myapp")
        #expect(try scene.approve(request).status == 0)
        let made = try scene.done("checkpoint", "--json").object
        key = try scene.write("key", try #require(made["key"]?.stringValue) + "\n")
        try scene.write("note", try #require(made["note"]?.stringValue))
    }

    private func position(of type: String) throws -> UInt64 {
        let event = try scene.daybook("log", "--json").objects.last { $0["type"] == .string(type) }
        return UInt64(try #require(event?["position"]?.intValue))
    }

    /// The names of what could not be checked.
    private func gaps(_ answer: ProgramRun) throws -> [String] {
        try (answer.object["notChecked"]?.arrayValue ?? []).compactMap { $0["check"]?.stringValue }
    }

    @Test(arguments: ["request.daybook", "request.jsonl"])
    func `a part is verified as far as it goes, and the open checks are named`(name: String)
        throws
    {
        let whole = try scene.replay("verify", scene.home, "--key", key, "--json").object
        try scene.done("export", scene.path(name), "--request", request)
        let answer = try scene.replay("verify", scene.path(name), "--key", key, "--json")
        #expect(answer.status == 0, "\(answer.error)")
        let found = try answer.object
        #expect(found["root"] == whole["root"] && found["size"] == whole["events"])
        #expect(found["violations"] == .array([]))
        #expect(found["signatures"]?.intValue == 1)
        let own = try scene.daybook("log", "--request", request, "--json").lines.count
        #expect(found["events"]?.intValue == Int64(own))
        #expect(found["checkpoints"] == whole["checkpoints"])
        #expect(found["checkpoints"]?["signed"]?.intValue == 1)
        #expect(try gaps(answer) == ["replay", "rules", "completeness"])
        let text = try scene.replay("verify", scene.path(name))
        #expect(text.status == 0)
        #expect(text.output.contains("verify: \(own) of the log's "))
        #expect(text.output.contains("not checked: checkpointSignatures: no key"))
    }

    @Test func `a signature is checked only beside the prepared transaction`() throws {
        let signed = try position(of: "transaction.signed")
        let path = scene.path("signed.daybook")
        try scene.done("export", path, "--from", "\(signed)", "--to", "\(signed)")
        let answer = try scene.replay("verify", path, "--json")
        #expect(answer.status == 0, "\(answer.error)")
        #expect(try answer.object["signatures"]?.intValue == 0)
        #expect(
            try gaps(answer)
                == ["replay", "rules", "transactionSignatures", "checkpointSignatures"])
    }

    @Test func `events behind the last checkpoint are said to be signed by nobody`() throws {
        let late = try scene.pending("dashwallet://request=address&sender=late")
        try scene.done("export", scene.path("late.jsonl"), "--request", late)
        let answer = try scene.replay("verify", scene.path("late.jsonl"), "--key", key, "--json")
        #expect(answer.status == 0, "\(answer.error)")
        #expect(try gaps(answer).last == "eventsAfterCheckpoint")
    }

    @Test func `a forged part is found out by its signatures`() throws {
        let signed = try position(of: "transaction.signed")
        let forged = try forgedExport { record in
            guard record.position == signed, var bytes = record.data["bytes"]?.bytesValue else {
                return record.data
            }
            // Within the only input's signature.
            bytes[60] ^= 1
            return .record(["txid": record.data["txid"], "bytes": .bytes(bytes)])
        }
        let answer = try scene.replay("verify", try write("forged", forged), "--json")
        answer.expectFailure(1, "signedSomethingElse", of: "verify")
        let rules = try answer.object["violations"]?.arrayValue?.map { $0["rule"]?.stringValue }
        #expect(rules == ["signedSomethingElse", "badSignature"])
    }

    // MARK: - Keys and checkpoints

    @Test func `a key that signed no checkpoint is refused, whatever is verified`() throws {
        let id = try EventLog(readingAt: scene.home + "/log").id
        let other = try scene.write("other", try Self.signingKey(id).verifierKey.text)
        try scene.done("export", scene.path("whole.daybook"))
        try scene.done("export", scene.path("part.jsonl"), "--request", request)
        for source in ["store", "whole.daybook", "part.jsonl"] {
            try scene.replay("verify", scene.path(source), "--key", other)
                .expectFailure(1, "checkpointUnknownKey", of: "verify")
            #expect(try scene.replay("verify", scene.path(source), "--key", key).status == 0)
            // A log that changed its key has two.
            let both = try scene.write(
                "both", try Self.signingKey(id).verifierKey.text + "\n" + read("key"))
            #expect(try scene.replay("verify", scene.path(source), "--key", both).status == 0)
        }
    }

    @Test func `a checkpoint whose signature was altered is found in an export`() throws {
        for selection in [ExportSelection.all, ExportSelection(to: 3)] {
            let bytes = try forgedExport(selection, noteAt: 3)
            let answer = try scene.replay(
                "verify", try write("forged", bytes), "--key", key, "--json")
            answer.expectFailure(1, "checkpointMismatch", of: "verify")
        }
    }

    @Test func `a kept checkpoint is held against a part wherever its tree is whole there`()
        throws
    {
        let log = try EventLog(readingAt: scene.home + "/log")
        let (id, count) = try log.read { ($0.logID, $0.count) }
        try scene.done("export", scene.path("part.daybook"), "--from", "9", "--to", "12")
        let signer = try Self.signingKey(id)
        func verify(_ head: TreeHead) throws -> ProgramRun {
            try write("kept", signer.sign(head).bytes)
            return try scene.replay(
                "verify", scene.path("part.daybook"), "--checkpoint", scene.path("kept"), "--json")
        }
        // 8 and 9 end subtrees before the part, 12 and 13 end with events of it.
        for size in [0, 8, 9, 12, 13, count] {
            let head = try log.read { try $0.head(at: size) }
            #expect(try verify(head).status == 0, "\(size)")
            if size == 0 { continue }
            let answer = try verify(TreeHead(size: size, root: .ofEmptyTree))
            answer.expectFailure(1, "checkpointMismatch", of: "verify")
            let first = try answer.object["violations"]?.arrayValue?.first
            #expect(first?["position"]?.intValue == Int64(size) - 1)
        }
        try verify(try log.read { try $0.head(at: 5) })
            .expectFailure(1, "checkpointNotCovered", of: "verify")
        try verify(TreeHead(size: count + 1, root: .ofEmptyTree))
            .expectFailure(1, "checkpointMismatch", of: "verify")
    }

    @Test func `a note that the log made is comparable with every part made later`() throws {
        _ = try scene.pending("dashwallet://request=address&sender=late")
        for words in [["--from", "1", "--to", "2"], ["--request", request], []] {
            let path = scene.path("part.jsonl")
            let made = try Programs.run(
                [Programs.daybook, "export", path, "--force"] + words,
                environment: ["DAYBOOK_HOME": scene.home])
            #expect(made.status == 0, "\(made.error)")
            let answer = try scene.replay(
                "verify", path, "--checkpoint", scene.path("note"), "--key", key, "--json")
            #expect(answer.status == 0, "\(answer.error)")
            #expect(try answer.object["checkpoint"]?["signed"] == .bool(true))
        }
    }

    // MARK: - Forgeries

    private static func signingKey(_ id: Bytes) throws -> NoteSigningKey {
        let seed = SecretBytes(copying: Bytes(repeating: 5, count: 32))
        guard let key = Ed25519PrivateKey(seed) else { throw CocoaError(.coderInvalidValue) }
        return NoteSigningKey(name: .ofLog(id), privateKey: key)
    }

    private func read(_ name: String) throws -> String {
        try String(contentsOfFile: scene.path(name), encoding: .utf8)
    }

    @discardableResult
    private func write(_ name: String, _ bytes: Bytes) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: scene.path(name)))
        return scene.path(name)
    }

    /// An export of the log with other data in its events, whose hashes are all right; and with a
    /// checkpoint in the name of the log's key that the key never signed.
    private func forgedExport(
        _ selection: ExportSelection? = nil, noteAt size: UInt64? = nil,
        data: (EventRecord) throws -> CBOR = { $0.data }
    ) throws -> Bytes {
        let records = try EventLog(readingAt: scene.home + "/log").read {
            try $0.records(from: 0, limit: .max)
        }
        let events = try records.map { record in
            EventRecord(
                logID: record.logID, position: record.position, stream: record.stream,
                revision: record.revision, type: record.type, version: record.version,
                time: record.time, session: record.session, request: record.request,
                cause: record.cause, actor: record.actor,
                data: try data(record).encoded()
            ).bytes
        }
        var appender = try TreeAppender(MemoryRows(), size: 0)
        for event in events { appender.append(event) }
        appender.save()
        let tree = TreeReader(appender.rows, size: appender.size)
        let selection = selection ?? ExportSelection(request: UInt64(request))
        let header = ExportHeader(
            logID: records[0].logID, head: try tree.head(at: tree.size), selection: selection)
        var rest = try events.filter { selection.admits(try EventRecord.decode($0)) }[...]
        var notes = try size.map { [(size: $0, note: try unsigned(try tree.head(at: $0)))] } ?? []
        var output = Bytes()
        let writer = ExportWriter(.daybook) { output += $0 }
        let export = LogExport(
            header, cover: { try tree.cover($0) }, checkpoints: { notes.popLast() })
        _ = try export.write(to: writer) { rest.popFirst() }
        return output
    }

    /// The log's own note with another head in it, under the same signature.
    private func unsigned(_ head: TreeHead) throws -> Bytes {
        var lines = try read("note").split(separator: "\n", omittingEmptySubsequences: false)
        lines[1] = Substring("\(head.size)")
        lines[2] = Substring(Base64.encode(head.root.bytes))
        return Bytes(lines.joined(separator: "\n").utf8)
    }
}
