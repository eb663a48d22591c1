import DaybookChains
import DaybookEncoding
import NodeServer
import Testing
import TestSupport

@testable import Daybook

/// Front ends that are killed anywhere on the way to a real node, which lives on meanwhile.
struct NodeCrashTests {
    /// The state of the node before the next process comes.
    enum Change {
        case losesAnswers, forgetsMempool, reorganises, isReplaced
    }

    private static let receiver = "yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf"
    private static let dash = Flow(
        name: "pay", chain: .dash,
        text: "dashwallet://pay=\(receiver)&amount=1&sender=myapp", pays: "100000000")
    static let lives: [(flow: Flow, change: Change)] =
        [.losesAnswers, .forgetsMempool, .reorganises, .isReplaced].map { (dash, $0) }
        // By nothing that it shows can another chain with the same network id be told apart.
        + [.losesAnswers, .forgetsMempool].flatMap { change in
            Flow.all.filter { $0.name == "sendICX" }.map { ($0, change) }
        }
    private static let places = [
        "signed", "decision recorded", "broadcast", "answer recorded",
    ]

    @Test(arguments: lives)
    func `killed at any place, a payment is made once whatever the node goes through`(
        flow: Flow, change: Change
    ) async throws {
        let whole = try await Scene(flow, change)
        let passed = try whole.handle().places
        for place in Self.places {
            let number = try #require(passed.lastIndex(of: place)) + 1
            let scene = try await Scene(flow, change)
            let killed = try scene.handle("--kill", "\(number)")
            #expect(killed.wasKilled && killed.places.last == place, "\(killed.lines)")
            let before = scene.node
            scene.pass(change)
            if change == .isReplaced {
                _ = try DriverProcess.run("sync", scene.home.path)
                scene.node = before
                // The coins that the other chain lacked are to be seen again before a decision.
                if place == "signed" { _ = try DriverProcess.run("sync", scene.home.path) }
            }
            _ = try scene.handle()
            try await scene.expectPaidOnce("killed at \(place)")
        }
    }

    /// A funded store and the node that it asks.
    private final class Scene {
        let flow: Flow
        let home: SharedHome
        let server: NodeServer
        private var beginning = MemoryRows()

        init(_ flow: Flow, _ change: Change) async throws {
            self.flow = flow
            home = try SharedHome()
            server = try NodeServer(Chain(flow.chain))
            server.mine()
            try Store.create(at: home.path)
            let store = try home.open()
            let wallet = try await store.addTestWallet(flow.chain, network: .regtest)
            try await store.setNode(flow.chain, .regtest, url: server.url)
            if flow.chain == .icon {
                try server.fund(Flow.key1, loop: UInt256(decimal: "9000000000000000000") ?? .zero)
            } else {
                try server.fund(wallet.address, 300_000_000)
            }
            beginning = node
            if change == .losesAnswers {
                for call in ["sendrawtransaction", "icx_sendTransaction"] {
                    server.misbehave(.losesAnswer, on: call)
                }
            }
        }

        func handle(_ options: String...) throws -> ProgramRun {
            let words = options + ["handle", home.path, "key", flow.text]
            return try DriverProcess.run(words)
        }

        /// All that the node has.
        var node: MemoryRows {
            get {
                let rows =
                    flow.chain == .icon
                    ? server.icon { $0.rows as? MemoryRows }
                    : server.utxo { $0.rows as? MemoryRows }
                return rows ?? MemoryRows()
            }
            set {
                if flow.chain == .icon {
                    server.icon { $0.rows = newValue }
                } else {
                    server.utxo { $0.rows = newValue }
                }
            }
        }

        func pass(_ change: Change) {
            switch change {
            case .losesAnswers: break
            case .forgetsMempool: node = beginning
            case .reorganises:
                server.mine()
                let now = server.settings.now
                server.utxo { _ = $0.reorganise(1, at: now) }
            case .isReplaced:
                node = MemoryRows()
                server.mine(3)
            }
        }

        func expectPaidOnce(_ place: String) async throws {
            server.mine()
            let run = try DriverProcess.run("sync", home.path)
            #expect(run.status == 0, "\(place): \(run.lines)")
            #expect(try arrived() == flow.pays.map { [$0] }, "\(place)")
            let store = try home.open()
            let records = try await store.allRecords()
            for type in ["transaction.signed", "callback.emitted", "transaction.sent"] {
                #expect(records.count { $0.type == type } == 1, "\(type), \(place)")
            }
            #expect(records.count { $0.type == "payment.received" } == 1, "\(place)")
            #expect(records.count { $0.type == "payment.made" } == 0, "\(place)")
            #expect(records.count { $0.type == "callback.delivered" } == 1, "\(place)")
            for balance in try await store.balances() {
                #expect(balance.reserved == "0" && balance.unconfirmed == "0", "\(place)")
                #expect(balance.available == balance.confirmed, "\(place)")
            }
            try await store.expectCleanReplay()
        }

        /// The amounts that the receiver got, payment by payment.
        private func arrived() throws -> [String] {
            if flow.chain == .icon {
                let key2 = try #require(ICONAddress(Flow.key2))
                return [server.icon { $0.balance(of: key2) }.decimal]
            }
            let address = UTXOAddress(NodeCrashTests.receiver, chain: .dash)
            let script = try #require(address).scriptPubKey
            return server.utxo { $0.outputs(of: [script]) }.map { String($0.amount) }
        }
    }
}
