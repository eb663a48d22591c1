import EventStores
import Testing

@testable import Daybook

/// A connection to the database that is cut at each statement of a payment, in turn.
///
/// The short form cuts at one of five. `tools/dev failover` cuts at all.
struct CutConnectionTests {
    @Test func `a payment is made once, at whichever statement the connection is cut`()
        async throws
    {
        let server = try DevServer(["postgres", "--proxy"])
        let home = try await SharedHome.funded(
            [.dash, .axe, .icon], times: 10, inDatabase: server.words[1])
        var told: [String] = []
        do {
            let store = try home.open()
            let step = FailoverTests.rounds == nil ? 5 : 1
            var payments = 0
            // Before the server gets a statement, while it works on it, before its answer arrives.
            for (start, place) in ["before", "during", "after"].enumerated() {
                var statement = start + 1 - step
                repeat {
                    statement += step
                    payments += 1
                    #expect(try server.tell("cut \(statement) \(place)") == "set")
                    told += try await Self.pay(payments, by: store)
                } while try server.tell("cuts").hasPrefix("1 ")
                // A request, its decision, the payment and a checkpoint take more than that.
                #expect(statement > 12)
            }
        }
        #expect(try server.tell("cut 0 before") == "set")
        var summary = DatabaseLoad.Summary()
        try await DatabaseLoad().check(home, told: told, &summary)
        #expect(summary.losses == [])
        #expect(summary.payments == told.count { $0.hasPrefix("approved ") })
    }

    /// Receives and approves a payment of its own amount; what front ends say of it.
    private static func pay(_ number: Int, by store: Store) async throws -> [String] {
        let amount = "0.\(100_000 + number)"
        let request = try await store.receive(
            "dashwallet://pay=\(Flow.dash)&amount=\(amount)&sender=cut", key: "cut-\(number)")
        let done = try await store.approve(request.id)
        #expect(done.status == .completed)
        let made = try await store.checkpoint()
        try await store.mine(1)
        return [
            "received \(request.id) accepted", "approved \(done.id) completed",
            "checkpoint \(made.size) \(made.root)",
        ]
    }
}
