import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookReplay
import DaybookSystem
import Foundation
import Testing

@testable import Daybook

struct VerifyTests {
    /// A store with some of everything, which nobody has open; its checkpoint.
    private func closed(_ temporary: TemporaryStore) async throws -> LogCheckpoint {
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        for caller in ["shop", "game", "bank"] {
            let id = try await store.receive("dashwallet://request=address&sender=\(caller)").id
            if caller != "bank" { _ = try await store.approve(id) }
        }
        let long = String(repeating: "x", count: 5000)
        _ = try await store.receive("dashwallet://request=address&sender=a&comment=\(long)")
        try await store.mine(2)
        let made = try await store.checkpoint()
        _ = consume store
        try temporary.storeDerived()
        return made
    }

    @Test func `a store that nobody has damaged is whole`() async throws {
        let temporary = try TemporaryStore()
        let made = try await closed(temporary)
        _ = try await temporary.open().receive("dashwallet://request=address&sender=b")
        let found = try Store.verify(at: temporary.path, against: made.note)
        #expect(found.problems == [])
        #expect(found.events == made.size + 3)
        // The events after the checkpoint were read as well.
        #expect(found.root != made.root)
    }

    /// Every 127th byte, the same each time; with DAYBOOK_FLIP_EVERY=1 all of them.
    @Test func `each flipped bit in a used page is found`() async throws {
        let temporary = try TemporaryStore()
        _ = try await closed(temporary)
        let data = temporary.path + "/log/data.mdb"
        let bytes = try Files.read(data, limit: 1 << 26)
        let live = LiveBytes(of: bytes).offsets
        #expect(Set(live).count == live.count)
        let step = ProcessInfo.processInfo.environment["DAYBOOK_FLIP_EVERY"].flatMap { Int($0) }
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: data))
        var kinds: Set<String> = []
        for index in stride(from: 0, to: live.count, by: step ?? 127) {
            let offset = live[index]
            let flipped = bytes[offset] ^ (1 << UInt8(index % 8))
            try handle.seek(toOffset: UInt64(offset))
            try handle.write(contentsOf: [flipped])
            let found = try? Store.verify(at: temporary.path)
            #expect(
                found?.isWhole != true,
                "byte \(offset % 4096) of page \(offset / 4096), bit \(index % 8)")
            if let problem = found?.problems.first { kinds.insert(problem.code.rawValue) }
            try handle.seek(toOffset: UInt64(offset))
            try handle.write(contentsOf: [bytes[offset]])
        }
        #expect(kinds.isSuperset(of: ["pageWrong", "wrong", "eventWrong"]))
        #expect(try Store.verify(at: temporary.path).isWhole)
    }

    /// A table, a change of it, and what must be said of it.
    private static let changes: [(table: String, code: String)] = [
        ("events", "unreadable"), ("tree", "missing"), ("tree", "wrong"), ("tree", "extra"),
        ("streams", "missing"), ("streams", "extra"), ("streams", "wrong"),
        ("positions", "missing"), ("positions", "extra"), ("positions", "wrong"),
        ("state", "missing"), ("state", "extra"), ("state", "wrong"), ("meta", "metaWrong"),
    ]

    @Test(arguments: changes)
    func `an entry that is missing, too much or wrong is named`(
        change: (table: String, code: String)
    ) async throws {
        let temporary = try TemporaryStore()
        _ = try await closed(temporary)
        let key = try alter(temporary.path, change.table, change.code)
        let problems = try Store.verify(at: temporary.path).problems
        let problem = problems.first { $0.table == change.table && $0.code.rawValue == change.code }
        let found = try #require(problem, "\(problems)")
        if change.table != "events" { #expect(found.key == Hex.encode(key)) }
    }

    /// Changes a table as no program would; returns the key of the entry.
    private func alter(_ path: String, _ name: String, _ code: String) throws -> Bytes {
        let folder = ["events", "meta"].contains(name) ? "/log" : "/derived"
        let environment = try DaybookLMDB.Environment(path + folder)
        return try environment.write { view in
            let table = try #require(try view.table(name))
            let cursor = try Cursor(view, table)
            // The lowest level's first row: the tree can't be read without one that is not full.
            let entry = try #require(name == "tree" ? try cursor.seek([15]) : try cursor.first())
            switch code {
            case "extra", "metaWrong":
                // An id that no event has, so that it stands behind all others.
                let key = entry.key.map { _ in UInt8(0x7e) }
                try view.put(table, key, entry.value)
                return key
            case "wrong":
                try view.put(table, entry.key, entry.value.dropLast() + [entry.value.last! ^ 1])
                return entry.key
            default:
                try view.remove(table, entry.key)
                return entry.key
            }
        }
    }

    @Test func `nothing is computed from rows that do not decode, which are made again`()
        async throws
    {
        let temporary = try TemporaryStore()
        _ = try await closed(temporary)
        // The tables lack these events, which change the balance.
        var store: Store? = try temporary.open()
        let wallet = try #require(try await store?.wallets().first)
        _ = try await store?.fundFromFaucet(wallet.id, amount: "1000000000")
        let balance = try await store?.balances(wallet: wallet.id)
        store = nil
        try temporary.alterRows { rows in
            for row in rows.scan(prefix: Bytes("balances/".utf8), after: nil, limit: .max) {
                rows.set(row.key, [0xff])
            }
        }
        let opened = try temporary.open()
        for _ in 0..<2 { #expect(try await opened.balances(wallet: wallet.id) == balance) }
        try await opened.expectCleanReplay()
    }

    @Test func `an event that was replaced by another is found at its place`() async throws {
        let temporary = try TemporaryStore()
        _ = try await closed(temporary)
        let environment = try DaybookLMDB.Environment(temporary.path + "/log")
        try environment.write { view in
            let table = try #require(try view.table("events"))
            let key: Bytes = [0, 0, 0, 0, 0, 0, 0, 5]
            let record = try EventRecord.decode(try #require(try view.value(table, key)))
            try view.put(table, key, record.altered(time: record.time - 1).bytes)
        }
        _ = consume environment
        let problems = try Store.verify(at: temporary.path).problems
        #expect(problems.contains { $0.table == "tree" && $0.position == 5 }, "\(problems)")
    }

    @Test func `a store that was set back or parted is an alarm`() async throws {
        let temporary = try TemporaryStore()
        _ = try await closed(temporary)
        let old = temporary.path + "-old"
        defer { try? FileManager.default.removeItem(atPath: old) }
        try FileManager.default.copyItem(atPath: temporary.path, toPath: old)
        let later = try await checkpoint(temporary.path, after: "shop")
        let alarm = try Store.verify(at: old, against: later.note).problems.first
        #expect(alarm?.code == "rolledBack")
        #expect(alarm?.position?.number == (try Store.verify(at: old).events))
        #expect(try Store.examine(at: old, against: later.note).contains {
            $0.about == "checkpoint" && $0.status == .problem
        })
        for caller in ["x", "y", "z"] { _ = try await checkpoint(old, after: caller) }
        let parted = try Store.verify(at: old, against: later.note)
        #expect(parted.problems.map(\.code) == ["forked"])
        #expect(parted.problems[0].message.hasSuffix("at or before event \(later.size - 1)"))
        #expect(try Store.verify(at: temporary.path, against: later.note).isWhole)
    }

    @Test func `of several kept checkpoints the last that agrees says where a store parted`()
        async throws
    {
        let temporary = try TemporaryStore()
        _ = try await closed(temporary)
        let kept = try await checkpoint(temporary.path, after: "before")
        let old = temporary.path + "-old"
        defer { try? FileManager.default.removeItem(atPath: old) }
        try FileManager.default.copyItem(atPath: temporary.path, toPath: old)
        let later = try await checkpoint(temporary.path, after: "shop")
        for caller in ["x", "y", "z"] { _ = try await checkpoint(old, after: caller) }
        let notes = later.note + kept.note
        #expect(try Store.verify(at: temporary.path, against: notes).isWhole)
        let parted = try Store.verify(at: old, against: notes).problems
        #expect(parted.map(\.code) == ["forked"])
        #expect(parted[0].position?.number == later.size - 1)
        #expect(parted[0].message.contains("after the \(kept.size) that an earlier one signed"))
        #expect(try Store.examine(at: old, against: notes).contains {
            $0.about == "checkpoint" && $0.message.contains("after the \(kept.size)")
        })
    }

    private func checkpoint(_ path: String, after caller: String) async throws -> LogCheckpoint {
        let store = try Store(opening: path, frontEnd: "tests")
        _ = try await store.receive("dashwallet://request=address&sender=\(caller)later")
        let made = try await store.checkpoint()
        return made
    }

    @Test func `a state that is folded on disk is compared as one in memory`() async throws {
        let temporary = try TemporaryStore()
        _ = try await closed(temporary)
        let log = try EventLog(readingAt: temporary.path + "/log")
        let rows = try ScratchRows()
        try log.read { snapshot in
            var memory: any Rows = MemoryRows()
            for row in snapshot.state.rows.scan(prefix: [], after: nil, limit: .max) {
                memory.set(row.key, row.value)
                rows.set(row.key, row.value)
                rows.set(row.key + [1], [])
                rows.remove(row.key + [1])
            }
            #expect(
                rows.scan(prefix: [], after: nil, limit: .max)
                    == memory.scan(prefix: [], after: nil, limit: .max))
        }
        try ScratchRows.check(rows)
    }
}
