import DaybookEncoding
import DaybookMigrations
import DaybookSystem
import Testing
import TestSupport

@testable import DaybookLMDB
@testable import DaybookLog

/// Each page of a log's files in turn is not what it was.
///
/// Every use ends with a named error or with right answers; nothing is appended to a log whose end
/// is lost. That this test goes on at all shows that LMDB did not end the process.
struct DamagedPagesTests {
    private let folder: TemporaryFolder
    private var data: String { "\(folder.log)/data.mdb" }
    private var derived: String { "\(LogFolder.derived(of: folder.log))/data.mdb" }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The page's replacement.
    enum Damage: CaseIterable {
        case zeros, garbage, garbageBehindHeader, torn, older, another, otherContent
    }

    private struct BothFiles {
        var log: Bytes
        var derived: Bytes
    }

    private func open() throws -> EventLog {
        try Migrations.openLog(at: folder.log)
    }

    private static func draft(_ number: Int, bytes: Int) -> EventDraft {
        .sample(
            stream: "s/\(number % 9)",
            session: number % 50 == 0 ? .own : .at(UInt64(number - number % 50)),
            note: String(repeating: "\(number % 10)", count: bytes))
    }

    /// Makes a log; returns its events and its files, early and at the end.
    private func make(
        _ count: Int, bytes: Int
    ) throws -> (events: [Bytes], early: BothFiles, last: BothFiles) {
        var early: BothFiles?
        for half in 0..<2 {
            let log = half == 0
                ? try Migrations.createLog(at: folder.log) : try open()
            var number = half * count / 2
            // In commits of a few events, so that pages are freed and used again.
            while number < (half + 1) * count / 2 {
                let next = min(number + 7, (half + 1) * count / 2)
                _ = try log.add((number..<next).map { Self.draft($0, bytes: bytes) })
                number = next
            }
            try log.bringForward()
            _ = consume log
            if half == 0 { early = try files() }
        }
        let events = try open().read { try $0.bytes(from: 0, limit: .max) }
        return (events, try #require(early), try files())
    }

    private func files() throws -> BothFiles {
        BothFiles(
            log: try Files.read(data, limit: 1 << 26),
            derived: try Files.read(derived, limit: 1 << 26))
    }

    private func put(_ files: BothFiles) throws {
        try Files.writeCarelessly(data, files.log, mode: 0o600)
        try Files.createDirectories(Files.parent(of: derived), mode: 0o700)
        try Files.writeCarelessly(derived, files.derived, mode: 0o600)
    }

    /// Uses the log in every way; returns what was read, and how many events were there at the end.
    ///
    /// - Throws: anything but a `LogError` that says that the store is damaged fails the test.
    private func use(_ what: String) throws -> (read: [Bytes]?, count: UInt64?) {
        var (read, count): ([Bytes]?, UInt64?)
        func attempt(_ body: () throws -> Void) throws {
            do {
                try body()
            } catch let error as LogError {
                let codes = [
                    "storeDamaged", "storeTooNew", "developmentVersion", "storeNeedsMigration",
                ]
                #expect(codes.contains(error.code), "\(what): \(error)")
            }
        }
        try attempt { read = try open().read { try $0.bytes(from: 0, limit: .max) } }
        try attempt {
            let log = try open()
            for number in 0..<3 {
                _ = try log.add(.sample(stream: "s/\(number)"))
            }
            try log.bringForward()
            count = try log.read { $0.count }
        }
        try attempt {
            _ = try open().check()
        }
        return (read, count)
    }

    private func damaged(
        _ bytes: Bytes, _ page: Int, by damage: Damage, early: Bytes,
        _ random: inout Seeded
    ) -> Bytes? {
        let range = page * 4096..<(page + 1) * 4096
        var bytes = bytes
        let other = (page + 3) % (bytes.count / 4096) * 4096
        switch damage {
        case .zeros: bytes.replaceSubrange(range, with: Bytes(repeating: 0, count: 4096))
        case .garbage:
            for place in range { bytes[place] = .random(in: 0...255, using: &random) }
        case .garbageBehindHeader:
            for place in range.dropFirst(16) { bytes[place] = .random(in: 0...255, using: &random) }
        case .torn:
            for _ in 0..<4 {
                let place = Int.random(in: range.lowerBound..<range.lowerBound + 64, using: &random)
                bytes[place] = .random(in: 0...255, using: &random)
            }
        case .older:
            guard range.upperBound <= early.count else { return nil }
            bytes.replaceSubrange(range, with: early[range])
        case .another: bytes.replaceSubrange(range, with: bytes[other..<other + 4096])
        case .otherContent:
            bytes.replaceSubrange(range.dropFirst(8), with: bytes[other + 8..<other + 4096])
        }
        return bytes
    }

    @Test func `a damaged page of the log is named, or does not matter`() throws {
        let (events, early, last) = try make(300, bytes: 60)
        for damage in Damage.allCases { try sweep(damage, every: 1, events, early, last) }
    }

    @Test func `so is one of a table with pages on three levels`() throws {
        let (events, early, last) = try make(460, bytes: 1780)
        for damage in Damage.allCases { try sweep(damage, every: 17, events, early, last) }
    }

    private func sweep(
        _ damage: Damage, every step: Int, _ events: [Bytes], _ early: BothFiles, _ last: BothFiles
    ) throws {
        var random = Seeded(7)
        var named = 0
        for page in stride(from: 0, to: last.log.count / 4096, by: step) {
            var files = last
            guard let log = damaged(
                last.log, page, by: damage, early: early.log, &random)
            else { continue }
            files.log = log
            try put(files)
            let (read, count) = try use("\(damage) of page \(page)")
            if read == nil { named += 1 }
            // Bytes inside a value can change unseen; `verify` compares them.
            if damage != .torn, damage != .garbageBehindHeader, let read {
                #expect(read == events, "\(damage) of page \(page)")
            }
            if let count { #expect(count == UInt64(events.count) + 3, "page \(page)") }
        }
        #expect(named > 0 || damage == .older, "most pages matter")
    }

    @Test func `damaged derived tables are made again`() throws {
        let (events, early, last) = try make(300, bytes: 60)
        var random = Seeded(8)
        let damages: [Damage] = [.zeros, .garbage, .otherContent]
        for page in 0..<last.derived.count / 4096 {
            let damage = damages[page % 3]
            var files = last
            guard let derived = damaged(
                last.derived, page, by: damage, early: early.derived, &random)
            else { continue }
            files.derived = derived
            try put(files)
            let (read, count) = try use("\(damage) of page \(page)")
            #expect(read == events, "page \(page)")
            #expect(count == UInt64(events.count) + 3, "page \(page)")
        }
    }

    @Test func `a copy with old first pages and new later ones is not written to`() throws {
        let (events, early, last) = try make(300, bytes: 60)
        for pages in 1...early.log.count / 4096 {
            var files = last
            files.log.replaceSubrange(0..<pages * 4096, with: early.log[0..<pages * 4096])
            try put(files)
            let (read, count) = try use("\(pages) pages are old")
            #expect(read == nil && count == nil, "\(pages) pages are old")
        }
        // Without the tables, all that is left may be an older log, which is whole.
        for pages in 2...early.log.count / 4096 {
            var files = last
            files.log.replaceSubrange(0..<pages * 4096, with: early.log[0..<pages * 4096])
            try put(files)
            try Files.removeTree(Files.parent(of: derived))
            let (read, _) = try use("\(pages) pages are old")
            if let read { #expect(read == Array(events.prefix(150)), "\(pages) pages") }
        }
    }

    @Test func `a file that was cut off is named, or its tail does not matter`() throws {
        let (events, _, last) = try make(300, bytes: 60)
        for pages in 0..<last.log.count / 4096 {
            var files = last
            files.log.removeLast(files.log.count - pages * 4096)
            try put(files)
            let (read, count) = try use("\(pages) pages are left")
            if let read { #expect(read == events, "\(pages) pages") }
            if let count { #expect(count == UInt64(events.count) + 3, "\(pages) pages") }
        }
    }
}
