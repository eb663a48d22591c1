import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay
import Testing

@testable import Daybook

/// Every kind of request with the other decision: what would differ, and what nobody knows.
struct WhatIfTests {
    static let flows = Flow.all + [
        Flow(
            name: "masterPublicKey", chain: .axe,
            text: "axewallet://request=masterPublicKey&account=0&sender=myapp")
    ]

    /// The methods whose approval needs no signature.
    private static let unsigned = ["address", "masterPublicKey", "bind"]

    /// Asks what would be if the user had decided so.
    private static func ask(
        _ store: Store, _ id: RequestID, _ decision: DecisionMade.Decision
    ) async throws -> WhatIf.Result {
        let decider = Links.decider
        var question = WhatIf(request: id, decision, decide: decider.decide)
        for record in try await store.allRecords() { try question.feed(record) }
        return try question.finish()
    }

    private static func change(_ result: WhatIf.Result, _ field: String) -> WhatIf.Change? {
        result.requests.first { $0.field == field }
    }

    /// The recorded inputs about a request that came after its user's word.
    private static func inputs(_ store: Store, after id: RequestID) async throws
        -> [EventRecord]
    {
        let records = try await store.allRecords()
        let decided = try #require(
            records.firstIndex { $0.type == "decision.made" && $0.requestID == id })
        return records[(decided + 1)...].filter { $0.requestID == id && $0.cause == nil }
    }

    @Test(arguments: flows)
    func `a no in place of a yes takes back its consequences, and names them`(flow: Flow)
        async throws
    {
        let home = try await SharedHome.funded([flow.chain])
        let store = try home.open()
        let before = try await store.balances()
        let id = try await store.receive(flow.text).id
        _ = try await store.approve(id)
        if try await store.request(id).callback != nil { _ = try await store.delivered(id) }
        try await store.mine(1)
        let result = try await Self.ask(store, id, .reject)
        #expect(Self.change(result, "status")?.recorded == "completed")
        #expect(Self.change(result, "status")?.then == "rejected")
        #expect(Self.change(result, "txid").map { $0.then == "none" } ?? (flow.pays == nil))
        let isBound = Self.unsigned.contains(flow.name)
        #expect(Self.change(result, "binding").map { $0.then == "none" } ?? !isBound)
        // A protocol that is told of a no gets another callback, any other gets none.
        let twinHome = try await SharedHome.funded([flow.chain])
        let twin = try twinHome.open()
        let told = try await twin.reject(try await twin.receive(flow.text).id).callback
        #expect(Self.change(result, "callback")?.then == told ?? "none")

        // Each input that hung on the yes is named, and none that never came.
        let inputs = try await Self.inputs(store, after: id)
        let named = result.unknown.filter { $0.request == id }
        #expect(named.map(\.position) == inputs.map(\.id))
        #expect(named.map(\.type) == inputs.map(\.type))
        let rest = result.unknown.filter { $0.request != id }
        #expect(Set(rest.map(\.type)).isSubset(of: ["chain.observed", "balance"]))
        #expect(rest.isEmpty == (flow.pays == nil && flow.name != "sign"))

        for figure in result.balances {
            let was = before.first { $0.asset == figure.asset }
            let then = MinorAmount(figure.right)
            #expect(figure.field != "confirmed" || then == was?.confirmed)
            #expect(figure.field != "available" || then == was?.available)
        }
        let moves = flow.pays != nil && flow.chain != .icon
        #expect(result.balances.isEmpty == !moves, "on ICON what would be held is unknown")
    }

    @Test(arguments: flows)
    func `a yes in place of a no goes as far as the log knows`(flow: Flow) async throws {
        let home = try await SharedHome.funded([flow.chain])
        let store = try home.open()
        let id = try await store.receive(flow.text).id
        _ = try await store.reject(id)
        if try await store.request(id).callback != nil { _ = try await store.delivered(id) }
        let result = try await Self.ask(store, id, .approve)
        let isKnown = Self.unsigned.contains(flow.name)
        #expect(Self.change(result, "status")?.recorded == "rejected")
        #expect(Self.change(result, "status")?.then == (isKnown ? "completed" : "approved"))
        #expect(Self.change(result, "txid") == nil, "no transaction is made up")
        let asked = result.unknown.filter { $0.position == nil }
        #expect(asked.map(\.type) == (isKnown ? [] : ["signature.made"]))
        // The callback of the no was opened: that there would not have been.
        let inputs = try await Self.inputs(store, after: id)
        let named = result.unknown.filter { $0.position != nil }
        #expect(named.map(\.position) == inputs.map(\.id))

        if isKnown {
            let twinHome = try await SharedHome.funded([flow.chain])
            let twin = try twinHome.open()
            let told = try await twin.approve(try await twin.receive(flow.text).id).callback
            #expect(Self.change(result, "callback")?.then == told)
            #expect(Self.change(result, "binding")?.then.hasPrefix(
                flow.name == "bind" ? "bind of" : flow.name) == true)
            #expect(result.balances.isEmpty)
        } else {
            let callback = Self.change(result, "callback")
            #expect(callback.map { $0.then == "none" } ?? (inputs.isEmpty))
            #expect(result.balances.isEmpty == (flow.pays == nil))
            // Reserved coins are not spendable, and nothing has left the wallet.
            #expect(Set(result.balances.map(\.field)).isSubset(of: ["reserved", "available"]))
            for reserved in result.balances where reserved.field == "reserved" {
                let available = result.balances.first {
                    $0.field == "available" && $0.asset == reserved.asset
                }
                #expect(
                    reserved.right.subtracting(reserved.left)
                        == available.flatMap { $0.left.subtracting($0.right) })
            }
        }
    }

    @Test(arguments: flows)
    func `the same decision changes nothing`(flow: Flow) async throws {
        let home = try await SharedHome.funded([flow.chain])
        let store = try home.open()
        let id = try await store.receive(flow.text).id
        _ = try await store.approve(id)
        try await store.mine(1)
        let result = try await Self.ask(store, id, .approve)
        #expect(result.requests == [] && result.balances == [] && result.unknown == [])
    }

    @Test func `a request that nobody decided is decided where it expired`() async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        _ = try await store.addTestWallet(.dash)
        let id = try await store.receive("dashwallet://request=address&sender=myapp").id
        temporary.wait(seconds: 3600)
        _ = try await store.sync()
        let status = try await store.request(id).status
        try #require(status == .expired)
        let result = try await Self.ask(store, id, .approve)
        #expect(Self.change(result, "status")?.then == "completed")
        #expect(result.unknown.isEmpty)
    }
}
