import Daybook
import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes

/// The checks of a store that compares its records with its node again.
extension StoreChecks {
    static func comparing(_ scene: StoreScene) -> [Check<NodeUTXODriver>] {
        [
            Check("a store's records agree with its node, after a reorganisation too") {
                driver in
                try await scene.use { store, wallet in
                    try await fund(wallet, in: store, driver, blocks: 1)
                    try await payOnce(scene, store, driver)
                    try await driver.mine(2)
                    _ = try await store.sync()
                    try await expectAgreement(store)
                    try await driver.takeBack(1)
                    _ = try await store.sync()
                    try await expectAgreement(store)
                    try await driver.mine(3)
                    _ = try await store.sync()
                    try await expectAgreement(store)
                }
            },
            Check("change of a payment whose coin is in no block any more can't be spent") {
                driver in
                let asset = driver.coin
                try await scene.use { store, wallet in
                    try await fund(wallet, in: store, driver, blocks: 1)
                    try await payOnce(scene, store, driver)
                    try await driver.takeBack(1)
                    _ = try await store.sync()
                    let balance = try await scene.balance(asset, in: store)
                    try expect("what is in blocks", balance.confirmed, is: 0)
                    try expect("what can be spent", balance.available, is: 0)
                    try await driver.mine(3)
                    _ = try await store.sync()
                    let after = try await scene.balance(asset, in: store)
                    try expect("what is left", after.available, is: after.confirmed)
                    try expect(after.available != 0, "nothing is left")
                }
            },
        ]
    }

    private static func payOnce(
        _ scene: StoreScene, _ store: Store, _ driver: NodeUTXODriver
    ) async throws {
        let receiver = try NewPayer(driver.parameters)
        let request = try await scene.approve(
            "\(driver.parameters.chain.rawValue)wallet://pay=\(receiver.address.text)"
                + "&amount=0.0123&sender=myapp", in: store)
        try expect("the request's status", request.status, is: .completed)
    }

    private static func expectAgreement(_ store: Store) async throws {
        let round = try await store.sync(full: true)
        let differences = try require(round.differences, "nothing was compared")
        try expect("what differs", differences, is: [])
    }
}

/// Throws unless the check of a node recognizes another chain of the same name by its block 1.
func expectIdentity(
    of client: any ChainClient, _ known: ChainQuery
) async throws {
    guard let client = client as? any NodeClient else {
        throw NotPossible("the sandbox is no real chain")
    }
    var known = known
    let identity = try require(
        try await client.observe(known, progress: nil).identity, "there is no identity")
    known.identity = identity
    _ = try await client.check(known)
    let name = try require(identity.split(separator: ",").first, "the identity is empty")
    try expect(name != identity, "the identity \(identity) is without block 1")
    known.identity = "\(name), block 1 \(String(repeating: "ab", count: 32))"
    do throws(ChainFailure) {
        _ = try await client.check(known)
    } catch {
        return try expect("why it can't serve", error.reason, is: .wrongChain)
    }
    throw Broken(description: "a node of another block 1 can serve")
}
