import Testing

@testable import DaybookDomain

/// The table of transitions.
struct PaymentStateTests {
    @Test func `every state is reached, and all but the ends are left`() {
        var reached: Set<PaymentState> = [.received]
        var waiting: [PaymentState] = [.received]
        while let state = waiting.popLast() {
            for next in PaymentTransition.all where next.from == state {
                if reached.insert(next.to).inserted { waiting.append(next.to) }
            }
        }
        #expect(reached == Set(PaymentState.allCases))
        for state in PaymentState.allCases where !state.isEnd {
            #expect(PaymentTransition.all.contains { $0.from == state && $0.to != state })
        }
    }

    @Test func `a state and an event lead to one state`() {
        let keys = PaymentTransition.all.map { "\($0.from) \($0.event)" }
        #expect(Set(keys).count == keys.count)
    }
}
