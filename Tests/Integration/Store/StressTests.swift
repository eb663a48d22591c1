import DaybookChains
import DaybookEncoding
import DaybookLog
import DaybookNodes
import Foundation
import Testing
import TestSupport

@testable import Daybook

/// Several front ends that receive, approve and reject on one store at the same time.
///
/// `tools/dev stress` runs it for as long and with as many as one likes.
@Suite(.serialized)
struct StressTests {
    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment["DAYBOOK_STRESS_\(name)"].flatMap { Int($0) }
    }

    static let seconds = setting("SECONDS") ?? 1
    static let processes = setting("PROCESSES").map { [$0] } ?? [2, 4]

    @Test(arguments: processes)
    func `front ends at work at once lose, double and reorder nothing`(processes: Int)
        async throws
    {
        let home = try await SharedHome.funded([.dash, .axe, .icon], times: 20)
        let results = try await withThrowingTaskGroup(of: ProgramRun.self) { group in
            for seed in 1...processes {
                let running = try DriverProcess.start(
                    ["stress", home.path, "\(Self.seconds)", "\(seed)"])
                group.addTask { await running.ended() }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for result in results {
            #expect(result.status == 0 && result.lines.last == "ended", "\(result.lines.suffix(3))")
        }
        let store = try home.open()
        for name in [ChainName.dash, .axe, .icon] { try await store.setFault(.none, on: name) }
        _ = try await store.sync()
        try await store.mine(2)
        let log = Outcome(try await store.allRecords())
        try await compare(log, with: results, store)
        try await compareChains(log, store)
        try await store.expectCleanReplay()
        print("\(processes) processes, \(Self.seconds) s: \(log.records.count) events, "
            + "\(log.received.count) requests, \(log.prepared.count) payments, "
            + "\(log.rejected.count) rejected")
    }

    /// The requests' state by the log.
    struct Outcome {
        let records: [EventRecord]
        let received: [RequestID]
        let prepared: [RequestID]
        let granted: [RequestID]
        let rejected: [RequestID]
        let failed: [RequestID]
        /// Payments that a node was sent without saying what it makes of them.
        let unanswered: [RequestID]

        init(_ records: [EventRecord]) {
            self.records = records
            func requests(_ type: String) -> [RequestID] {
                records.filter { $0.type == type }.compactMap(\.requestID)
            }
            received = requests("request.received")
            prepared = requests("transaction.prepared")
            granted = requests("binding.granted")
            rejected = requests("request.rejected")
            failed = requests("transaction.failed")
            unanswered = records.filter {
                $0.type == "broadcast.answered" && $0.data["answer"]?.textValue == "unknown"
            }.compactMap(\.requestID)
        }
    }

    /// Compares the results that each process was told with the log.
    private func compare(
        _ log: Outcome, with results: [ProgramRun], _ store: Store
    ) async throws {
        func told(_ word: String) -> [RequestID] {
            results.flatMap { $0.requests(word) }.sorted()
        }
        try compareOrder(log)
        #expect(told("received") == log.received)
        let decided = log.prepared + log.granted
        // A payment that was signed and not taken yet may be rejected.
        #expect(Set(log.rejected).intersection(log.granted).isEmpty)
        #expect(told("rejected") == log.rejected.sorted())
        // A process that approves a request just after another one continues it: it gets the same
        // transaction, though perhaps of an earlier step.
        #expect(Set(told("approved")) == Set(decided))
        let answers = Set(
            results.flatMap { $0.values("approved") }.map { line in
                let words = line.split(separator: " ")
                return [words.first, words.last]
            })
        #expect(answers.count == decided.count)
        #expect(decided.count > 5 && log.rejected.count > 1)
        let urls = log.records.filter { $0.type == "callback.emitted" }.compactMap(\.requestID)
        #expect(Set(urls).count == urls.count)
        for id in decided where !log.rejected.contains(id) {
            let request = try await store.request(id)
            #expect(request.status == .completed, "\(request)")
        }
    }

    /// Positions, times and revisions go up, without gaps.
    func compareOrder(_ log: Outcome) throws {
        #expect(log.records.map(\.position) == Array(0..<UInt64(log.records.count)))
        #expect(zip(log.records, log.records.dropFirst()).allSatisfy { $0.time <= $1.time })
        for (_, events) in Dictionary(grouping: log.records, by: \.stream) {
            #expect(events.map(\.revision) == Array(0..<UInt64(events.count)))
        }
    }

    /// Every payment that the log has and that did not fail is on its chain, once, and nothing
    /// else is.
    func compareChains(_ log: Outcome, _ store: Store) async throws {
        var asked: [Chain: [UInt256]] = [:]
        // A payment that was rejected after its answer was lost may be on the chain or not.
        var open: [Chain: [UInt256]] = [:]
        var ids: [String] = []
        for id in log.prepared where !log.failed.contains(id) {
            let request = try await store.request(id)
            let (chain, amount) = try #require(try await store.payment(id))
            if log.rejected.contains(id) {
                if log.unanswered.contains(id) { open[chain, default: []].append(amount) }
                continue
            }
            ids.append(try #require(request.transaction))
            asked[chain, default: []].append(amount)
        }
        #expect(Set(ids).count == ids.count)
        let receivers = [Chain.dash: Flow.dash, .axe: "P8bB9yPr3vVByqfmM5KXftyGckAtAdu6f8"]
        for (chain, text) in receivers {
            let script = try #require(UTXOAddress(text, chain: chain)?.scriptPubKey)
            let paid = try await store.chains.utxo(chain) { sandbox, _ in
                sandbox.outputs(of: [script]).map { UInt256($0.amount) }
            }
            let settled = paid.filter { !open[chain, default: []].contains($0) }
            #expect(settled.sorted() == asked[chain, default: []].sorted(), "\(chain)")
        }
        let sum = asked[.icon, default: []].reduce(UInt256.zero) { $0.adding($1) ?? .max }
        let key2 = try #require(ICONAddress(Flow.key2))
        let held = try await store.chains.icon { sandbox, _ in sandbox.balance(of: key2) }
        // Of those that may be there or not, some make up the rest.
        let rest = held.subtracting(sum)
        let possible = open[.icon, default: []].reduce(into: [UInt256.zero]) { sums, amount in
            sums += sums.compactMap { $0.adding(amount) }
        }
        #expect(rest.map(possible.contains) ?? false, "\(held) of \(sum), open \(open)")
    }
}

extension Store {
    /// The chain and amount of a request that pays.
    func payment(_ id: RequestID) throws -> (Chain, UInt256)? {
        try journal.read { state in
            guard let request = state.request(id)?.request else { return nil }
            switch request.action {
            case .pay(_, let amount?, _): return (request.chain, UInt256(amount))
            case .sendICX(_, _, let value, _): return (request.chain, value)
            default: return nil
            }
        }
    }
}
