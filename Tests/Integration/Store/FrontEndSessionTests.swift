import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem
import Foundation
import Testing

@testable import Daybook

/// A session lasts as long as its front end, the rules, the libraries and the settings stay.
struct FrontEndSessionTests {
    let temporary: TemporaryStore

    init() throws {
        temporary = try TemporaryStore()
    }

    /// Receives a request as a program of its own does.
    @discardableResult
    private func receive(_ sender: String, frontEnd: String = "tests") async throws
        -> WalletRequest
    {
        var options = StoreOptions()
        options.clock = { [temporary] in temporary.now.withLock { $0 += 1000; return $0 } }
        let store = try Store(opening: temporary.path, frontEnd: frontEnd, options: options)
        return try await store.receive("dashwallet://request=address&sender=\(sender)")
    }

    private func set(expirySeconds: Int) throws {
        try Data(#"{"expirySeconds":\#(expirySeconds)}"#.utf8).write(
            to: URL(filePath: temporary.path + "/settings.json"))
    }

    private func addWallet() async throws {
        _ = try await temporary.open().addTestWallet(.dash)
    }

    private func beginnings(_ records: [EventRecord]) -> [UInt64] {
        records.filter { $0.type == "session.started" }.map(\.position)
    }

    @Test func `a program that is started again and again records its session once`() async throws {
        try await addWallet()
        for number in 1...5 { try await receive("shop\(number)") }
        let store = try temporary.open()
        let records = try await store.allRecords()
        #expect(beginnings(records) == [0])
        #expect(records.allSatisfy { $0.session == 0 })
        #expect(records.count { $0.type == "request.received" } == 5)
        // Opening and looking records nothing.
        #expect(try await store.pending().count == 5)
        #expect(try await store.allRecords() == records)
        try await store.expectCleanReplay()
    }

    @Test func `changed settings begin another session, and hold for its requests`()
        async throws
    {
        try await addWallet()
        let usual = try #require(try await receive("first").expires)
        try set(expirySeconds: 60)
        let short = try #require(try await receive("second").expires)
        try await receive("third")
        try set(expirySeconds: 600)
        try await receive("fourth")
        #expect(usual.microseconds > short.microseconds + 500_000_000)
        let store = try temporary.open()
        let records = try await store.allRecords()
        let sessions = beginnings(records)
        #expect(sessions.count == 3 && sessions.first == 0)
        let received = records.filter { $0.type == "request.received" }.map(\.session)
        #expect(received == [sessions[0], sessions[1], sessions[1], sessions[2]])
        try await store.expectCleanReplay()
    }

    @Test func `each front end has its own session and goes on with it`() async throws {
        try await addWallet()
        for name in ["one", "two", "one", "two", "one"] {
            try await receive("shop", frontEnd: name)
        }
        let store = try temporary.open()
        let records = try await store.allRecords()
        #expect(beginnings(records).count == 3)
        let received = records.filter { $0.type == "request.received" }
        let one = received.filter { $0.actor == "one" }.map(\.session)
        let two = received.filter { $0.actor == "two" }.map(\.session)
        #expect(one.count == 3 && Set(one).count == 1)
        #expect(two.count == 2 && Set(two).count == 1 && one[0] != two[0])
        try await store.expectCleanReplay()
    }

    @Test func `a session that a rollback undid is begun by the next commit`() async throws {
        let store = try temporary.open()
        let tooLong = String(repeating: "x", count: LogLimits.eventBytes)
        await #expect(throws: (any Error).self) { try await store.recordOnly(tooLong) }
        #expect(try await store.allRecords().isEmpty)
        _ = try await store.receive("dashwallet://request=address&sender=shop")
        #expect(beginnings(try await store.allRecords()) == [0])
        try await store.expectCleanReplay()
    }

    @Test func `a clock that was set back is the first thing that a program says in its session`()
        async throws
    {
        try await addWallet()
        temporary.now.withLock { $0 -= 3_600_000_000 }
        try await receive("shop")
        let store = try temporary.open()
        let records = try await store.allRecords()
        #expect(records.map(\.type).dropFirst(2).first == "clock.set")
        #expect(beginnings(records) == [0])
        try await store.expectCleanReplay()
        var audit = Audit(logID: records[0].logID)
        for record in records { audit.feed(record.bytes) }
        audit.finish()
        #expect(audit.violations == [])
    }

    @Test func `a log that was moved is gone on with in its session`() async throws {
        let scene = try await TransferScene()
        let path = scene.path("log.daybook")
        _ = try await scene.export("log.daybook")
        let last = try #require(try await scene.store.allRecords().last)
        let other = try OtherStore()
        let store = try other.home.open(clock: { last.time + 1_000_000 })
        #expect(try await store.import(from: path).status == .restored)
        _ = try await store.receive("dashwallet://request=address&sender=elsewhere")
        let records = try await store.allRecords()
        let added = records.dropFirst(Int(last.position) + 1)
        #expect(added.map(\.type).contains("request.received"))
        #expect(added.allSatisfy { $0.session == last.session && $0.type != "session.started" })
        try await store.expectCleanReplay()
    }
}
