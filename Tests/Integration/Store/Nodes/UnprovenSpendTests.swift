import DaybookChains
import DaybookEncoding
import NodeServer
import Testing

@testable import Daybook

/// A node that keeps a payment, denies it, and then says that its coin is spent elsewhere.
struct UnprovenSpendTests {
    private static let payment =
        "dashwallet://pay=yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf&amount=1&sender=myapp"

    /// Makes the server say that the coins of a transaction of ours are spent by another one.
    private static func lie(
        _ server: NodeServer, hiding sent: TransactionID, _ made: UTXOTransaction,
        of address: String
    ) {
        let height = server.utxo { $0.tip.height }
        let known: @Sendable (JSON) -> Bool = { $0["txid"]?.stringValue == sent.hex }
        server.misbehave(.altered { .array(($0.arrayValue ?? []).filter { !known($0) }) },
            on: "getaddressmempool")
        server.misbehave(.altered { .array(($0.arrayValue ?? []).filter { !known($0) } + [
            .record([
                "satoshis": .int(-100_000_000), "txid": .string(made.txid.hex), "index": .int(0),
                "blockindex": .int(1), "height": .int(height), "address": .string(address),
            ])
        ]) }, on: "getaddressdeltas")
        server.misbehave(.invented { params, truth in
            switch params.arrayValue?.first?.stringValue {
            case sent.hex: .failure(NodeRefusal(-5, "No such mempool or blockchain transaction."))
            case made.txid.hex:
                .success(.record([
                    "hex": .string(Hex.encode(made.serialized())), "height": .int(height),
                    "blockhash": .string(made.txid.hex), "confirmations": .int(1),
                ]))
            default: truth
            }
        }, on: "getrawtransaction")
    }

    @Test func `a payment that a node denies does not lose its coin to a spend that is made up`()
        async throws
    {
        let server = try NodeServer(.dash)
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash, network: .regtest)
        try await store.setNode(.dash, .regtest, url: server.url)
        for _ in 0..<2 { _ = try server.fund(wallet.address, 150_000_000) }
        server.mine(6)
        _ = try await store.sync()
        server.misbehave(.invented { _, _ in .failure(NodeRefusal(-26, "dust")) },
            on: "sendrawtransaction")
        server.misbehave(.error(code: -5, message: "No such mempool or blockchain transaction."),
            on: "getrawtransaction")
        let request = try await store.receive(Self.payment)
        _ = try await store.approve(request.id)
        server.behave()
        let sent = try #require(server.utxo { $0.mempool.first })
        let bytes = try #require(server.utxo { $0.transaction(sent) })
        var made = try UTXOTransaction.parse(bytes)
        made.inputs[0].script = []
        Self.lie(server, hiding: sent, made, of: wallet.address)
        let before = try await store.allRecords().count
        let error = await #expect(throws: DaybookError.self) { try await store.sync() }
        #expect(error?.code == "nodeUnprovenSpend")
        #expect(error?.message.contains(made.inputs[0].outpoint.text) == true)
        let spent = try await store.allRecords()[before...].flatMap { record in
            record.data["outputs"]?.arrayValue ?? []
        }.filter { $0["spentBy"] != nil }
        #expect(spent.isEmpty)
        #expect(try await store.balances().map(\.confirmed) == ["300000000"])
        // A node that tells the truth again is believed that the payment itself spends it.
        server.behave()
        server.mine()
        _ = try await store.sync()
        #expect(try await store.balances()[0].confirmed != "300000000")
        try await store.expectCleanReplay()
    }
}
