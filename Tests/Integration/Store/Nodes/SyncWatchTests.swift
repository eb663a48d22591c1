import DaybookChains
import Testing

@testable import Daybook

struct SyncWatchTests {
    private static let dash = ChainID(named: .dash, .mainnet)
    private static let icon = ChainID(named: .icon, .mainnet)

    private func round(_ events: Int = 0, _ codes: (ChainID, DaybookError.Code)...) -> SyncRound {
        SyncRound(
            events: events,
            problems: codes.map { place, code in
                NodeProblem(
                    chain: place.chainName, network: place.networkName, code: code,
                    url: nil, message: "m", advice: nil, kind: .node)
            })
    }

    /// In which of the first rounds a place is due whose node always fails.
    private func dueRounds(_ count: Int, longestPause: Int) -> [Int] {
        var watch = SyncWatch(longestPause: longestPause)
        return (0..<count).filter { _ in
            let due = watch.due(of: [Self.dash])
            let failed = due.isEmpty ? round() : round(0, (Self.dash, "nodeUnreachable"))
            _ = watch.change(in: failed, due: due, of: [Self.dash])
            return !due.isEmpty
        }
    }

    @Test func `a node that fails is asked less and less often, up to a limit`() {
        #expect(dueRounds(60, longestPause: 8) == [0, 2, 6, 14, 22, 30, 38, 46, 54])
        #expect(dueRounds(4, longestPause: 0) == [0, 1, 2, 3])
    }

    @Test func `one node's failure does not slow the others`() {
        var watch = SyncWatch(longestPause: 60)
        let all = [Self.dash, Self.icon]
        #expect(watch.due(of: all) == all)
        _ = watch.change(in: round(0, (Self.dash, "nodeBusy")), due: all, of: all)
        #expect(watch.due(of: all) == [Self.icon])
    }

    @Test func `a failure is told once, again when it is another, and when it is over`() throws {
        var watch = SyncWatch(longestPause: 1)
        let all = [Self.dash, Self.icon]
        func change(_ round: SyncRound) -> SyncRound? {
            watch.change(in: round, due: watch.due(of: all), of: all)
        }
        #expect(change(round()) == nil)
        let busy = round(0, (Self.dash, "nodeBusy"))
        #expect(change(busy) == busy)
        #expect(change(busy) == nil)
        let syncing = round(0, (Self.dash, "nodeSyncing"))
        #expect(change(syncing) == syncing)
        #expect(change(round()) == round())
        #expect(change(round()) == nil)
        #expect(change(round(3)) == round(3))
    }

    @Test func `a node that is left in peace is still known to have failed`() {
        var watch = SyncWatch(longestPause: 60)
        let all = [Self.dash, Self.icon]
        let busy = round(0, (Self.dash, "nodeBusy"))
        _ = watch.change(in: busy, due: watch.due(of: all), of: all)
        let due = watch.due(of: all)
        #expect(watch.change(in: round(2), due: due, of: all) == round(2, (Self.dash, "nodeBusy")))
    }

    @Test func `after an answer a node is asked in every round again`() {
        var watch = SyncWatch(longestPause: 60)
        for failed in [true, true, false, true] {
            var due: [ChainID] = []
            while due.isEmpty { due = watch.due(of: [Self.dash]) }
            _ = watch.change(
                in: failed ? round(0, (Self.dash, "nodeBusy")) : round(), due: due,
                of: [Self.dash])
        }
        #expect(watch.due(of: [Self.dash]) == [])
        #expect(watch.due(of: [Self.dash]) == [Self.dash])
    }
}
