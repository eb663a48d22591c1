import Daybook
import DaybookDomain
import DaybookEncoding

/// Users who keep coins back, choose coins, and write labels and prices down.
extension SimulatedComputer {
    /// Freezes or unfreezes a coin.
    func freeze(_ index: Int) {
        guard !wallets.isEmpty else { return }
        let wallet = pick(wallets)
        let (drawn, thaws) = (below(1000), random.chance(40))
        call(index, thaws ? "unfreeze" : "freeze") { store in
            let coins = try await store.coins(of: wallet.id).coins.filter {
                $0.isFrozen || !thaws
            }
            guard !coins.isEmpty else { return "no coin" }
            let coin = coins[drawn % coins.count].id
            _ = try await
                (thaws ? store.unfreeze([coin], of: wallet.id)
                    : store.freeze([coin], of: wallet.id))
            return "\(coin)"
        }
    }

    /// Approves a payment that spends certain coins, or all of them.
    func chooseCoins(_ index: Int) {
        let (drawn, other, takesAll, count) = (
            below(1000), below(1000), random.chance(30), 1 + below(3)
        )
        call(index, "choose coins") { [self] store in
            let open = try await store.pending()
            guard !open.isEmpty, !wallets.isEmpty else { return "nothing to decide" }
            for request in open { see(request) }
            let request = open[drawn % open.count]
            // Now and then coins of a wallet that has another chain's.
            let wallet = request.wallet ?? wallets[other % wallets.count].id
            let coins = try await store.coins(of: wallet).coins.map(\.id)
            let named = (0..<min(count, coins.count)).map { coins[(other + $0) % coins.count] }
            let choice = takesAll ? ChosenCoins.all : .named(named)
            let prompt = try await store.prompt(for: request.id, wallet: wallet, coins: choice)
            show(prompt, of: request.id)
            model.agrees(
                to: prompt.digest.bytes, of: request.id,
                only: takesAll ? nil : named.map(\.outpoint))
            let done = try await store.approve(
                request.id, shown: prompt, wallet: wallet, coins: choice,
                unlockedBy: Self.secret(Self.passphrase))
            return "approved: " + see(done)
        }
    }

    /// Labels a thing, or takes its label away.
    func writeLabel(_ index: Int) {
        let text = random.chance(20) ? nil : "note \(below(1000))"
        let subject = pick(
            ["sender:shop"] + wallets.map { "wallet:\($0.id)" } + known.map { "request:\($0)" })
        call(index, "label \(subject)") { store in
            try await store.set([Label(about: try LabelTarget(subject), text: text)])
            return text ?? "without a label"
        }
    }

    /// Records what a coin is worth, now and then otherwise than before.
    func writePrice(_ index: Int) {
        let asset = pick(["DASH", "AXE", "ICX"])
        let price = AssetPrice(
            asset: asset, currency: "EUR", price: "\(1 + below(90)).5",
            time: Timestamp(microseconds: now - UInt64(below(4))))
        call(index, "price of \(asset)") { store in
            try await store.set([price])
            return price.price
        }
    }
}
