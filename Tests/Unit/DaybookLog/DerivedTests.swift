import DaybookDomain
import DaybookEncoding
import DaybookLMDB
import DaybookMigrations
import DaybookSystem
import Testing
import TestSupport

@testable import DaybookLog

/// The rows that follow from the events are the same in memory and in tables, also after tables
/// were lost or damaged.
struct DerivedTests {
    private let folder: TemporaryFolder
    private var derived: String { LogFolder.derived(of: folder.log) }

    init() throws {
        folder = try TemporaryFolder()
        _ = try Migrations.createLog(at: folder.log)
    }

    private func open() throws -> EventLog {
        try Migrations.openLog(at: folder.log)
    }

    private static func drafts(_ count: Int, from first: Int) -> [EventDraft] {
        (first..<(first + count)).map { number in
            let begins = number % 5 == 0
            let request = UInt64(number - number % 5)
            return .sample(
                stream: number % 7 == 0 ? "s/\(number % 3)" : "r/\(request)",
                session: number % 100 == 0 ? .own : .at(UInt64(number - number % 100)),
                request: number % 7 == 0 ? nil : begins ? .own : .at(request),
                wallet: number % 7 == 0 ? UInt64(number % 3) : request)
        }
    }

    private func add(_ count: Int, to log: EventLog) throws {
        let first = Int(try log.read { $0.count })
        _ = try log.add(Self.drafts(count, from: first))
    }

