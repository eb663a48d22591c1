import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem
import Foundation
import Testing

@testable import Daybook

/// Clocks that are wrong for a while.
struct ClockTests {
    let temporary: TemporaryStore

    init() throws {
        temporary = try TemporaryStore()
    }

    private static let day: UInt64 = 86_400
    private static let century = 36_525 * day
    private let icx = Flow.all.first { $0.name == "sendICX" }?.text ?? ""

    @Test(arguments: [true, false])
    func `a clock that has jumped is asked about, and nothing is recorded`(isAhead: Bool)
        async throws
    {
        try await use { store in
            let request = try await funded(store).receive(Flow.all[0].text)
            let shown = try #require(request.prompt)
            let before = try await store.allRecords()
            turn(by: 92 * Self.day, ahead: isAhead)
            let calls: [(Store) async throws -> Void] = [
                { _ = try await $0.receive("dashwallet://request=address&sender=late") },
                { _ = try await $0.reject(request.id) },
                {
                    _ = try await $0.approve(
                        request.id, shown: shown, unlockedBy: Passphrase("correct horse"))
                },
                { _ = try await $0.fundFromFaucet(1, amount: "50000000") },
                { _ = try await $0.checkpoint() },
            ]
            for call in calls {
                let error = await expectCode("clockJumped") { try await call(store) }
                #expect(error?.kind == .refused)
                #expect(error?.message.contains(" days \(isAhead ? "after" : "before")") == true)
            }
            // Reading calls still work.
            #expect(try await store.pending().count == 1)
            #expect(try await store.allRecords() == before)
        }
        try await use(acceptsClock: true) { store in
            _ = try await store.receive("dashwallet://request=address&sender=late")
            #expect(try await store.pending().count == (isAhead ? 1 : 2))
            // It was accepted once, not for good.
            turn(by: 92 * Self.day, ahead: isAhead)
            await expectCode("clockJumped") {
                try await store.receive("dashwallet://request=address&sender=later")
            }
            try await store.expectCleanReplay()
        }
    }

    @Test func `a log without events believes the clock`() async throws {
        turn(by: Self.century, ahead: true)
        let now = temporary.now.withLock { $0 }
        try await use { store in
            _ = try await store.receive("dashwallet://request=address&sender=app")
            let first = try await store.allRecords().first
            #expect(try #require(first).time > now)
        }
    }

    @Test func `a store that one command under a wrong clock has touched stays usable`()
        async throws
    {
        try await use { _ = try await funded($0) }
        let right = temporary.now.withLock { $0 }
        turn(by: Self.century, ahead: true)
        let (pays, sends) = try await use(acceptsClock: true) { store in
            let pays = try await store.receive(Flow.all[0].text).id
            let sends = try await store.receive(icx).id
            for _ in 0..<3 {
                await expectCode("wrongPassphrase") { try await attempt(pays, "wrong", in: store) }
            }
            await expectCode("lockedOut") { try await attempt(pays, "correct horse", in: store) }
            return (pays, sends)
        }

        temporary.now.withLock { $0 = right }
        try #expect(findings().contains("clock"))
        try await use { store in
            let pending = try await store.pending()
            #expect(pending.map(\.id) == [pays, sends])
            await expectCode("clockJumped") { try await attempt(pays, "correct horse", in: store) }
        }
        try await use(acceptsClock: true) { store in
            let locked = await expectCode("lockedOut") {
                try await attempt(pays, "correct horse", in: store)
            }
            #expect(locked?.message.contains("again in 60 s") == true, "\(locked as Any)")
        }
        try #expect(!findings().contains("clock"))
        temporary.wait(seconds: 61)
        try await use { store in
            #expect(try await attempt(pays, "correct horse", in: store).status == .completed)
            #expect(try await attempt(sends, "correct horse", in: store).status == .completed)
            _ = try await store.mine(1)
            let later = try await store.receive("dashwallet://request=address&sender=app")
            temporary.wait(seconds: 601)
            #expect(try await store.pending().isEmpty)
            #expect(try await store.request(later.id).status == .expired)

            let records = try await store.allRecords()
            #expect(records.count { $0.type == "clock.set" } == 1)
            let last = try #require(records.last)
            #expect(last.time - right < 700_000_000)
            try await expectSound(store, records)
        }
    }

