import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem
import Testing

@testable import Daybook

struct CheckpointTests {
    private func used(_ temporary: TemporaryStore) async throws -> Store {
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        _ = try await store.receive("dashwallet://request=address&sender=shop")
        return store
    }

    @Test func `a checkpoint signs the log as of before it, with the log's own key`()
        async throws
    {
        let temporary = try TemporaryStore()
        let store = try await used(temporary)
        let made = try await store.checkpoint()
        let records = try await store.allRecords()
        #expect(made.size == made.position.number)
        #expect(records.count == Int(made.position.number) + 1)
        #expect(records.last?.type == "checkpoint.made")
        #expect(records.last?.stream == "checkpoints")
        var tree = TreeFold()
        for record in records.dropLast() { tree.add(leaf: record.bytes) }
        #expect(made.root == Hex.encode(tree.root().bytes))
        let key = try NoteVerifierKey(made.key)
        let logID = try await store.logID
        #expect(key.name == .ofLog(try #require(Hex.decode(logID))))
        let checkpoint = try Checkpoint(try SignedNote(Bytes(made.note.utf8)), signedBy: key)
        #expect(checkpoint.head == TreeHead(size: made.size, root: tree.root()))
        #expect(try await store.lastCheckpoint() == made)
        try await store.expectCleanReplay()
    }

    @Test func `checkpoints change no row and replay with the log`() async throws {
        let temporary = try TemporaryStore()
        let first = try await firstCheckpoint(temporary)
        let again = try temporary.open()
        let second = try await again.checkpoint()
        #expect(second.key == first.key)
        #expect(second.size > first.size)
        try await again.expectCleanReplay()
    }

    /// The checkpoint of a session that has gone on after it and is over.
    private func firstCheckpoint(_ temporary: TemporaryStore) async throws -> LogCheckpoint {
        let store = try await used(temporary)
        let before = try await store.liveDigest()
        let first = try await store.checkpoint()
        #expect(try await store.liveDigest() == before)
        let id = try await store.receive("dashwallet://request=address&sender=other").id
        _ = try await store.approve(id)
        return first
    }

    @Test(arguments: [
        "data.root", "data.state", "data.streams", "data.projections.outputs", "data.note",
    ])
    func `a replay names the digests that differ from a checkpoint's`(field: String) async throws {
        let temporary = try TemporaryStore()
        let store = try await used(temporary)
        _ = try await store.checkpoint()
        var records = try await store.allRecords()
        let recorded = try #require(records.last)
        guard case .checkpointMade(let data) = try recorded.event()?.payload else {
            Issue.record("the last event is no checkpoint")
            return
        }
        let other = Bytes(repeating: 7, count: 32)
        let altered = CheckpointMade(
            size: data.size, root: field == "data.root" ? other : data.root,
            state: field == "data.state" ? other : data.state,
            projections: data.projections.map { part in
                let isAltered = field == "data.projections.\(part.name)"
                return .init(name: part.name, digest: isAltered ? other : part.digest)
            },
            streams: field == "data.streams" ? other : data.streams, key: data.key,
            note: field == "data.note" ? Bytes("x\n".utf8) : data.note)
        records[records.count - 1] = recorded.altered(
            data: try CBOR.decode(altered.encoded()))
        let divergence = try #require(try replay(records).divergences.first)
        #expect(divergence.position == recorded.id)
        #expect(divergence.field == field)
    }

    @Test func `an event that was changed before a checkpoint is shown by the next one`()
        async throws
    {
        let temporary = try TemporaryStore()
        let store = try await used(temporary)
        let first = try await store.checkpoint()
        try await store.mine(1)
        let second = try await store.checkpoint()
        var records = try await store.allRecords()
        let place = try #require(records.lastIndex { $0.type == "chain.observed" })
        #expect(first.position.number < UInt64(place))
        let change = try #require(
            Alteration.all(of: records[place].data).first { $0.path == "data.height" })
        records[place] = records[place].altered(data: change.data)
        let found = try replay(records).divergences.filter { $0.field.hasPrefix("data.") }
        #expect(found.allSatisfy { $0.position == second.position })
        #expect(found.contains { $0.field == "data.projections.chains" })
        #expect(found.contains { $0.field == "data.root" })
    }

    @Test func `the key is for its owner alone, and no part of the log`() async throws {
        let temporary = try TemporaryStore()
        let file = temporary.path + "/log.key"
        #expect(try Files.information(file)?.mode == 0o600)
        let seed = Array(try Files.read(file, limit: 1000).dropFirst(18).prefix(32))
        let store = try await used(temporary)
        _ = try await store.checkpoint()
        #expect(seed.count == 32)
        let log = try Files.read(temporary.path + "/log/data.mdb", limit: 1 << 26)
        #expect(log.firstRange(of: seed) == nil)
    }

    @Test func `an older store gets its key with its first checkpoint`() async throws {
        let temporary = try TemporaryStore()
        try Files.remove(temporary.path + "/log.key")
        let store = try await used(temporary)
        #expect(try !Files.exists(temporary.path + "/log.key"))
        _ = try await store.checkpoint()
        #expect(try Files.information(temporary.path + "/log.key")?.mode == 0o600)
        try await store.expectCleanReplay()
    }

    @Test func `a lost key is replaced only when that is asked for`() async throws {
        let temporary = try TemporaryStore()
        let store = try await used(temporary)
        let first = try await store.checkpoint()
        try Files.remove(temporary.path + "/log.key")
        await #expect { try await store.checkpoint() } throws: {
            ($0 as? DaybookError)?.code == "logKeyMissing"
        }
        let second = try await store.checkpoint(withNewKey: true)
        #expect(second.key != first.key)
        // The notes of the old key still count.
        _ = try await store.proof(of: 1, in: first.note)
        try await store.expectCleanReplay()
    }

    @Test func `a key that others may read, or that was changed, signs nothing`() async throws {
        let temporary = try TemporaryStore()
        let store = try await used(temporary)
        let file = temporary.path + "/log.key"
        let bytes = try Files.read(file, limit: 1000)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x10
            try Files.writeAtomically(file, changed, mode: 0o600)
            await #expect { try await store.checkpoint() } throws: {
                ($0 as? DaybookError)?.code == "logKeyDamaged"
            }
        }
        try Files.writeAtomically(file, bytes, mode: 0o644)
        await #expect { try await store.checkpoint() } throws: {
            ($0 as? DaybookError)?.code == "permissionDenied"
        }
    }

    @Test func `a proof is against the checkpoint that is given, if it is this log's`()
        async throws
    {
        let temporary = try TemporaryStore()
        let store = try await used(temporary)
        let made = try await store.checkpoint()
        let proof = try await store.proof(of: 2, in: made.note)
        #expect(proof.size == made.size)
        let text = try LogProof(Bytes(proof.text.utf8))
        _ = try text.checkpoint(proving: proof.event, signedBy: try NoteVerifierKey(proof.key))
        let other = try await used(try TemporaryStore()).checkpoint()
        for (note, code) in [
            (other.note, "otherLog"), ("no note", "checkpointInvalid"),
            (made.note.replacing("\n\(made.size)\n", with: "\n1\n"), "checkpointInvalid"),
        ] {
            await #expect { try await store.proof(of: 2, in: note) } throws: {
                ($0 as? DaybookError)?.code.rawValue == code
            }
        }
        await #expect { try await store.proof(of: made.position, in: made.note) } throws: {
            ($0 as? DaybookError)?.code == "unknownPosition"
        }
    }
}
