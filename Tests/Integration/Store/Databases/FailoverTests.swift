import DaybookSystem
import EventStores
import Foundation
import Testing

@testable import Daybook

/// Servers that are hurt while processes write to logs in them: nothing acknowledged is lost.
///
/// The short form hurts a cluster once. `tools/dev failover` runs the long form.
@Suite(.serialized)
struct FailoverTests {
    /// How often the long form hurts a cluster; nil in the short form.
    static let rounds = ProcessInfo.processInfo.environment["DAYBOOK_FAILOVER_ROUNDS"]
        .flatMap { Int($0) }

    /// The ways to hurt the primary of a cluster, in turns.
    private static let ways = [
        "crash", "cut", "kill", "stop", "pause", "fill", "kill-patroni", "lose", "standby", "etcd",
    ]

    /// A suffix of an address: its sessions do not wait for the disk.
    private static let careless = "&options=-csynchronous_commit%3Doff"

    @Test func `a cluster whose servers are hurt loses nothing`() async throws {
        let cluster = try DevServer(["cluster"])
        try #require(cluster.words.count == 2, "\(cluster.words)")
        let load = DatabaseLoad()
        for address in cluster.words {
            try load.addLog(at: address, pausing: 20)
            try await load.addStore(at: address, pausing: 300)
        }
        #expect(load.stuck() == [])
        // The answer to what it does not know lists what it does.
        let known = try cluster.tell("?").split(separator: " ").map(String.init)
        let ways = Self.ways.filter(known.contains)
        var outages: [String: Double] = [:]
        for round in 0..<(Self.rounds ?? 1) {
            let way = ways[round % ways.count]
            _ = load.takeLongestOutage()
            let answer = try cluster.tell(way)
            try #require(answer.contains(", whole after "), "\(answer)")
            try #require(load.stuck() == [])
            let outage = load.takeLongestOutage()
            outages[way] = max(outages[way] ?? 0, outage)
            print("round \(round + 1): \(answer), no append for \(Self.seconds(outage))")
        }
        let summary = try await load.end()
        #expect(summary.losses == [])
        #expect(summary.appends > 0 && summary.payments > 0)
        Self.report("\(Self.rounds ?? 1) rounds", summary)
        print("longest without an append:", outages.sorted { $0.key < $1.key }
            .map { "\($0.key) \(Self.seconds($0.value))" }.joined(separator: ", "))
    }

    @Test func `a server that acknowledges too early is found to lose something`() async throws {
        let server = try DevServer(["postgres"])
        let address = try #require(server.words.first)
        try await Self.expectLoss(at: address) { try server.tell("kill") == "killed" }
    }

    @Test(.enabled(if: rounds != nil))
    func `a cluster that acknowledges too early is found to lose something`() async throws {
        let cluster = try DevServer(["cluster"])
        let address = try #require(cluster.words.first)
        try await Self.expectLoss(at: address) {
            try cluster.tell("crash").contains(", whole after ")
        }
    }

    /// Hurts a server that does not wait for its disk, until something acknowledged is lost.
    private static func expectLoss(at address: String, _ hurt: () throws -> Bool) async throws {
        for round in 1...5 {
            let load = DatabaseLoad()
            try load.addLog(at: address, options: careless, pausing: 0)
            #expect(load.stuck() == [])
            #expect(try hurt())
            let summary = try await load.end()
            guard summary.losses.isEmpty else {
                return report("without synchronous_commit, round \(round)", summary)
            }
        }
        Issue.record("nothing was lost")
    }

    private static func seconds(_ number: Double) -> String { String(format: "%.1f s", number) }

    private static func report(_ what: String, _ summary: DatabaseLoad.Summary) {
        let failures = summary.failures.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        print("\(what): \(summary.appends) appends, \(summary.requests) requests, "
            + "\(summary.payments) payments, \(summary.checkpoints) checkpoints, "
            + "\(summary.losses.count) lost; failures told: "
            + (failures.isEmpty ? "none" : failures.joined(separator: ", ")))
    }
}
