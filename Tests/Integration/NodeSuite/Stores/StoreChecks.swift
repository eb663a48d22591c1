import Daybook
import DaybookChains
import DaybookDomain
import DaybookEncoding

/// The checks of a store that asks a running node: from a link to the balance.
package enum StoreChecks {
    /// Those of Dash and Axe.
    package static func utxo(_ scene: StoreScene) -> [Check<NodeUTXODriver>] {
        remedying(scene) + reading(scene) + comparing(scene) + [
            Check("a store pays no more for 1000 bytes than its settings allow") { driver in
                try await scene.use { store, wallet in
                    let address = try await store.address(of: wallet.id)
                    let script = try require(
                        UTXOAddress(address, chain: driver.parameters.chain)?.scriptPubKey,
                        "\(address) is no address")
                    _ = try await driver.pay([.init(amount: 5_000_000, script: script)])
                    try await driver.mine(6)
                    _ = try await store.sync()
                    let rate = try require(try await driver.look([]).feeRate, "no fee rate")
                    try await store.set("maxFeeRate", to: String(rate))
                    let fee = try await pay(scene, store, driver)
                    try expect(fee <= rate * 300 / 1000, "the fee is \(fee)")
                }
            },
            Check("a store is paid, pays by a link, and has the rest to the duff") { driver in
                let asset = driver.coin
                try await scene.use { store, wallet in
                    let address = try await store.address(of: wallet.id)
                    let script = try require(
                        UTXOAddress(address, chain: driver.parameters.chain)?.scriptPubKey,
                        "\(address) is no address")
                    _ = try await driver.pay([.init(amount: 5_000_000, script: script)])
                    _ = try await store.sync()
                    try expect(
                        "what waits", try await scene.balance(asset, in: store).unconfirmed,
                        is: 5_000_000)
                    try await driver.mine(6)
                    _ = try await store.sync()
                    try expect(
                        "what is in a block", try await scene.balance(asset, in: store).confirmed,
                        is: 5_000_000)
                    let fee = try await pay(scene, store, driver)
                    let rest = MinorAmount(5_000_000 - 1_230_000 - fee)
                    try await driver.mine(2)
                    _ = try await store.sync()
                    try expectRest("the rest", try await scene.balance(asset, in: store), has: rest)
                    try await driver.takeBack(1)
                    _ = try await store.sync()
                    try await driver.mine(3)
                    _ = try await store.sync()
                    try expectRest(
                        "the rest after a reorganisation",
                        try await scene.balance(asset, in: store), has: rest)
                }
            },
        ]
    }

    /// Pays 0.0123 coins to somebody by a link; what it cost.
    private static func pay(
        _ scene: StoreScene, _ store: Store, _ driver: NodeUTXODriver
    ) async throws -> UInt64 {
        let receiver = try NewPayer(driver.parameters)
        let name = driver.parameters.chain.rawValue
        let request = try await scene.approve(
            "\(name)wallet://pay=\(receiver.address.text)&amount=0.0123&sender=myapp", in: store)
        try expect("the request's status", request.status, is: .completed)
        let txid = try require(
            request.transaction.flatMap { Hex.decode($0) }.flatMap {
                TransactionID(Bytes($0.reversed()))
            }, "there is no transaction")
        let callback = try require(request.callback, "there is no callback")
        try expect(
            callback.contains(txid.hex), "the callback \(callback) is without the transaction")
        let arrived = try await driver.look([receiver.address]).standing
        try expect("what arrived", arrived.map(\.amount), is: [1_230_000])
        try expect("where", arrived.map(\.outpoint.txid), is: [txid])
        let paid = try await driver.transaction(txid).outputs.reduce(0) { $0 + $1.amount }
        return 5_000_000 - paid
    }

    /// The answers of a store while its node does not answer, and afterwards.
    private static func reading<Driver: Sendable>(_ scene: StoreScene) -> [Check<Driver>] {
        [
            Check("a store says since when its chain has not been read") { _ in
                try await scene.use(networkID: scene.networkID) { store, _ in
                    _ = try await store.sync()
                    try expect("the outages", try await store.outages(), is: [])
                    try await scene.withoutNode(of: store) {
                        let round = try await store.syncReachable()
                        try expect("the problems", round.problems.count, is: 1)
                        let outages = try await store.outages()
                        try expect("the reasons", outages.map(\.reason), is: ["unreachable"])
                        _ = try require(outages.first?.lastRead, "it was read before")
                    }
                    let round = try await store.sync()
                    try expect("what is set aside", round.setAside, is: [])
                    try expect("the outages afterwards", try await store.outages(), is: [])
                }
            },
        ]
    }

    /// Those of ICON.
    package static func icon(_ scene: StoreScene) -> [Check<NodeICONDriver>] {
        connecting(scene) + reading(scene) + limiting(scene) + [
            Check("a store is paid, pays by a link, and has the rest to the loop") { driver in
                try await scene.use(networkID: driver.nid) { store, wallet in
                    let address = try await store.address(of: wallet.id)
                    let holder = try require(ICONAddress(address), "\(address) is no address")
                    try await driver.pay(holder, loop: ICONChecks.icx)
                    _ = try await store.sync()
                    try expectRest(
                        "what it got", try await scene.balance("ICX", in: store),
                        has: MinorAmount(ICONChecks.icx))
                    let receiver = try Account().address
                    let request = try await scene.approve(
                        sending(UInt256(1_000_000_007), from: address, to: receiver), in: store)
                    try expect("the request's status", request.status, is: .completed)
                    let hash = try require(
                        request.transaction.flatMap { Hex.decode($0) }, "there is no transaction")
                    _ = try require(request.callback, "there is no callback")
                    try await driver.advance()
                    _ = try await store.sync()
                    let status = try await driver.look(transactions: [hash]).status(hash)
                    let fee = try require(status?.fee, "the payment is in no block")
                    try expect(
                        "what arrived", try await driver.balance(receiver),
                        is: UInt256(1_000_000_007))
                    let rest = try ICONChecks.rest(UInt256(1_000_000_007), fee)
                    try expectRest(
                        "the rest", try await scene.balance("ICX", in: store),
                        has: MinorAmount(rest))
                    try expect(
                        "what differs when everything is compared",
                        try await store.sync(full: true).differences, is: [])
                }
            },
        ]
    }

    /// The link of an ICONex Connect request.
    private static func sending(
        _ loop: UInt256, from sender: String, to receiver: ICONAddress
    ) -> String {
        let call = JSON.record([
            "id": .int(1), "method": .string("sendICX"),
            "params": .record([
                "from": .string(sender), "to": .string(receiver.text),
                "value": .string(ICONInteger.text(loop)),
            ]),
        ])
        let data = Base64.encode(Bytes(call.text().utf8)).split(separator: "=")[0]
        let padding = (4 - data.utf8.count % 4) % 4
        let ending = String(repeating: "%3D", count: padding)
        return "iconex://?data=\(data)\(ending)&caller=myapp://"
    }

    static func expectRest(
        _ what: String, _ balance: Balance, has amount: MinorAmount
    ) throws {
        try expect("\(what) in blocks", balance.confirmed, is: amount)
        try expect("\(what) that can be spent", balance.available, is: amount)
        try expect("\(what) that waits", balance.unconfirmed, is: 0)
    }
}
