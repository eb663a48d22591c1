import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookSystem
import Foundation
import Testing

@testable import DaybookReplay

/// A history may make an answer fast, and nothing else.
struct StateHistoryTests {
    private static let spacing: UInt64 = 16

    /// The answer of a history, and whether it could be used.
    private func asked(_ log: TemporaryLog, _ position: UInt64) throws -> (Bytes, notes: [String]) {
        var notes: [String] = []
        let history = StateHistory(
            of: log.log, keptUnder: log.histories, spacing: Self.spacing, fewest: 1,
            note: { notes.append($0) })
        return (try history.read(through: position) { StateDigest.of($0) }, notes)
    }

    private func folded(_ log: TemporaryLog, _ position: UInt64) throws -> Bytes {
        try log.log.read { StateDigest.of(try $0.foldedState(through: position)) }
    }

    private func covered(_ log: TemporaryLog) throws -> UInt64 {
        try HistoryCache(of: log.log, under: log.histories, spacing: Self.spacing).size()
    }

    private func file(_ log: TemporaryLog) throws -> String {
        log.histories + "/" + Hex.encode(try log.log.id) + "/data.mdb"
    }

    @Test func `every position of the golden log has the rows that a fold gives it`() throws {
        let golden = try TemporaryLog()
        let count = try golden.log.read { $0.count }
        // First the last one, so that all are read out of a history that goes further.
        _ = try asked(golden, count - 1)
        var expected = State()
        for position in 0..<count {
            let record = try #require(try golden.log.read { try $0.record(at: position) })
            if let event = try record.event() { expected.evolve(event) }
            let history = StateHistory(
                of: golden.log, keptUnder: golden.histories, spacing: Self.spacing, fewest: 1,
                note: { Issue.record("\($0)") })
            let same = try history.read(through: position) { state in
                let all = state.rows.scan(prefix: [], after: nil, limit: .max)
                guard all == expected.rows.scan(prefix: [], after: nil, limit: .max) else {
                    return false
                }
                return position % 16 != 7 || Self.isConsistent(state.rows, all)
                    && StateDigest.of(state) == StateDigest.of(expected)
            }
            #expect(same, "as of event \(position)")
        }
        #expect(try covered(golden) == count - count % Self.spacing)
    }

    /// Whether rows say the same by projection.
    private static func isConsistent(_ rows: any Rows, _ all: [Row]) -> Bool {
        let names = Set(all.map { Bytes($0.key.prefix { $0 != 0x2f }) + [0x2f] })
        return names.allSatisfy { name in
            let expected = all.filter { $0.key.starts(with: name) }
            return rows.scan(prefix: name, after: nil, limit: .max) == expected
        }
    }

    @Test func `a history goes on where the log has grown`() throws {
        let log = try TemporaryLog(TemporaryLog.golden.prefix(100))
        #expect(try asked(log, 99) == (folded(log, 99), []))
        #expect(try covered(log) == 96)
        try log.append(TemporaryLog.golden.dropFirst(100))
        #expect(try asked(log, 399) == (folded(log, 399), []))
        #expect(try asked(log, 97) == (folded(log, 97), []))
        #expect(try covered(log) == 400)
    }

    @Test func `a history is folded only as far as it is asked for`() throws {
        let log = try TemporaryLog()
        _ = try asked(log, 40)
        #expect(try covered(log) == 32)
    }

    @Test func `the history of a log that parted from this one is made anew`() throws {
        let one = try TemporaryLog(TemporaryLog.golden.prefix(200))
        let other = try TemporaryLog(TemporaryLog.golden.prefix(150))
        for _ in 150..<200 { try other.append() }
        _ = try asked(one, 199)
        try Files.createDirectories(other.folder + "/cache", mode: 0o700)
        try FileManager.default.copyItem(atPath: one.histories, toPath: other.histories)
        #expect(try asked(other, 199) == (folded(other, 199), []))
        #expect(try asked(other, 160) == (folded(other, 160), []))
        #expect(try asked(one, 199) == (folded(one, 199), []))
    }

    @Test func `a history that goes further than the log is made anew`() throws {
        let whole = try TemporaryLog()
        let half = try TemporaryLog(TemporaryLog.golden.prefix(200))
        _ = try asked(whole, 399)
        try Files.createDirectories(half.folder + "/cache", mode: 0o700)
        try FileManager.default.copyItem(atPath: whole.histories, toPath: half.histories)
        #expect(try asked(half, 199) == (folded(half, 199), []))
        #expect(try covered(half) == 192)
    }

