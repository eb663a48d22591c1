import DaybookCrypto
import DaybookEncoding
import DaybookLog
import DaybookSystem
import EventStores
import Testing
import TestSupport

/// Logs whose oldest events lie in the segments of an archive, over each store.
struct SegmentedLogTests {
    private let id: Bytes
    private let folder: TemporaryFolder
    private var archive: String { folder.path + "/archive" }
    private var derived: String { folder.path + "/derived" }

    init() throws {
        id = try Entropy.bytes(16)
        folder = try TemporaryFolder()
        try Files.createDirectory(archive, mode: 0o700)
    }

    /// A log of 500 events, and the store that it lies in.
    private func log(_ kind: StoreKind) throws -> (log: EventLog, store: StoreOfKind) {
        let store = try kind.make(log: id)
        let log = try EventLog(of: store.writer, derivedAt: derived)
        try append(500, to: log)
        return (log, store)
    }

    private func append(_ count: Int, to log: EventLog) throws {
        try log.write { transaction in
            for number in 0..<count {
                let position = transaction.count
                _ = try transaction.append(
                    EventDraft(
                        stream: "stream/\(number % 7)", type: "sample", time: position,
                        session: .own, request: nil, cause: nil, actor: "test",
                        data: .record([
                            "note": .text(String(repeating: "x", count: number * 7 % 900))
                        ])))
            }
        }
    }

    /// Writes segments of a log that end before the given positions.
    private func write(_ log: EventLog, from start: UInt64 = 0, ends: UInt64...) throws {
        var first = start
        for end in ends {
            let header = try log.read { log in
                ExportHeader(
                    logID: log.logID, head: try log.head(),
                    selection: ExportSelection(from: first, to: end - 1))
            }
            var bytes: Bytes = []
            let export = LogExport(header, cover: { range in try log.read { try $0.cover(range) } })
            var next = first
            _ = try export.write(to: ExportWriter(.daybook) { bytes += $0 }) {
                next += 1
                return next > end ? nil : try log.read { try $0.bytes(at: next - 1) }
            }
            try Files.writeAtomically(
                Archive.path(in: archive, log: Hex.encode(id), first..<end), bytes, mode: 0o600)
            first = end
        }
    }

    private func segments() throws -> [String] {
        try Files.list(archive).map { "\(archive)/\($0)" }
    }

    /// Everything of a log that its readers see.
    private struct Content: Equatable {
        let events: [Bytes]
        let root: Bytes
        let proof: [TreeHash]
        let positions: [UInt64]

        init(_ log: EventLog) throws {
            self = try log.read { try Self($0) }
        }

