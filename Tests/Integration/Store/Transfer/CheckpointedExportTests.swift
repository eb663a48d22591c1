import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import Testing

@testable import Daybook

/// Exports carry the checkpoints that the log signed, so that a part is more than somebody's word.
struct CheckpointedExportTests {
    let scene: TransferScene
    let request: RequestID
    /// Those that the log made, before and after the last request.
    let made: [LogCheckpoint]

    init() async throws {
        scene = try await TransferScene()
        let store = scene.store
        let first = try await store.checkpoint()
        let asked = try await store.receive("dashwallet://request=address&sender=auditor")
        _ = try await store.reject(asked.id)
        request = asked.id
        made = [first, try await store.checkpoint()]
    }

    /// The notes in an export, and how many positions stood before each.
    private func notes(_ bytes: Bytes) throws -> [(size: UInt64, note: Bytes)] {
        let reader = try TransferScene.reader(bytes)
        var found: [(UInt64, Bytes)] = []
        while let item = try reader.next() {
            if case .checkpoint(let note) = item { found.append((reader.head().size, note)) }
        }
        return found
    }

    @Test(arguments: ["log.daybook", "log.jsonl"])
    func `every export has the notes that the log signed, where their trees ended`(name: String)
        async throws
    {
        let selections = [
            LogSelection(), LogSelection(request: request), LogSelection(to: 0),
            LogSelection(from: request.number, to: request.number),
            LogSelection(wallet: try await scene.store.wallets()[0].id),
        ]
        let key = try NoteVerifierKey(made[0].key)
        for selection in selections {
            try await scene.store.export(selection, to: scene.path(name), replacing: true)
            let found = try notes(try scene.bytes(name))
            #expect(found.map(\.size) == made.map(\.size))
            #expect(found.map(\.note) == made.map { Bytes($0.note.utf8) })
            for (size, note) in found {
                let checkpoint = try Checkpoint(try SignedNote(note), signedBy: key)
                #expect(checkpoint.head.size == size)
            }
        }
    }

    @Test func `notes move with the log, and all its exports stay the same bytes`() async throws {
        try await scene.export("log.daybook")
        let to = try OtherStore().open()
        _ = try await to.import(from: scene.path("log.daybook"))
        let selections = [
            LogSelection(), LogSelection(request: request), LogSelection(from: 3, to: 9),
        ]
        for selection in selections {
            for format in [ExportFileFormat.daybook, .jsonl] {
                let (one, other) = (ExportedBytes(), ExportedBytes())
                try await scene.store.export(selection, as: format) { one.bytes += $0 }
                try await to.export(selection, as: format) { other.bytes += $0 }
                #expect(one.bytes == other.bytes)
                #expect(try notes(one.bytes).count == made.count)
            }
        }
    }

    @Test func `a note that does not hold stays in its event alone`() async throws {
        var records = try await scene.store.allRecords()
        let place = Int(made[1].position.number)
        guard case .checkpointMade(let data) = try records[place].event()?.payload else {
            Issue.record("no checkpoint there")
            return
        }
        let forged = CheckpointMade(
            size: data.size, root: data.root, state: data.state, projections: data.projections,
            streams: data.streams, key: data.key, note: Bytes(made[0].note.utf8))
        let record = records[place]
        records[place] = EventRecord(
            logID: record.logID, position: record.position, stream: record.stream,
            revision: record.revision, type: record.type, version: record.version,
            time: record.time, session: record.session, request: record.request,
            cause: record.cause, actor: record.actor, data: forged.encoded())
        let to = try OtherStore().open()
        // An import refuses it: what writes to the folder of a log does not.
        let path = try scene.write("forged.daybook", records: records)
        await expectCode("importDiverges") { try await to.import(from: path) }
        try await to.append(records)
        let output = ExportedBytes()
        try await to.export(as: .daybook) { output.bytes += $0 }
        #expect(try notes(output.bytes).map(\.size) == [made[0].size])
    }
}