    @Test func `events of unknown types change nothing`() throws {
        let log = try TemporaryLog(TemporaryLog.golden.prefix(64))
        let before = try asked(log, 63).0
        for _ in 0..<40 { try log.append() }
        #expect(try asked(log, 103) == (before, []))
    }

    @Test func `an event that can't be read stops the history before it, not the answers`() throws {
        let log = try TemporaryLog(TemporaryLog.golden.prefix(64))
        try log.append(type: "wallet.removed", data: .record(["wallet": .text("none")]))
        for _ in 0..<40 { try log.append() }
        #expect(throws: FieldError.self) { try asked(log, 100) }
        #expect(try asked(log, 63) == (folded(log, 63), []))
        #expect(try asked(log, 50) == (folded(log, 50), []))
    }

    // MARK: - Folders

    @Test func `a folder that others can reach is not used`() throws {
        let log = try TemporaryLog()
        _ = try asked(log, 399)
        let folder = Files.parent(of: try file(log))
        try Files.setMode(0o755, of: folder)
        let (answer, notes) = try asked(log, 399)
        #expect(try answer == folded(log, 399))
        #expect(notes.count == 1 && notes.allSatisfy { $0.contains("mode 0700") })
    }

    @Test func `where no history can be kept the answer is folded`() throws {
        let log = try TemporaryLog()
        try Files.createDirectories(Files.parent(of: log.histories), mode: 0o700)
        try Files.writeAtomically(log.histories, [1], mode: 0o600)
        let (answer, notes) = try asked(log, 399)
        #expect(try answer == folded(log, 399))
        #expect(notes.count == 1)
    }

    @Test func `a history that this process has open already is not waited for`() throws {
        let log = try TemporaryLog()
        let open = try HistoryCache(of: log.log, under: log.histories, spacing: Self.spacing)
        let (answer, notes) = try asked(log, 399)
        #expect(try answer == folded(log, 399))
        #expect(try notes.count == 1 && open.size() == 0)
    }

    @Test func `a fold that is quickly done leaves nothing behind`() throws {
        let log = try TemporaryLog()
        let history = StateHistory(of: log.log, keptUnder: log.histories)
        #expect(try history.read(through: 399) { StateDigest.of($0) } == folded(log, 399))
        #expect(try !Files.exists(log.histories))
    }

    // MARK: - Damage

    @Test func `a changed value is found, and the answer folded`() throws {
        let log = try TemporaryLog()
        _ = try asked(log, 399)
        let path = try file(log)
        var bytes = try Files.read(path, limit: 1 << 30)
        let text = try #require(try log.log.read { log in
            try log.foldedState(through: 399).bindings.rows().first?
                .row.binding.values.first
        })
        var changed = 0
        for place in bytes.indices where bytes[place...].starts(with: text.utf8) {
            bytes[place] ^= 1
            changed += 1
        }
        try #require(changed > 0)
        try Files.writeAtomically(path, bytes, mode: 0o600)
        let (answer, notes) = try asked(log, 399)
        #expect(try answer == folded(log, 399))
        #expect(notes.count == 1 && notes.allSatisfy { $0.contains("damaged") })
        // It was deleted, and is made again.
        #expect(try asked(log, 399) == (folded(log, 399), []))
    }

    @Test(arguments: [0, 100, 5000])
    func `a file that is cut short is made anew`(length: Int) throws {
        let log = try TemporaryLog()
        _ = try asked(log, 399)
        let path = try file(log)
        let bytes = try Files.read(path, limit: 1 << 30)
        try Files.writeAtomically(path, Array(bytes.prefix(length)), mode: 0o600)
        #expect(try asked(log, 399).0 == folded(log, 399))
        #expect(try asked(log, 399) == (folded(log, 399), []))
    }

    @Test func `a file of something else is made anew`() throws {
        let log = try TemporaryLog()
        _ = try asked(log, 399)
        try Files.writeAtomically(
            try file(log), Bytes(repeating: 0x20, count: 40_000), mode: 0o600)
        #expect(try asked(log, 399) == (folded(log, 399), []))
    }
}
