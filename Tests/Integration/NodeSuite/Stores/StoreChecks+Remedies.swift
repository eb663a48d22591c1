import Daybook
import DaybookChains
import DaybookDomain
import DaybookEncoding

/// Payments that hang, from the store's calls to the node.
extension StoreChecks {
    static func remedying(_ scene: StoreScene) -> [Check<NodeUTXODriver>] {
        bumping(scene) + cancelling(scene) + enduring(scene)
    }

    private static func bumping(_ scene: StoreScene) -> [Check<NodeUTXODriver>] {
        [
            Check("a stuck payment is bumped by a child, and a block takes both") { driver in
                try await scene.use { store, wallet in
                    try await fund(wallet, in: store, driver, blocks: 6)
                    let payment = try await scene.approve(link(driver), in: store)
                    try expect("the payment", payment.status, is: .completed)
                    let bump = try await scene.approve(store.bump(payment.id), in: store)
                    try expect("the child", bump.status, is: .completed)
                    let outputs = try await driver.transaction(try id(of: bump)).outputs
                    let waiting = try await store.inFlight().map(\.request.id)
                    // A payment that InstantSend locks is final, and not in flight any more.
                    if driver.locks == nil, !waiting.isEmpty {
                        try expect("what is in flight", waiting, is: [payment.id, bump.id])
                    }
                    try await driver.mine()
                    _ = try await store.sync()
                    let paid = try await height(of: payment, driver)
                    try expect("the child's height", try await height(of: bump, driver), is: paid)
                    let rest = outputs.reduce(0) { $0 + $1.amount }
                    try await expectRest(rest, scene, store, driver)
                }
            },
        ]
    }

    private static func cancelling(_ scene: StoreScene) -> [Check<NodeUTXODriver>] {
        [
            Check("a payment with too many unconfirmed before it is cancelled") { driver in
                try await scene.use { store, wallet in
                    try await fund(wallet, in: store, driver, blocks: 6)
                    let payment = try await tooDeep(scene, store, driver)
                    try expect("its reason", payment.nodeReason, is: "tooManyUnconfirmed")
                    let waiting = try await store.inFlight().map(\.request.nodeReason)
                    try expect("what pending says", waiting.last, is: "tooManyUnconfirmed")
                    let cancel = try await store.cancel(payment.id)
                    _ = try await scene.approve(cancel, in: store)
                    try await driver.mine()
                    // Now there is room for the one of the two that is sent.
                    _ = try await store.sync()
                    try await driver.mine()
                    _ = try await store.sync()
                    let ended = try await store.request(payment.id)
                    try expect("the payment", ended.status, is: .cancelled)
                    let done = try await store.request(cancel.id)
                    try expect("the cancellation", done.status, is: .completed)
                    let rest = try await driver.transaction(try id(of: done)).outputs[0].amount
                    try await expectRest(rest, scene, store, driver)
                }
            },
            Check("a payment that a node has is not cancelled") { driver in
                try await scene.use { store, wallet in
                    try await fund(wallet, in: store, driver, blocks: 6)
                    let payment = try await scene.approve(link(driver), in: store)
                    let cancel = try await store.cancel(payment.id)
                    try expect("the cancellation", cancel.refusal, is: "alreadySent")
                    try await driver.mine()
                    _ = try await store.sync()
                    let bump = try await store.bump(payment.id)
                    try expect("the child", bump.refusal, is: "alreadyConfirmed")
                }
            },
        ]
    }