        private init(_ log: LogSnapshot) throws {
            events = try log.bytes(from: 0, limit: .max)
            root = try log.head().root.bytes
            proof = try log.inclusionProof(of: 3).hashes
            positions = try log.positions(ofStream: "stream/3")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a log reads the same after its oldest events went into segments`(
        kind: StoreKind
    ) throws {
        let (log, store) = try log(kind)
        let before = try Content(log)
        try write(log, ends: 130, 333, 450)
        try log.drop(440, archivedIn: archive)
        #expect(throws: LogError.self) { try store.writer.read(from: 0, limit: 1) }
        #expect(try store.writer.read(from: 440, limit: 99) == Array(before.events[440...]))
        #expect(try Content(log) == before)
        for (from, limit) in [(0, 1), (63, 2), (129, 3), (400, 90), (439, 2), (499, 9), (500, 1)] {
            let found = try log.read { try $0.bytes(from: UInt64(from), limit: limit) }
            #expect(found == Array(before.events[from...].prefix(limit)))
        }
        for position in stride(from: 0, to: 500, by: 37) {
            #expect(try log.read { try $0.bytes(at: UInt64(position)) } == before.events[position])
        }
        let few = try log.read { try $0.bytes(from: 438, limit: 9, byteLimit: 1) }
        #expect(few == [before.events[438]])
        // Without derived tables and without the index, all is read from the segments again.
        #expect(try Content(EventLog(of: store.writer, derivedAt: nil)) == before)
        try append(3, to: log)
        #expect(try log.read { $0.count } == 503)
        try expectWhole(log)
    }

    @Test(arguments: StoreKind.allCases)
    func `more events are dropped later, also into another folder`(kind: StoreKind) throws {
        let (log, store) = try log(kind)
        try write(log, ends: 100)
        try log.drop(70, archivedIn: archive)
        try append(20, to: log)
        let before = try Content(log)
        try write(log, from: 100, ends: 510)
        try log.drop(510, archivedIn: archive)
        try log.drop(510, archivedIn: archive)
        #expect(try Content(log) == before)
        let other = folder.path + "/other"
        try Files.renameDurably(archive, to: other)
        try log.drop(510, archivedIn: other)
        #expect(try Content(log) == before)
        #expect(try Content(EventLog(of: store.writer, derivedAt: derived)) == before)
        try log.drop(509, archivedIn: other)
        #expect(try store.writer.snapshot { $0.archived?.count } == 510)
        #expect(try Content(log) == before)
        try expectWhole(log)
    }

    private func expectWhole(_ log: EventLog) throws {
        var check = try LogCheck(of: log, rows: { MemoryRows() }, progress: { _, _ in })
        try check.run(each: { _, _, _ in }, state: nil)
        #expect(check.faults.first == [])
        #expect(check.tree.root() == (try log.read { try $0.head().root }))
    }

    @Test(arguments: StoreKind.allCases)
    func `nothing is dropped that the segments do not have`(kind: StoreKind) throws {
        let (log, store) = try log(kind)
        let events = try Content(log).events
        func refusal(_ count: UInt64 = 200) -> String? {
            code { try log.drop(count, archivedIn: archive) }
        }
        #expect(refusal() == "segmentMissing")
        try write(log, ends: 100, 199)
        #expect(refusal() == "segmentMissing")
        try write(log, from: 199, ends: 300)
        let names = try segments()
        try Files.remove(names[1])
        #expect(refusal() == "segmentMissing")
        try write(log, from: 100, ends: 199)
        // Every byte of the dropped events counts.
        for place in [0, 20, 600, 2000] {
            var bytes = try Files.read(names[1], limit: 1 << 20)
            let whole = bytes
            bytes[place] ^= 1
            try Files.writeAtomically(names[1], bytes, mode: 0o600)
            #expect(refusal() == "segmentChanged", "\(place)")
            try Files.writeAtomically(names[1], whole, mode: 0o600)
        }
        #expect(refusal(499) == "segmentMissing")
        #expect(try store.writer.read(from: 0, limit: .max) == events)
        try log.drop(200, archivedIn: archive)
    }

    @Test(arguments: [StoreKind.lmdb, .postgres])
    func `a segment that is missing, changed or of another log is named`(
        kind: StoreKind
    ) throws {
        let (log, store) = try log(kind)
        try write(log, ends: 200, 400)
        try log.drop(400, archivedIn: archive)
        let names = try segments()
        func reading(_ position: UInt64) -> String? {
            code { _ = try log.read { try $0.bytes(at: position) } }
        }
        let away = folder.path + "/away"
        try Files.renameDurably(names[0], to: away)
        #expect(reading(3) == "segmentMissing")
        #expect(reading(399) == nil)
        #expect(reading(400) == nil)
        #expect(code { _ = try Content(log) } == "segmentMissing")
        try append(1, to: log)
        let unknown = code {
            _ = try Content(EventLog(of: store.writer, derivedAt: nil))
        }
        #expect(unknown == "segmentMissing")
        // The same number of bytes, and every checksum of the file made right.
        let other = try EventLog(of: MemoryEvents(log: id), derivedAt: nil)
        try append(1, to: other)
        try append(499, to: other)
        try write(other, ends: 200)
        #expect(reading(3) == "segmentChanged")
        #expect(
            code { _ = try Content(EventLog(of: store.writer, derivedAt: nil)) }
                == "segmentChanged")
        try Files.renameDurably(away, to: names[0])
        #expect(try Content(log).events.count == 501)
    }

    @Test func `an index that does not cover the archived events is made again`() throws {
        let (log, store) = try log(.memory)
        try write(log, ends: 200, 400)
        try log.drop(400, archivedIn: archive)
        let before = try Content(log)
        let path = derived + "/segments.index"
        let made = try Files.read(path, limit: 1 << 20)
        let map = try CBOR.decode(Bytes(made.dropFirst(32)))
        let parts = try #require(map["segments"]?.arrayValue)
        let short = CBOR.array([.unsigned(0), .unsigned(.max), .bytes([])])
        for altered in [[], [parts[1]], [parts[0]], [short]] {
            let map = CBOR.record([
                "log": .bytes(id), "archived": map["archived"] ?? .null,
                "segments": .array(altered),
            ]).encoded()
            try Files.writeAtomically(path, SHA256.hash(map) + map, mode: 0o600)
            let opened = try EventLog(of: store.writer, derivedAt: derived)
            #expect(try Content(opened) == before)
            #expect(try Files.read(path, limit: 1 << 20) == made)
        }
    }

    private func code(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return (error as? LogError)?.code ?? "\(error)"
        }
    }

    @Test func `a view of a database reads on while its events are archived`() throws {
        let (log, store) = try log(.postgres)
        let before = try Content(log).events
        try write(log, ends: 500)
        let archiver = try EventLog(of: store.writer, derivedAt: nil)
        try log.read { view in
            #expect(try view.bytes(from: 0, limit: 9) == Array(before[..<9]))
            try archiver.drop(450, archivedIn: archive)
            #expect(try view.bytes(from: 0, limit: .max) == before)
            #expect(try view.bytes(at: 449) == before[449])
        }
    }
}