    /// Everything that a log says is what its events say, without any table.
    private func expectWhole(
        _ log: EventLog, count: Int, but fault: LogFault? = nil,
        _ place: SourceLocation = #_sourceLocation
    ) throws {
        try log.read { log in
            let records = try log.records(from: 0, limit: .max)
            #expect(records.count == count, sourceLocation: place)
            #expect(try log.head() == TreeHead(of: records.map(\.bytes)), sourceLocation: place)
            var state = State()
            for record in records { if let event = try record.event() { state.evolve(event) } }
            #expect(content(of: log.state) == content(of: state), sourceLocation: place)
            for (stream, events) in Dictionary(grouping: records, by: \.stream) {
                #expect(
                    try log.lastPosition(ofStream: stream) == events.last?.position,
                    sourceLocation: place)
                #expect(
                    try log.revision(ofStream: stream) == UInt64(events.count),
                    sourceLocation: place)
                #expect(
                    try log.positions(ofStream: stream)
                        == events.filter { $0.request == nil }.map(\.position),
                    sourceLocation: place)
            }
            for (session, events) in Dictionary(grouping: records, by: \.session) {
                let positions = events.map(\.position)
                #expect(
                    try log.positions(ofSession: session) == positions, sourceLocation: place)
                let middle = positions[positions.count / 2]
                #expect(
                    try log.positions(ofSession: session, after: middle, limit: 70)
                        == Array(positions.filter { $0 > middle }.prefix(70)),
                    sourceLocation: place)
            }
            for (request, events) in Dictionary(grouping: records, by: \.request) {
                guard let request else { continue }
                #expect(
                    try log.positions(ofRequest: request) == events.map(\.position),
                    sourceLocation: place)
            }
        }
        let faults = try log.check().faults.first
        #expect(faults == (fault.map { [$0] } ?? []), sourceLocation: place)
    }

    private func content(of state: State) -> [Bytes] {
        var content: [Bytes] = []
        state.walk { content += [$0, $1] }
        return content
    }

    @Test func `the log is the same for any groups of appends and any opener`() throws {
        var count = 0
        for batch in [1, 2, 300, 250, 1, 700, 40, 1500, 3] {
            let log = try open()
            try add(batch, to: log)
            count += batch
            try expectWhole(log, count: count)
            _ = consume log
            try expectWhole(open(), count: count)
        }
        #expect(try Files.exists(derived))
        let log = try open()
        try log.bringForward()
        try expectWhole(log, count: count)
    }

    @Test func `a writer that was overtaken sees the events of others`() throws {
        // Two logs on one file can't be open in one process: their storages are shared instead.
        let (events, tables) = (try DaybookLMDB.Environment(folder.log), try environment(derived))
        let one = try EventLog(in: events, derived: tables)
        let two = try EventLog(in: events, derived: tables)
        var count = 0
        for (number, batch) in [3, 400, 200, 1, 600, 5, 5, 9000, 2].enumerated() {
            let (writer, other) = number % 2 == 0 ? (one, two) : (two, one)
            try add(batch, to: writer)
            count += batch
            try expectWhole(other, count: count)
        }
    }

    @Test func `the rows of a failed write are gone, also if another one wrote as much`() throws {
        struct Stop: Error {}
        let events = try DaybookLMDB.Environment(folder.log)
        let one = try EventLog(in: events)
        let two = try EventLog(in: events)
        try add(10, to: one)
        #expect(throws: Stop.self) {
            try one.write { transaction in
                let draft = EventDraft.sample(stream: "never", wallet: 1000)
                _ = try transaction.append(draft)
                throw Stop()
            }
        }
        try add(1, to: two)
        try expectWhole(one, count: 11)
        #expect(try one.read { $0.failures(of: 1000) } == nil)
        #expect(try one.read { try $0.revision(ofStream: "never") } == 0)
    }

    private func environment(_ path: String) throws -> DaybookLMDB.Environment {
        try Files.createDirectories(path, mode: 0o700)
        return try DaybookLMDB.Environment(path)
    }

    /// Damage that derived tables can take between two runs.
    enum Mishap: CaseIterable {
        case gone, empty, garbage, older, otherLog, otherRules, newer, mixed
    }

    @Test(arguments: Mishap.allCases)
    func `tables that are no longer those of the log are made again`(_ mishap: Mishap) throws {
        do {
            let log = try open()
            try add(600, to: log)
            try log.bringForward()
        }
        let older = "\(folder.path)/older"
        try copy(derived, to: older)
        do {
            let log = try open()
            try add(700, to: log)
            try log.bringForward()
        }
        let count = try play(mishap, older: older)
        // Faults that only an altered log explains are found by the check of the log.
        let fault = mishap == .mixed
            ? LogFault(
                .wrong, "tree", position: 1299, "the derived tables were made from other events")
            : nil
        do {
            let reader = try EventLog(readingAt: folder.log)
            try expectWhole(reader, count: count, but: fault)
        }
        let log = try open()
        try expectWhole(log, count: count, but: fault)
        try add(600, to: log)
        try expectWhole(log, count: count + 600, but: fault)
        _ = consume log
        try expectWhole(open(), count: count + 600)
    }

    @Test func `a log that was set back is refused until its tables are made again`() throws {
        do {
            let log = try open()
            try add(600, to: log)
            try log.bringForward()
        }
        try copy(folder.log, to: "\(folder.path)/log-before")
        do {
            let log = try open()
            try add(700, to: log)
            try log.bringForward()
        }
        try Files.removeTree(folder.log)
        try copy("\(folder.path)/log-before", to: folder.log)
        let error = LogError.damaged(
            position: 600,
            reason: "it has 600 events, and derived/ was made from 1300: events were lost, or an "
                + "older log was put here; if that is meant, `doctor --rebuild` accepts it")
        #expect(throws: error) { try EventLog(readingAt: folder.log).read { $0.count } }
        let log = try open()
        #expect(throws: error) { try log.read { $0.count } }
        #expect(throws: error) { try log.add(.sample()) }
        try log.rebuildDerived()
        try expectWhole(log, count: 600)
        try add(5, to: log)
        try expectWhole(log, count: 605)
    }

    /// Lets a mishap come over a store of 1300 events; says how many it has then.
    private func play(_ mishap: Mishap, older: String) throws -> Int {
        var count = 1300
        switch mishap {
        case .gone: try Files.removeTree(derived)
        case .empty:
            try Files.removeTree(derived)
            try Files.createDirectory(derived, mode: 0o700)
        case .garbage:
            try Files.writeAtomically(
                "\(derived)/data.mdb", Bytes(repeating: 0x5a, count: 65_536), mode: 0o600)
        case .older:
            try Files.removeTree(derived)
            try copy(older, to: derived)
        case .otherLog:
            try Files.removeTree(folder.log)
            let log = try Migrations.createLog(at: folder.log)
            count = 1300
            _ = try log.add(Self.drafts(count, from: 0))
        case .otherRules:
            try change { $0["rules"] = .bytes([9]) }
        case .newer:
            try change { $0["version"] = .unsigned(LogVersions.derived + 1) }
        case .mixed:
            // The mark of a log that parted from this one.
            try change { $0["last"] = .bytes(Bytes(repeating: 1, count: 32)) }
        }
        return count
    }

    /// Alters the mark of the tables.
    private func change(_ alter: (inout [String: CBOR]) -> Void) throws {
        try DaybookLMDB.Environment(derived).write { view in
            let meta = try #require(try view.table("meta"))
            let key = Bytes("mark".utf8)
            let value = try CBOR.decode(try #require(try view.value(meta, key)))
            var fields: [String: CBOR] = [:]
            for name in ["version", "log", "rules", "size", "last", "root"] {
                fields[name] = value[name]
            }
            alter(&fields)
            let record = CBOR.record([
                "version": fields["version"], "log": fields["log"], "rules": fields["rules"],
                "size": fields["size"], "last": fields["last"], "root": fields["root"],
            ])
            try view.put(meta, key, record.encoded())
        }
    }

    private func copy(_ path: String, to other: String) throws {
        try Files.createDirectory(other, mode: 0o700)
        try Files.copy("\(path)/data.mdb", to: "\(other)/data.mdb", mode: 0o600)
    }

    @Test func `a reader of a log without tables writes none`() throws {
        do {
            let log = try open()
            try add(9000, to: log)
        }
        try Files.removeTree(derived)
        try expectWhole(EventLog(readingAt: folder.log), count: 9000)
        #expect(try !Files.exists(derived))
    }

    @Test func `the tables' rows are compared with the events`() throws {
        do {
            let log = try open()
            try add(600, to: log)
            try log.bringForward()
        }
        for name in ["streams", "positions", "tree"] {
            try DaybookLMDB.Environment(derived).write { view in
                let table = try #require(try view.table(name))
                let entry = try #require(try Cursor(view, table).first())
                var value = entry.value
                value[0] ^= 1
                try view.put(table, entry.key, value)
            }
            let faults = try open().check().faults.first
            #expect(faults.map(\.table) == [name])
            #expect(faults.map(\.code) == [.wrong])
            try Files.removeTree(derived)
            try open().bringForward()
        }
    }

    @Test func `a fault with an event replaces one without an event`() {
        let unnamed = LogFault(.wrong, "tree", key: [14], "a higher level")
        let fifth = LogFault(.wrong, "tree", key: [15], position: 5, "a leaf")
        let sixth = LogFault(.wrong, "tree", key: [15], position: 6, "a leaf")
        let other = LogFault(.missing, "tree", key: [15], "another kind")
        var faults = LogFaults()
        for fault in [unnamed, other, fifth, sixth, unnamed] { faults.note(fault) }
        #expect(faults.first == [fifth, other])
    }
}