    /// The store survives a block that is lost, and a password that changes.
    private static func enduring(_ scene: StoreScene) -> [Check<NodeUTXODriver>] {
        [
            Check("payments of a lost block are confirmed again, and their order") { driver in
                try await scene.use { store, wallet in
                    try await fund(wallet, in: store, driver, blocks: 6)
                    var payments: [WalletRequest] = []
                    for _ in 0..<3 {
                        payments.append(try await scene.approve(link(driver), in: store))
                    }
                    try await driver.mine()
                    _ = try await store.sync()
                    let before = try await scene.balance(
                        driver.coin, in: store)
                    try await driver.takeBack(1)
                    _ = try await store.sync()
                    try await driver.mine(2)
                    _ = try await store.sync()
                    for payment in payments {
                        _ = try await height(of: payment, driver)
                    }
                    let after = try await scene.balance(driver.coin, in: store)
                    try expect("the balance", after, is: before)
                }
            },
            Check("a cookie is read when it is needed, and a wrong one is named") { driver in
                try await scene.useCookie { check, write in
                    try write("daybook:wrong")
                    try expect(
                        "with a wrong password", try await check(), is: "nodeWrongPassword")
                    try write(nil)
                    try expect("with the node's own", try await check(), is: nil)
                }
            },
        ]
    }

    /// A payment of the change of one that has as many descendants as nodes allow.
    private static func tooDeep(
        _ scene: StoreScene, _ store: Store, _ driver: NodeUTXODriver
    ) async throws -> WalletRequest {
        let receiver = try NewPayer(driver.parameters)
        let first = try await scene.approve(link(driver, to: receiver), in: store)
        let paid = try await driver.transaction(try id(of: first))
        let place = try require(
            paid.outputs.firstIndex { $0.script == receiver.script }, "the payment pays nobody")
        let coin = NewPayer.Funds(outpoint: Outpoint(paid.txid, UInt32(place)), amount: 1_000_000)
        let shares = RelayPolicy.ancestorLimit - 2
        let shared = try receiver.spend(
            [coin], on: Array(
                repeating: .init(amount: 40_000, script: receiver.script), count: shares))
        try await driver.send(shared.serialized())
        for index in 0..<shares {
            let share = NewPayer.Funds(
                outpoint: Outpoint(shared.txid, UInt32(index)), amount: 40_000)
            try await driver.send(try receiver.send(share, to: receiver.script).serialized())
        }
        // Nodes let one more in, if it depends on nothing else.
        for _ in 0..<2 {
            let next = try await scene.approve(link(driver), in: store)
            if next.status == .signed { return next }
        }
        throw Broken(description: "the node takes a row without end")
    }

    /// Gives a wallet 0.05 coins, so many blocks deep.
    static func fund(
        _ wallet: Wallet, in store: Store, _ driver: NodeUTXODriver, blocks: Int
    ) async throws {
        let address = try await store.address(of: wallet.id)
        let script = try require(
            UTXOAddress(address, chain: driver.parameters.chain)?.scriptPubKey,
            "\(address) is no address")
        _ = try await driver.pay([.init(amount: 5_000_000, script: script)])
        try await driver.mine(blocks)
        _ = try await store.sync()
    }

    /// A link that asks for 0.01 coins to somebody.
    private static func link(
        _ driver: NodeUTXODriver, to payee: NewPayer? = nil
    ) throws -> String {
        let receiver = try (payee ?? NewPayer(driver.parameters)).address.text
        return "\(driver.parameters.chain.rawValue)wallet://pay=\(receiver)&amount=0.01"
            + "&sender=myapp"
    }

    private static func id(of request: WalletRequest) throws -> TransactionID {
        try require(
            request.transaction.flatMap { Hex.decode($0) }.flatMap {
                TransactionID(displayed: $0)
            }, "there is no transaction")
    }

    /// The block that has a request's transaction.
    private static func height(
        of request: WalletRequest, _ driver: NodeUTXODriver
    ) async throws -> UInt64 {
        let txid = try id(of: request)
        let height = try await driver.look([], [txid]).status(txid)?.height
        return try require(height, "request \(request.id) is in no block")
    }

    private static func expectRest(
        _ rest: UInt64, _ scene: StoreScene, _ store: Store, _ driver: NodeUTXODriver
    ) async throws {
        let balance = try await scene.balance(driver.coin, in: store)
        try expect("the rest", balance.confirmed, is: MinorAmount(rest))
        try expect("what can be spent", balance.available, is: MinorAmount(rest))
    }
}
