import Daybook
import DaybookChains
import DaybookEncoding
import DaybookNodes

/// The law of omissions: after honest answers, what a store says is what the chain has.
struct ChainTruth {
    let computer: Computer
    let scene: AttackScene
    let chain: Chain

    /// The store's differences from the chain after honest syncs, and those that a comparison of
    /// everything still finds then.
    func findings(_ store: Store) async -> [String] {
        var findings: [String] = []
        do {
            // A refused transaction is sent again, or expires on ICON after ten minutes.
            for seconds in [61, 700, 61] as [UInt64] {
                computer.wait(seconds: seconds)
                computer.chains.mine(1, on: chain, at: computer.now.withLock { $0 })
                _ = try await store.sync()
            }
            findings += try await differences(store).map { "\($0) after honest answers" }
            let round = try await store.sync(full: true)
            findings += (round.differences ?? []).filter { $0.chain.rawValue == chain.rawValue }
                .map { "a full sync finds that \($0.about) is recorded \($0.recorded)" }
            findings += try await differences(store).map { "\($0) after a full sync" }
        } catch {
            findings.append("an honest sync fails: \(error)")
        }
        return findings
    }

    /// The store's figures beside those of the chain, where they differ.
    func differences(_ store: Store) async throws -> [String] {
        let wallet = try await store.wallets().first { $0.chain.rawValue == chain.rawValue }
        guard let wallet else { return ["there is no wallet"] }
        let held = held()
        return try await store.balances(wallet: wallet.id).flatMap { balance -> [String] in
            let truth = MinorAmount(held[balance.asset] ?? .zero)
            return [
                ("confirmed", balance.confirmed, truth), ("available", balance.available, truth),
                ("unconfirmed", balance.unconfirmed, 0), ("reserved", balance.reserved, 0),
            ].filter { $0.1 != $0.2 }.map {
                "\(balance.asset): \($0.0) is \($0.1), and the chain has \($0.2)"
            }
        }
    }

    /// The owner's balances by the chain itself.
    private func held() -> [String: UInt256] {
        let owner = scene.owner
        guard chain.rules.ledger == .outputs else {
            return computer.chains.icon { sandbox in
                var held = ["ICX": sandbox.balance(of: owner.icon)]
                if let token = ICONAddress(OpenedLinks.token) {
                    let tokens = try? sandbox.ask(token, .balance(of: owner.icon))
                    held[OpenedLinks.token] = tokens?.stringValue.flatMap(ICONInteger.parse)
                }
                return held
            }
        }
        let scripts = (owner.scripts[chain] ?? [:]).keys.sorted(by: ByteOrder.precedes)
        let coins = computer.chains.utxo(chain) { $0.outputs(of: scripts) }
        let amounts = coins.filter { $0.height != nil && $0.spender?.height == nil }
            .map { UInt256($0.amount) }
        return [chain.rules.coin.asset: amounts.reduce(.zero) { $0.adding($1) ?? .max }]
    }
}
