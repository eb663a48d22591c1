import DaybookCrypto
import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookReplay
import Foundation
import Testing

/// An auditor's questions to a store: does it hold, what if, and what is different.
struct AuditCommandTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    private func pay(_ amount: String = "1") throws -> String {
        try scene.pending("dashwallet://pay=\(Scene.payee)&amount=\(amount)&sender=myapp")
    }

    private func log<Value>(_ body: (LogSnapshot) throws -> Value) throws -> Value {
        try EventLog(readingAt: scene.home + "/log").read(body)
    }

    // MARK: - verify

    @Test func `verify counts events and signatures and finds nothing in an honest store`() throws {
        #expect(try scene.approve(try pay()).status == 0)
        let answer = try scene.replay("verify", scene.home, "--json")
        #expect(answer.status == 0, "\(answer.error)")
        let head = try log { try $0.head() }
        #expect(try answer.object["events"]?.intValue == Int64(head.size))
        #expect(try answer.object["root"]?.stringValue == Hex.encode(head.root.bytes))
        #expect(try answer.object["signatures"]?.intValue == 1)
        #expect(try answer.object["violations"] == .array([]))
        #expect(try scene.replay("verify", scene.home + "/log", "--json").output == answer.output)
        let text = try scene.replay("verify", scene.home)
        #expect(text.lines[0] == "verify: \(head.size) events, 1 signatures, 0 violations")
    }

    @Test func `an event that was altered in the store is found by its hash and by its rule`()
        throws
    {
        let id = try scene.pending("dashwallet://request=address&sender=myapp")
        #expect(try scene.approve(id).status == 0)
        let place = try #require(
            try scene.daybook("log", "--json").objects.last {
                $0["type"] == .string("callback.emitted")
            }?["position"]?.intValue)
        let record = try #require(try log { try $0.record(at: UInt64(place)) })
        let forged = EventRecord(
            logID: record.logID, position: record.position, stream: record.stream,
            revision: record.revision, type: record.type, version: record.version,
            time: record.time, session: record.session, request: record.request,
            cause: record.cause, actor: record.actor,
            data: .record(["url": .text("myapp://callback=payack&txid=00")]))
        try alter("events", Self.key(UInt64(place)), forged.bytes)
        let answer = try scene.replay("verify", scene.home, "--json")
        answer.expectFailure(1, "givenWithoutDecision", of: "verify")
        let found = try #require(try answer.object["violations"]?.arrayValue)
        #expect(
            Set(found.compactMap { $0["rule"]?.stringValue })
                == ["treeMismatch", "givenWithoutDecision"])
        #expect(found.allSatisfy { $0["position"]?.intValue == Int64(place) })
    }

    @Test func `a hash that was altered in the tree is found at its event`() throws {
        let key: Bytes = [15] + Self.key(0)
        var row = try #require(try log { try $0.treeRow(key) })
        row[32 * 2] ^= 1
        try alter("tree", key, row, in: "derived")
        let answer = try scene.replay("verify", scene.home, "--json")
        answer.expectFailure(1, "treeMismatch", of: "verify")
        let found = try #require(try answer.object["violations"]?.arrayValue)
        #expect(found.map { $0["position"]?.intValue } == [2])
    }

    /// Alters a table of the store, the derived ones of which reach to the log's end.
    private func alter(
        _ table: String, _ key: Bytes, _ value: Bytes, in folder: String = "log"
    ) throws {
        try EventLog(opening: scene.home + "/log").bringForward()
        try DaybookLMDB.Environment("\(scene.home)/\(folder)").write { view in
            try view.put(try #require(try view.table(table)), key, value)
        }
    }

    private static func key(_ position: UInt64) -> Bytes {
        (0..<8).map { UInt8(truncatingIfNeeded: position >> (56 - 8 * UInt64($0))) }
    }

    // MARK: - Checkpoints

    @Test func `a log that goes on from its checkpoint holds, another does not`() throws {
        let (id, head) = try log { ($0.logID, try $0.head(at: 9)) }
        let key = try Self.signingKey(.ofLog(id))
        let note = try scene.write(
            "note", String(decoding: key.sign(head).bytes, as: UTF8.self))
        let verifier = try scene.write("key", key.verifierKey.text + "\n")
        let answer = try scene.replay(
            "verify", scene.home, "--checkpoint", note, "--key", verifier, "--json")
        #expect(answer.status == 0, "\(answer.error)")
        #expect(try answer.object["checkpoint"]?["size"]?.intValue == 9)
        #expect(try answer.object["checkpoint"]?["signed"] == .bool(true))
        // As `checkpoint` prints it.
        let line = try scene.write("line", "key: " + key.verifierKey.text + "\n")
        let again = try scene.replay(
            "verify", scene.home, "--checkpoint", note, "--key", line, "--json")
        #expect(again.output == answer.output, "\(again.error)")
        let unchecked = try scene.replay("verify", scene.home, "--checkpoint", note)
        #expect(unchecked.status == 0)
        #expect(unchecked.output.contains("its signature was not checked"))

        let root = try log { try $0.head(at: 8).root }
        for (size, position) in [(9, 8), (9999, try log { $0.count })] as [(UInt64, UInt64)] {
            let forged = key.sign(TreeHead(size: size, root: root)).bytes
            try scene.write("note", String(decoding: forged, as: UTF8.self))
            let answer = try scene.replay("verify", scene.home, "--checkpoint", note, "--json")
            answer.expectFailure(1, "checkpointMismatch", of: "verify")
            let found = try answer.object["violations"]?.arrayValue
            #expect(found?.map { $0["position"]?.intValue } == [Int64(position)])
        }
    }

    @Test func `a checkpoint of another log or key is refused`() throws {
        let (id, head) = try log { ($0.logID, try $0.head()) }
        let own = try Self.signingKey(.ofLog(id))
        let other = try Self.signingKey(.ofLog(id.reversed()), seed: 2)
        let note = try scene.write(
            "note", String(decoding: other.sign(head).bytes, as: UTF8.self))
        try scene.replay("verify", scene.home, "--checkpoint", note)
            .expectFailure(1, "invalidCheckpoint", of: "verify")
        let key = try scene.write("key", own.verifierKey.text)
        try scene.replay("verify", scene.home, "--checkpoint", note, "--key", key)
            .expectFailure(1, "invalidCheckpoint", of: "verify")
        try scene.replay("verify", scene.home, "--key", key)
            .expectFailure(1, "noCheckpoint", of: "verify")
    }

    @Test func `of several kept checkpoints the last that agrees says where to look`() throws {
        let id = try log { $0.logID }
        let key = try Self.signingKey(.ofLog(id))
        let heads = [
            try log { try $0.head(at: 4) }, try log { try $0.head(at: 9) },
            TreeHead(size: 11, root: try log { try $0.head(at: 9).root }),
        ]
        let notes = heads.map { String(decoding: key.sign($0).bytes, as: UTF8.self) }
        let verifier = try scene.write("key", key.verifierKey.text)
        let good = try scene.write("notes", notes[1] + notes[0])
        let words = ["--key", verifier, "--json"]
        #expect(
            try scene.replay("verify", scene.home, "--checkpoint", good, words[0], words[1])
                .status == 0)
        let all = try scene.write("notes", notes.joined())
        let answer = try scene.replay(
            "verify", scene.home, "--checkpoint", all, words[0], words[1], words[2])
        answer.expectFailure(1, "checkpointMismatch", of: "verify")
        let first = try answer.object["violations"]?.arrayValue?.first
        #expect(first?["position"]?.intValue == 10)
        #expect(first?["message"]?.stringValue?.hasSuffix("; the first 9 are") == true)
    }

    @Test func `a checkpoint in the log that is not of its events is found`() throws {
        try scene.done("checkpoint")
        let place = try #require(try log { try $0.positions(ofStream: "checkpoints").last })
        let record = try #require(try log { try $0.record(at: place) })
        let data = try #require(record.data.mapValue).map { entry in
            guard entry.key == .text("note"), var note = entry.value.bytesValue else {
                return entry
            }
            note[note.count - 8] ^= 1
            return CBOR.Entry(key: entry.key, value: .bytes(note))
        }
        let forged = EventRecord(
            logID: record.logID, position: record.position, stream: record.stream,
            revision: record.revision, type: record.type, version: record.version,
            time: record.time, session: record.session, request: record.request,
            cause: record.cause, actor: record.actor, data: CBOR.map(data).encoded())
        try alter("events", Self.key(place), forged.bytes)
        let found = try scene.replay("verify", scene.home, "--json").object["violations"]
        #expect(
            Set((found?.arrayValue ?? []).compactMap { $0["rule"]?.stringValue })
                == ["treeMismatch", "checkpointMismatch"])
    }

    private static func signingKey(_ name: NoteKeyName, seed: UInt8 = 1) throws -> NoteSigningKey {
        let bytes = SecretBytes(copying: Bytes(repeating: seed, count: 32))
        guard let key = Ed25519PrivateKey(bytes) else { throw CocoaError(.coderInvalidValue) }
        return NoteSigningKey(name: name, privateKey: key)
    }

    // MARK: - what-if

    @Test func `an approval gives the same callback as its simulation`() throws {
        let twin = try Scene()
        let link = "dashwallet://request=address&sender=myapp"
        let id = try scene.pending(link)
        #expect(try scene.daybook("reject", id).status == 0)
        #expect(try twin.pending(link) == id)
        let told = try #require(
            try Programs.run(
                [
                    Programs.daybook, "approve", id, "--passphrase-file",
                    twin.path("passphrase"), "--json",
                ], environment: ["DAYBOOK_HOME": twin.home]).object["callback"]?.stringValue)
        let answer = try scene.replay("what-if", scene.home, "--decide", "\(id)=approve", "--json")
        #expect(answer.status == 0, "\(answer.error)")
        let changed = try #require(try answer.object["changed"]?.arrayValue)
        func then(_ field: String) -> String? {
            changed.first { $0["field"] == .string(field) }?["then"]?.stringValue
        }
        #expect(then("status") == "completed")
        #expect(then("callback") == told)
        #expect(then("binding")?.hasPrefix("address of wallet ") == true)
        #expect(try answer.object["unknown"] == .array([]))
    }

    @Test func `a payment that would have been approved holds its coins, unsigned`() throws {
        let id = try pay()
        #expect(try scene.daybook("reject", id).status == 0)
        let answer = try scene.replay("what-if", scene.home, "--decide", "\(id)=approve", "--json")
        let changed = try #require(try answer.object["changed"]?.arrayValue)
        #expect(changed.first?["recorded"] == .string("rejected"))
        #expect(changed.first?["then"] == .string("approved"))
        #expect(
            changed.filter { $0["asset"] == .string("DASH") }.map { $0["field"]?.stringValue }
                == ["reserved", "available"])
        let unknown = try #require(try answer.object["unknown"]?.arrayValue)
        #expect(unknown.map { $0["type"] } == [.string("signature.made")])
    }

    @Test func `a payment decided as rejected leaves its coins, and takes back its consequences`()
        throws
    {
        let before = try scene.daybook("balance", "--wallet", "my-dash", "--json").object
        let id = try pay()
        #expect(try scene.approve(id).status == 0)
        try scene.done("sandbox", "mine", "1")
        let after = try scene.daybook("balance", "--wallet", "my-dash", "--json").object
        let answer = try scene.replay("what-if", scene.home, "--decide", "\(id)=reject", "--json")
        let changed = try #require(try answer.object["changed"]?.arrayValue)
        let status = changed.first { $0["field"] == .string("status") }
        #expect(status?["recorded"] == .string("completed"))
        #expect(status?["then"] == .string("rejected"))
        let confirmed = changed.first { $0["field"] == .string("confirmed") }
        #expect(confirmed?["recorded"] == after["confirmed"])
        #expect(confirmed?["then"] == before["confirmed"])
        let unknown = try #require(try answer.object["unknown"]?.arrayValue)
        let types = unknown.compactMap { $0["type"]?.stringValue }
        #expect(types.contains("signature.made") && types.contains("broadcast.answered"))
        #expect(types.contains("chain.observed"))
    }

    @Test func `a question that has no answer is refused`() throws {
        let id = try pay()
        let same = try scene.replay("what-if", scene.home, "--decide", "1=approve")
        same.expectFailure(1, "unknownRequest", of: "what-if")
        try scene.replay("what-if", scene.home, "--decide", "\(id)=maybe")
            .expectFailure(2, "usage", of: "what-if")
        try scene.replay("what-if", scene.home).expectFailure(2, "usage", of: "what-if")
        let open = try scene.pending("dashwallet://pay=\(Scene.payee)&sender=myapp")
        try scene.replay("what-if", scene.home, "--decide", "\(open)=approve")
            .expectFailure(1, "amountMissing", of: "what-if")
    }

    // MARK: - diff

    @Test func `logs are the same until one goes on or parts`() throws {
        let copy = scene.path("copy")
        try FileManager.default.copyItem(atPath: scene.home, toPath: copy)
        let same = try scene.replay("diff", scene.home, copy, "--json")
        #expect(same.status == 0, "\(same.error)")
        let count = try log { $0.count }
        #expect(try same.object["common"]?.intValue == Int64(count))
        #expect(try same.object["rows"] == .array([]))
        let id = try pay()
        #expect(try scene.approve(id).status == 0)
        let longer = try scene.replay("diff", scene.home, copy, "--json")
        #expect(longer.status == 1)
        #expect(try longer.object["common"]?.intValue == Int64(count))
        #expect(try longer.object["first"] == nil)
        #expect(try longer.object["balances"]?.arrayValue?.isEmpty == false)
        let parted = try Programs.run(
            [Programs.daybook, "open", "dashwallet://request=address&sender=other"],
            environment: ["DAYBOOK_HOME": copy])
        #expect(parted.status == 0)
        let answer = try scene.replay("diff", scene.home, copy, "--json").object
        #expect(answer["first"]?["position"]?.intValue == Int64(count))
        #expect(answer["first"]?["field"] == .string("time"))
    }
}
