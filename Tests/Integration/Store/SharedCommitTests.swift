import DaybookDomain
import DaybookLMDB
import DaybookLog
import DaybookMigrations
import DaybookReplay
import DaybookSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Daybook

/// Several tasks of one store that write at once.
struct SharedCommitTests {
    private static func link(_ number: Int) -> String {
        "dashwallet://request=address&sender=caller\(number)"
    }

    /// The commits so far, and who was answered before them.
    private final class Witness: Sendable {
        let commits = Mutex(0)
        let answers = Mutex(0)
        let answeredBefore = Mutex([Int]())

        func reach(_ place: String) {
            guard place == "committing" else { return }
            commits.withLock { $0 += 1 }
            let answered = answers.withLock { $0 }
            answeredBefore.withLock { $0.append(answered) }
        }
    }

    private func requests(_ count: Int, in store: Store) async throws -> [RequestID] {
        _ = try await store.addTestWallet(.dash)
        var ids: [RequestID] = []
        for number in 0..<count { ids.append(try await store.receive(Self.link(number)).id) }
        return ids
    }

    @Test func `writes of tasks at once are one commit, and each has its own answer`()
        async throws
    {
        let witness = Witness()
        let gate = Gate()
        let store = try TemporaryStore().open(probe: { witness.reach($0) }, gate: gate)
        var ids = try await requests(5, in: store)
        ids.insert(4_711, at: 2)
        let before = witness.commits.withLock { $0 }
        let answers = await store.together(ids, through: gate) { store, id in
            let request = try await store.reject(id)
            witness.answers.withLock { $0 += 1 }
            return request.status
        }
        #expect(answers.map(\.code) == [nil, nil, "unknownRequest", nil, nil, nil])
        #expect(answers.compactMap { try? $0.get() } == Array(repeating: .rejected, count: 5))
        #expect(witness.commits.withLock { $0 } == before + 1)
        #expect(witness.answeredBefore.withLock { $0.allSatisfy { $0 == 0 } })
        let decided = try await store.allRecords().filter { $0.type == "decision.made" }
        #expect(decided.compactMap(\.requestID) == ids.filter { $0 != 4_711 })
        #expect(Set(decided.map(\.time)).count == 1)
        try await store.expectCleanReplay()
    }

    @Test func `one request that two tasks decide at once is decided once`() async throws {
        let gate = Gate()
        let store = try TemporaryStore().open(gate: gate)
        let id = try #require(try await requests(1, in: store).first)
        let answers = await store.together([id, id], through: gate) {
            try await $0.reject($1).status
        }
        #expect(answers.map(\.code) == [nil, "alreadyDecided"])
        try await store.expectCleanReplay()
    }

    @Test func `an input that can't be written is refused alone`() async throws {
        let gate = Gate()
        let store = try TemporaryStore().open(gate: gate)
        let texts = [10, LogLimits.eventBytes, 20].map { String(repeating: "x", count: $0) }
        let answers = await store.together(texts, through: gate) { store, text in
            try await store.recordOnly(text)
        }
        #expect(answers.map { (try? $0.get()) == nil } == [false, true, false])
        let received = try await store.allRecords().filter { $0.type == "request.received" }
        #expect(received.map { RequestID($0.position) } == answers.compactMap { try? $0.get() })
        try await store.expectCleanReplay()
    }

    @Test func `an error of the disk reaches all that shared the commit, and nothing is there`()
        async throws
    {
        let temporary = try TemporaryStore()
        let isFull = Mutex(false)
        let disk = try HookedDisk(temporary.path + "/log") {
            if isFull.withLock({ $0 }) { throw LMDBError(rawValue: 28) }
        }
        let gate = Gate()
        let store = try temporary.open(run: gate.run) { parts in
            parts.log = { try EventLog(in: disk) }
        }
        let ids = try await requests(4, in: store)
        let before = try await store.allRecords()
        isFull.withLock { $0 = true }
        let refused = await store.together(ids, through: gate) { try await $0.reject($1).status }
        #expect(refused.map(\.code) == Array(repeating: "diskFull", count: 4))
        #expect(try await store.allRecords() == before)
        isFull.withLock { $0 = false }
        let done = await store.together(ids, through: gate) { try await $0.reject($1).status }
        #expect(done.map(\.code) == [nil, nil, nil, nil])
        try await store.expectCleanReplay()
    }

    @Test func `killed at any place, a crowd of tasks has lost nothing that they were told`()
        async throws
    {
        let start = try await SharedHome.funded([.dash])
        let whole = try SharedHome(copying: start)
        let run = try DriverProcess.run("crowd", whole.path, "6")
        #expect(run.status == 0 && run.requests("received").count == 6, "\(run.lines)")
        #expect(run.requests("rejected").count == 6)
        for number in 1...run.places.count {
            let home = try SharedHome(copying: start)
            let killed = try DriverProcess.run("--kill", "\(number)", "crowd", home.path, "6")
            let log = try await home.open().allRecords()
            func told(_ word: String, _ type: String) -> Bool {
                Set(killed.requests(word)).isSubset(
                    of: log.filter { $0.type == type }.compactMap(\.requestID))
            }
            #expect(told("received", "request.received"), "\(killed.lines)")
            #expect(told("rejected", "request.rejected"), "\(killed.lines)")
            try await home.open().expectCleanReplay()
        }
    }

    @Test func `payments that tasks send at once are each sent once, and looked for together`()
        async throws
    {
        let places = Mutex([String]())
        let isHeld = Monitor(false)
        // Through a gate, so that no thread is held that the other tests need.
        let store = try TemporaryStore().open(probe: { place in
            places.withLock { $0.append(place) }
            if place == "committing" { isHeld.change(when: { !$0 }) { _ in } }
        }, gate: Gate())
        for number in 1...4 {
            let digits = String(repeating: "0", count: 63) + "\(number)"
            let wallet = try await store.addWallet(
                .hexKey(Passphrase(digits)), chain: .dash, sealedBy: Passphrase("correct horse")
            ).wallet
            _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        }
        var ids: [RequestID] = []
        // Of names that are alike, approving one would change the others' prompts.
        for (number, name) in zip(1..., ["bakery", "museum", "florist", "cinema"]) {
            ids.append(
                try await store.receive(
                    "dashwallet://pay=XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa&amount=0.\(number)"
                        + "&sender=\(name)").id)
        }
        let wallets = Dictionary(
            uniqueKeysWithValues: zip(ids, try await store.wallets().map(\.id)))
        places.withLock { $0 = [] }
        isHeld.change { $0 = true }
        let tasks = ids.map { id in
            Task { try await store.approve(id, wallet: wallets[id]).status }
        }
        // All are to be recorded now: some are in the commit that is held, others wait behind it.
        await waitUntil { places.withLock { $0.count { $0 == "signed" } } == tasks.count }
        isHeld.change { $0 = false }
        for task in tasks { #expect(try await task.value == .completed) }
        #expect(places.withLock { $0.count { $0 == "broadcast" } } == 4)
        #expect(places.withLock { $0.count { $0 == "scanned" } } < 4 * 2)
        try await store.expectCleanReplay()
    }
}

extension Result {
    /// The code of the facade's error.
    fileprivate var code: String? {
        if case .failure(let error as DaybookError) = self { error.code.rawValue } else { nil }
    }
}
