import DaybookEncoding
import DaybookLog
import DaybookSystem
import Foundation
import Synchronization
import Testing

@testable import Daybook

/// Imports of several steps that are killed, and that meet other writers.
struct ImportCrashTests {
    let scene: TransferScene
    /// How many events the export has: more than two steps' worth, known types at both ends.
    let count: UInt64
    let root: String
    /// Where the first two steps end: a step has a mebibyte of events, or a little more.
    let ends: [Int]

    init() async throws {
        scene = try await TransferScene()
        let store = scene.store
        try await store.appendUnknown(2500, note: String(repeating: "x", count: 900))
        let request = try await store.receive("dashwallet://request=address&sender=late")
        _ = try await store.reject(request.id)
        let summary = try await store.export(to: scene.path("log.daybook"))
        (count, root) = (summary.events, summary.root)
        var bytes = 0
        var ends: [Int] = []
        for record in try await store.allRecords() {
            bytes += record.bytes.count
            if bytes < 1 << 20 { continue }
            ends.append(Int(record.position) + 1)
            bytes = 0
        }
        self.ends = ends
    }

    @Test func `killed at any place and done again, an import ends the same`() async throws {
        let whole = try OtherStore()
        let run = try DriverProcess.run("import", whole.home.path, scene.path("log.daybook"))
        #expect(run.status == 0, "\(run.lines)")
        #expect(run.places.count == 7 && run.lines.last == "restored \(count)", "\(run.lines)")
        let expected = try await scene.store.liveDigest()
        for number in 1...run.places.count {
            let to = try OtherStore()
            let killed = try DriverProcess.run(
                "--kill", "\(number)", "import", to.home.path, scene.path("log.daybook"))
            #expect(killed.wasKilled)
            let stored = try await to.open().allRecords().count
            let first = ends[0]
            let second = ends[1]
            #expect(stored == [0, 0, first, first, second, second, Int(count)][number - 1])
            let again = try DriverProcess.run("import", to.home.path, scene.path("log.daybook"))
            let status = stored == 0 ? "restored" : stored == count ? "unchanged" : "continued"
            #expect(again.lines.last == "\(status) \(count)", "\(again.lines)")
            let store = try to.open()
            #expect(try await store.liveDigest() == expected)
            #expect(try await store.root() == root)
            _ = try await store.export(to: scene.path("again-\(number).daybook"))
            #expect(
                try scene.bytes("again-\(number).daybook") == (try scene.bytes("log.daybook")))
        }
    }

    @Test func `a step ends with the last outcome of an input`() async throws {
        let scene = try await TransferScene()
        for _ in 0..<5 {
            try await scene.store.appendUnknown(1, note: String(repeating: "x", count: 200_000))
        }
        // Its text alone takes the step beyond a mebibyte, and why it was refused follows.
        let long = "dashwallet://pay=nobody&sender=shop" + String(repeating: "x", count: 60_000)
        let request = try await scene.store.receive(long)
        try await scene.store.appendUnknown(2)
        try await scene.export("long.daybook")
        let file = try #require(try ExportFile(scene.path("long.daybook")))
        var batches = ExportBatches(try file.reader())
        let step = try #require(try batches.next())
        #expect(step.head.size == request.id.number + 2)
        let last = try #require(try batches.next())
        #expect(last.head.size == request.id.number + 4)
        let none = try batches.next()
        #expect(none == nil)
    }

    @Test func `another writer between two steps makes it a fork, and loses nothing`()
        async throws
    {
        let to = try OtherStore()
        let store = try open(to, at: "step imported") {
            let run = try? DriverProcess.run(
                "reject", to.home.path, "k", "dashwallet://request=address&sender=between")
            #expect(run?.status == 0)
        }
        let error = await expectCode("fork") {
            try await store.import(from: scene.path("log.daybook"))
        }
        #expect(error?.position?.number == UInt64(ends[0]))
        let records = try await store.allRecords()
        #expect(records.count > ends[0] && records.count < ends[0] + 26)
        #expect(records[ends[0]].type == "session.started")
        #expect(records.last?.type != "weather.changed")
    }

    @Test func `two imports of the same file at once end as one`() async throws {
        let to = try OtherStore()
        let path = scene.path("log.daybook")
        let store = try open(to, at: "step imported") {
            let run = try? DriverProcess.run("import", to.home.path, path)
            #expect(run?.lines.last == "continued \(count)")
        }
        let summary = try await store.import(from: path)
        #expect(summary.events == count && summary.root == root && summary.added == ends[0])
        #expect(try await store.liveDigest() == scene.store.liveDigest())
    }

    @Test func `a store that another fills between proof and first step is left alone`()
        async throws
    {
        let to = try OtherStore()
        let store = try open(to, at: "proven") {
            let run = try? DriverProcess.run(
                "reject", to.home.path, "k", "dashwallet://request=address&sender=first")
            #expect(run?.status == 0)
        }
        await expectCode("otherLog") { try await store.import(from: scene.path("log.daybook")) }
        #expect(try await store.allRecords().first?.type == "session.started")
        #expect(try await store.allRecords().count < 20)
    }

    /// Opens a store that does something the first time that it comes to a place.
    private func open(
        _ other: OtherStore, at place: String, _ body: @escaping @Sendable () -> Void
    ) throws -> Store {
        let isDone = Mutex(false)
        var options = StoreOptions()
        options.probe = { reached in
            guard reached == place else { return }
            let isFirst = isDone.withLock { done in
                defer { done = true }
                return !done
            }
            if isFirst { body() }
        }
        return try Store(opening: other.home.path, frontEnd: "tests", options: options)
    }
}
