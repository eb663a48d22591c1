import DaybookEncoding
import DaybookLog
import DaybookSystem
import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Daybook

extension StressTests {
    @Test func `a writer, readers and a replayer that are killed see one log, whole`()
        async throws
    {
        let home = try await SharedHome.funded([.dash, .axe, .icon], times: 20)
        let witness = try await Self.killing(home)
        #expect(witness.ends == [])
        let store = try home.open()
        for name in [ChainName.dash, .axe, .icon] { try await store.setFault(.none, on: name) }
        _ = try await store.sync()
        try await store.mine(2)
        let log = Outcome(try await store.allRecords())
        let decided = log.prepared + log.granted
        #expect(Set(decided + log.rejected).count == decided.count + log.rejected.count)
        #expect(witness.told["received", default: []].subtracting(log.received) == [])
        #expect(witness.told["approved", default: []].subtracting(decided) == [])
        #expect(witness.told["rejected", default: []].subtracting(log.rejected) == [])
        #expect(witness.falseRoots(of: log.records.map(\.bytes)) == [])
        for id in decided where try await store.request(id).status != .completed {
            #expect(try await store.isLate(id), "request \(id)")
        }
        try compareOrder(log)
        try await compareChains(log, store)
        try await store.expectCleanReplay()
        print("\(witness.kills) kills, \(Self.seconds) s: \(log.records.count) events, "
            + "\(log.received.count) requests, \(log.prepared.count) payments, "
            + "\(log.failed.count) failed, \(witness.pages) pages read, \(witness.replays) replays")
    }

    @Test(arguments: ["gap", "duplicate", "late", "torn"])
    func `a reader that is shown a fault in place of the log says so`(fault: String)
        async throws
    {
        let home = try await SharedHome.funded([.dash])
        let result = try DriverProcess.start(["follow", home.path, fault])
            .end(killingAfter: 100, microseconds: 0)
        #expect(!result.wasKilled && result.values("error").first?.hasPrefix("Torn") == true)
    }

    @Test func `a reader that saw events which the log never had is distinguished`() {
        let events: [[UInt8]] = [[1], [2], [3]]
        var tree = TreeFold()
        var witness = Witness()
        for (number, event) in events.enumerated() {
            tree.add(leaf: event)
            witness.seen[UInt64(number + 1)] = [Hex.encode(tree.root().bytes)]
        }
        #expect(witness.falseRoots(of: events) == [])
        #expect(witness.falseRoots(of: [[1], [9], [3]]) == [2, 3])
        #expect(witness.falseRoots(of: Array(events[..<2])) == [3])
    }

    /// The result of the processes' lives.
    private struct Witness {
        var kills = 0
        /// The last lines of those that ended before they were killed.
        var ends: [String] = []
        var told: [String: Set<RequestID>] = [:]
        var seen: [UInt64: Set<String>] = [:]
        var pages = 0
        var replays = 0

        mutating func add(_ result: ProgramRun) {
            if result.wasKilled { kills += 1 } else { ends.append(result.lines.last ?? "nothing") }
            for word in ["received", "approved", "rejected"] {
                told[word, default: []].formUnion(result.requests(word))
            }
            for words in result.values("seen").map({ $0.split(separator: " ") }) {
                if let size = UInt64(words[0]) { seen[size, default: []].insert(String(words[1])) }
                pages += 1
            }
            replays += result.values("replayed").count
        }

        mutating func add(_ other: Witness) {
            kills += other.kills
            ends += other.ends
            told.merge(other.told) { $0.union($1) }
            seen.merge(other.seen) { $0.union($1) }
            pages += other.pages
            replays += other.replays
        }

        /// The numbers of events at which a reader had others than these, or more.
        func falseRoots(of events: [[UInt8]]) -> [UInt64] {
            var tree = TreeFold()
            var right: [UInt64: Set<String>] = [:]
            for event in events {
                tree.add(leaf: event)
                if seen[tree.size] != nil { right[tree.size] = [Hex.encode(tree.root().bytes)] }
            }
            return seen.filter { $0.value != right[$0.key] }.map(\.key).sorted()
        }
    }

    /// Whether the writer has had its last life.
    private final class Ending: Sendable {
        let isReached = Mutex(false)
    }

    /// A writer, four readers and a replayer, each killed and started again.
    private static func killing(_ home: SharedHome) async throws -> Witness {
        let end = Clock.nowMicroseconds() + UInt64(seconds) * 1_000_000
        let ending = Ending()
        return try await withThrowingTaskGroup(of: Witness.self) { group in
            group.addTask {
                defer { ending.isReached.withLock { $0 = true } }
                return try await lives(
                    { ["stress", home.path, "3600", "\($0)"] }, lines: 1...200, pause: 5000
                ) {
                    $0.kills >= 5 && $0.told["approved", default: []].count >= 6
                        && Clock.nowMicroseconds() >= end
                }
            }
            for _ in 1...4 {
                group.addTask {
                    try await lives({ _ in ["follow", home.path] }, lines: 1...100, pause: 5000) {
                        $0.kills >= 3 && ending.isReached.withLock { $0 }
                    }
                }
            }
            group.addTask {
                try await lives({ _ in ["replay", home.path] }, lines: 0...2, pause: 100_000) {
                    $0.replays >= 2 && ending.isReached.withLock { $0 }
                }
            }
            return try await group.reduce(into: Witness()) { $0.add($1) }
        }
    }

    /// Starts a process again and again, each time killing it somewhere, until it was enough.
    private static func lives(
        _ words: @escaping @Sendable (_ life: Int) -> [String], lines: ClosedRange<Int>,
        pause: UInt32, until isEnough: @escaping @Sendable (Witness) -> Bool
    ) async throws -> Witness {
        try await withCheckedThrowingContinuation { continuation in
            // Each waits on a thread of its own: tasks have no more threads than there are cores.
            Thread.detachNewThread {
                continuation.resume(with: Result { () throws in
                    var witness = Witness()
                    repeat {
                        let running = try DriverProcess.start(words(witness.kills + 1))
                        witness.add(
                            running.end(
                                killingAfter: .random(in: lines),
                                microseconds: .random(in: 0...pause)))
                    } while witness.ends.isEmpty && !isEnough(witness)
                    return witness
                })
            }
        }
    }
}

extension Store {
    /// Whether a payment on ICON failed because its user came back to it after five minutes,
    /// when ICON takes it no more.
    func isLate(_ id: RequestID) throws -> Bool {
        let events = try allRecords().filter { $0.requestID == id }
        guard let prepared = events.first(where: { $0.type == "transaction.prepared" }),
            let failed = events.first(where: { $0.type == "transaction.failed" }),
            try payment(id)?.0 == .icon
        else { return false }
        return failed.time - prepared.time > 300_000_000
    }
}
