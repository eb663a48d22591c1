import DaybookEncoding
import DaybookLog
import DaybookSystem
import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Daybook

struct ImportTests {
    let scene: TransferScene
    let other: OtherStore

    init() async throws {
        scene = try await TransferScene()
        other = try OtherStore()
    }

    @Test(arguments: ["log.daybook", "log.jsonl"])
    func `a log that is restored elsewhere is the same log with the same state`(name: String)
        async throws
    {
        let exported = try await scene.export(name)
        let (from, to) = (scene.store, try other.open())
        #expect(try await from.logID != to.logID)
        let summary = try await to.import(from: scene.path(name))
        #expect(summary.status == .restored)
        #expect(summary.events == exported.events && summary.added == exported.events)
        #expect(summary.root == exported.root)
        #expect(try await from.logID == to.logID)
        #expect(try await from.liveDigest() == to.liveDigest())
        #expect(try await from.balances() == to.balances())
        // A grant of an address is handed out only where the wallet's key is.
        let given = Set(try await from.bindings().map(\.request))
        let due = try await from.callbacks()
        #expect(try await to.callbacks() == due.filter { !given.contains($0.request) })
        for again in ["log.daybook", "log.jsonl"] {
            _ = try await from.export(to: scene.path("first-" + again))
            _ = try await to.export(to: scene.path("second-" + again))
            #expect(try scene.bytes("first-" + again) == (try scene.bytes("second-" + again)))
        }
        let repeated = try await to.import(from: scene.path(name))
        #expect(repeated.status == .unchanged && repeated.added == 0)
        #expect(repeated.events == exported.events && repeated.root == exported.root)
        // The restored log goes on as the old one would have.
        let request = try await to.receive("dashwallet://request=address&sender=later")
        // Its front end and settings are the same, and so is its session.
        #expect(request.id.number == exported.events)
        _ = try await to.reject(request.id)
        try await to.expectCleanReplay()
    }

    @Test func `importing sends nothing, and the next call sends the signed transactions`()
        async throws
    {
        let start = try await SharedHome.funded([.dash])
        let uncut = try SharedHome(copying: start)
        let whole = try DriverProcess.run("handle", uncut.path, "key", Flow.all[0].text)
        let place = try #require(whole.places.firstIndex(of: "decision recorded"))
        let interrupted = try SharedHome(copying: start)
        let run = try DriverProcess.run(
            "--kill", "\(place + 1)", "handle", interrupted.path, "key", Flow.all[0].text)
        #expect(run.wasKilled)
        let from = try interrupted.open()
        let signed = try #require(
            try await from.allRecords().first { $0.type == "transaction.signed" })
        _ = try await from.export(to: scene.path("cut.daybook"))
        let places = Mutex<Set<String>>([])
        let to = try other.home.open { place in _ = places.withLock { $0.insert(place) } }
        _ = try await to.import(from: scene.path("cut.daybook"))
        // It neither recorded an input nor an outcome, and no chain heard of it.
        #expect(places.withLock { $0 } == ["proven", "committing", "step imported"])
        #expect(try await to.allRecords() == from.allRecords())
        #expect(try Files.list(other.home.path + "/sandbox").isEmpty)
        let request = try #require(signed.requestID)
        #expect(try await to.request(request).status == .signed)
        #expect(try await to.callbacks().isEmpty)