    @Test func `a clock that was set back by an hour sets the log's time back with it`()
        async throws
    {
        let store = try await funded(temporary.open())
        let pays = try await store.receive(Flow.all[0].text)
        let sends = try await store.receive(icx)
        for _ in 0..<3 {
            await expectCode("wrongPassphrase") { try await attempt(pays.id, "wrong", in: store) }
        }
        temporary.wait(seconds: 20)
        turn(by: 3600, ahead: false)
        // Neither the rest of the lock nor that of the requests' time is lost.
        let locked = await expectCode("lockedOut") {
            try await attempt(pays.id, "correct horse", in: store)
        }
        #expect(locked?.message.contains("again in 60 s") == true, "\(locked as Any)")
        temporary.wait(seconds: 61)
        #expect(try await attempt(sends.id, "correct horse", in: store).status == .completed)
        temporary.wait(seconds: 480)
        #expect(try await store.pending().map(\.id) == [pays.id])
        temporary.wait(seconds: 60)
        #expect(try await store.pending().isEmpty)
        let records = try await store.allRecords()
        #expect(records.count { $0.type == "clock.set" } == 1)
        try await expectSound(store, records)
    }

    @Test func `a clock that is set right by a moment lets the log's time stand still`()
        async throws
    {
        let store = try await funded(temporary.open())
        turn(by: 50, ahead: false)
        let last = try await store.allRecords().last
        _ = try await store.receive(Flow.all[0].text)
        let records = try await store.allRecords()
        #expect(records.last?.time == last?.time)
        #expect(!records.contains { $0.type == "clock.set" })
    }

    @Test func `only an event that sets the clock goes back, and says from when`() async throws {
        let store = try await funded(temporary.open())
        turn(by: 3600, ahead: false)
        _ = try await store.receive(Flow.all[0].text)
        let records = try await store.allRecords()
        let place = try #require(records.firstIndex { $0.type == "clock.set" })
        let set = records[place]
        let time = records[place - 1].time
        let wrong: [(EventRecord, String)] = [
            (set.altered(data: .record(["from": .unsigned(time + 1)])), "data.from"),
            (set.altered(time: time), "time"), (set.altered(type: "time.passed"), "time"),
        ]
        for (record, field) in wrong {
            var log = Array(records[...place])
            log[place] = record
            let found = try replay(log).divergences
            #expect(found.contains { $0.position.number == UInt64(place) && $0.field == field })
        }
        #expect(ClockSet.type == EventRecord.clockSet)
    }

    // MARK: - The store and its clock

    private func turn(by seconds: UInt64, ahead: Bool) {
        temporary.now.withLock { $0 = ahead ? $0 + seconds * 1_000_000 : $0 - seconds * 1_000_000 }
    }

    /// Runs `body` on the store as a program of its own opens it.
    private func use<Value>(
        acceptsClock: Bool = false, _ body: (Store) async throws -> Value
    ) async throws -> Value {
        try await body(temporary.open(acceptsClock: acceptsClock))
    }

    private func funded(_ store: Store) async throws -> Store {
        let amounts: [(ChainName, MinorAmount)] = [
            (.dash, "1000000000"), (.icon, "10000000000000000000"),
        ]
        for (chain, amount) in amounts {
            let wallet = try await store.addTestWallet(chain)
            _ = try await store.fundFromFaucet(wallet.id, amount: amount)
        }
        try await store.mine(6)
        return store
    }

    private func attempt(_ id: RequestID, _ passphrase: String, in store: Store) async throws
        -> WalletRequest
    {
        try await store.approve(
            id, shown: try await store.prompt(for: id), unlockedBy: Passphrase(passphrase))
    }

    private func findings() throws -> [String] {
        try Doctor(
            folder: StoreFolder(temporary.path), note: nil, now: temporary.now.withLock { $0 }
        ).findings().map(\.about)
    }

    /// A reader of the log finds nothing wrong, and the log can be moved.
    private func expectSound(_ store: Store, _ records: [EventRecord]) async throws {
        try await store.expectCleanReplay()
        var verifier = try LogVerifier(logID: records[0].logID)
        for record in records { verifier.feed(record.bytes) }
        #expect(verifier.finish().violations == [])
        let to = try OtherStore()
        let path = to.home.folder + "/log.daybook"
        _ = try await store.export(to: path)
        let now = temporary.now.withLock { $0 }
        let other = try to.home.open(clock: { now })
        #expect(try await other.import(from: path).status == .restored)
        #expect(try await other.liveDigest() == store.liveDigest())
    }
}
