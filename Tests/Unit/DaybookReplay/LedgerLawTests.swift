import DaybookDomain
import DaybookEncoding
import DaybookLog
import Testing
import TestSupport

/// The laws of double entry, in a recorded session with payments on all chains.
struct LedgerLawTests {
    @Test func `some accounts gain in every event as much as the others lose`() throws {
        var state = State()
        var changes = 0
        for event in try GoldenEvents.all() {
            let before = state.balances.rows().map(\.row)
            state.evolve(event)
            #expect(state.imbalance() == nil, "event \(event.position)")
            #expect(state.historyDifference() == nil, "event \(event.position)")
            if state.balances.rows().map(\.row) != before { changes += 1 }
        }
        #expect(changes > 50)
    }

    @Test func `a payment of ours names its request and has a fee`() throws {
        var state = State()
        for event in try GoldenEvents.all() { state.evolve(event) }
        var found: Set<String> = []
        state.history.walk { key, row in
            let meaning = state.meaning(of: row, in: key.first)
            guard meaning.kind == .sent, let id = meaning.request, let fee = meaning.fee else {
                return true
            }
            #expect(state.request(id)?.txid == row.txid)
            #expect(row.amount.isNegative && fee != .zero && fee <= row.amount.magnitude)
            found.insert(row.asset)
            return true
        }
        #expect(found == ["DASH", "AXE", "ICX"])
    }
}

/// A recorded session with payments on all chains.
enum GoldenEvents {
    static func all() throws -> [Event] {
        try Fixture.hexLines("logs/v1/session.hex").map {
            try #require(try EventRecord.decode($0).event())
        }
    }
}