        // The restored store asks its own nodes from then on: here, the chain as it was.
        try FileManager.default.removeItem(atPath: other.home.path + "/sandbox")
        try FileManager.default.copyItem(
            atPath: interrupted.path + "/sandbox", toPath: other.home.path + "/sandbox")
        try await to.resume()
        #expect(try await to.request(request).status == .completed)
        let records = try await to.allRecords()
        #expect(records.count { $0.type == "signature.made" } == 1)
        #expect(records.filter { $0.type == "transaction.signed" } == [signed])
        #expect(records.count { $0.type == "callback.emitted" } == 1)
        try await to.mine(1)
        #expect(try await Flow.all[0].arrived(in: to) == [Flow.all[0].pays])
        try await to.expectCleanReplay()
    }

    @Test func `without its key a wallet can show but not approve, and nothing is decided`()
        async throws
    {
        try await scene.export("log.daybook")
        let to = try other.open()
        _ = try await to.import(from: scene.path("log.daybook"))
        let pending = try #require(try await to.pending().first)
        // An open store keeps the files of a chain that it has asked.
        try FileManager.default.removeItem(atPath: other.home.path + "/sandbox")
        try FileManager.default.copyItem(
            atPath: scene.home.path + "/sandbox", toPath: other.home.path + "/sandbox")
        await expectCode("keyMissing") { try await to.approve(pending.id) }
        #expect(try await to.request(pending.id).status == .pending)
        try FileManager.default.removeItem(atPath: other.home.path + "/keys")
        try FileManager.default.copyItem(
            atPath: scene.home.path + "/keys", toPath: other.home.path + "/keys")
        #expect(try await to.approve(pending.id).status == .completed)
        try await to.expectCleanReplay()
    }

    @Test func `a shorter store goes on, from a whole export or from the part that it lacks`()
        async throws
    {
        try await scene.export("early.daybook")
        let store = scene.store
        let early = UInt64(try await store.allRecords().count)
        try await store.appendUnknown(5)
        let late = try await scene.export("late.jsonl")
        try await scene.export("tail.daybook", LogSelection(from: early - 3))
        for name in ["late.jsonl", "tail.daybook"] {
            let to = try OtherStore().open()
            _ = try await to.import(from: scene.path("early.daybook"))
            let summary = try await to.import(from: scene.path(name))
            #expect(summary.status == .continued)
            #expect(summary.added == 5 && summary.root == late.root)
            #expect(try await to.allRecords() == store.allRecords())
            // A longer store has all that an earlier export has.
            let back = try await to.import(from: scene.path("early.daybook"))
            #expect(back.status == .unchanged && back.root == late.root)
        }
    }

    @Test func `a part is refused where the store lacks the left-out events`() async throws {
        let store = scene.store
        let count = UInt64(try await store.allRecords().count)
        try await scene.export("tail.daybook", LogSelection(from: 4))
        try await scene.export("front.daybook", LogSelection(to: count - 3))
        try await scene.export("request.jsonl", LogSelection(request: pendingID()))
        let to = try other.open()
        for (name, position) in [("tail", 0), ("front", count - 2), ("request", 0)] {
            let file = name == "request" ? "request.jsonl" : "\(name).daybook"
            let error = await expectCode("exportPartial") {
                try await to.import(from: scene.path(file))
            }
            #expect(error?.position?.number == position && error?.kind == .refused)
        }
        #expect(try await to.allRecords().isEmpty)
        // Where nothing is lacking, a part only confirms.
        #expect(try await store.import(from: scene.path("front.daybook")).status == .unchanged)
        #expect(try await store.import(from: scene.path("request.jsonl")).status == .unchanged)
    }

    @Test func `a log that went another way is refused with the first position that differs`()
        async throws
    {
        try await scene.export("early.daybook")
        let to = try other.open()
        let early = try await to.import(from: scene.path("early.daybook")).events
        let store = scene.store
        try await store.appendUnknown(9)
        _ = try await to.receive("dashwallet://request=address&sender=elsewhere")
        try await to.appendUnknown(12)
        let before = try await to.allRecords()
        try await scene.export("late.daybook")
        try await scene.export("last.daybook", LogSelection(from: early + 7))
        // Where the one event before the part differs, its hash says so; of more events that were
        // left out only a subtree is known to differ, and that it is said to be one.
        try await scene.export("next.daybook", LogSelection(from: early + 1))
        let single = early % 2 == 0
        let range = "an event on that the export leaves out, "
        for (name, isExact) in [("late", true), ("next", single), ("last", false)] {
            let error = await expectCode("fork") {
                try await to.import(from: scene.path("\(name).daybook"))
            }
            #expect(error?.message.contains(range) == !isExact, "\(name): \(error as Any)")
            if isExact {
                #expect(error?.position?.number == early)
            } else {
                let ends = error?.message.split(separator: range)[1].split(separator: ";")[0]
                    .split(separator: " to ").compactMap { UInt64($0) } ?? []
                #expect(ends.count == 2 && ends[0] == error?.position?.number)
                #expect(ends[0] <= early && early <= ends[1])
            }
            #expect(error?.kind == .refused)
        }
        #expect(try await to.allRecords() == before)
        // Seen from the other side it is the same.
        _ = try await to.export(to: scene.path("other.jsonl"))
        let error = await expectCode("fork") {
            try await store.import(from: scene.path("other.jsonl"))
        }
        #expect(error?.position?.number == early)
    }

    @Test func `a store with events of its own takes no other log`() async throws {
        try await scene.export("log.daybook")
        let to = try other.open()
        _ = try await to.receive("dashwallet://request=address&sender=own")
        let (id, before) = (try await to.logID, try await to.allRecords())
        await expectCode("otherLog") { try await to.import(from: scene.path("log.daybook")) }
        #expect(try await to.logID == id)
        #expect(try await to.allRecords() == before)
    }

    @Test func `the export of an empty log changes nothing`() async throws {
        let summary = try await OtherStore().open().export(to: scene.path("empty.daybook"))
        #expect(summary.events == 0)
        let to = try other.open()
        let id = try await to.logID
        #expect(try await to.import(from: scene.path("empty.daybook")).status == .unchanged)
        #expect(try await to.logID == id)
    }

    @Test func `a file that is no whole export is refused by name and changes nothing`()
        async throws
    {
        try await scene.export("log.daybook")
        let bytes = try scene.bytes("log.daybook")
        var flipped = bytes
        flipped[bytes.count / 2] ^= 1
        var newer = bytes
        newer[7] = 11
        var older = bytes
        older[7] = 1
        let wrong: [(Bytes, String)] = [
            (Bytes(bytes.dropLast()), "exportDamaged"), (flipped, "exportDamaged"),
            (bytes + [0], "exportDamaged"), (newer, "exportTooNew"),
            (older, "developmentVersion"),
            ([], "exportDamaged"), (Bytes("%PDF-1.4".utf8), "notAnExport"),
            (Bytes("date,wallet".utf8), "notAnExport"),
        ]
        let to = try other.open()
        let id = try await to.logID
        for (bytes, code) in wrong {
            let path = try scene.write("wrong.daybook", bytes)
            let error = await expectCode(code) { try await to.import(from: path) }
            #expect(error?.kind == .refused)
        }
        for path in [scene.path("none.daybook"), scene.home.folder, "/dev/null"] {
            let error = await expectCode("unreadableFile") { try await to.import(from: path) }
            #expect(error?.kind == .usage)
        }
        #expect(try await to.allRecords().isEmpty)
        #expect(try await to.logID == id)
    }

    @Test(.enabled(if: getuid() == 0 && SmallDisk.canMount))
    func `a store on a read-only disk takes no import, and stays as it is`() async throws {
        let exported = try await scene.export("log.daybook")
        let home = try SharedHome()
        let disk = try SmallDisk(at: home.path, kilobytes: 8192)
        #expect(try DriverProcess.run("create", home.path).status == 0)
        let before = try FileManager.default.contentsOfDirectory(atPath: home.path)
        try disk.remount("ro")
        let refused = try DriverProcess.run("import", home.path, scene.path("log.daybook"))
        #expect(refused.status == 1 && refused.code == "storeReadOnly", "\(refused.lines)")
        try disk.remount("rw")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == before)
        let done = try DriverProcess.run("import", home.path, scene.path("log.daybook"))
        #expect(done.lines.last == "restored \(exported.events)", "\(done.lines)")
    }

    private func pendingID() async throws -> RequestID {
        try #require(try await scene.store.pending().first).id
    }
}
