import Daybook
import DaybookChains
import DaybookDomain
import DaybookEncoding

extension SimulatedComputer {
    static let passphrase = "correct horse"

    /// A step of a front end and its user.
    func use(_ action: StepAction) {
        let index = below(frontEnds.count)
        switch action {
        case .addWallet: addWallet(index)
        case .removeWallet: removeWallet(index)
        case .rename: renameWallet(index)
        case .fund: fund()
        case .receive: receive(index)
        case .decide: decide(index)
        case .decideAtOnce:
            decide(index, waits: false)
            decide(below(frontEnds.count))
        case .reject: reject(index)
        case .remedy: remedy(index)
        case .freeze: freeze(index)
        case .chooseCoins: chooseCoins(index)
        case .writeLabel: writeLabel(index)
        case .writePrice: writePrice(index)
        case .resume: call(index, "resume") { store in try await store.resume(); return "done" }
        case .sync:
            call(index, "sync") { [self] store in
                let events = try await store.sync().events
                noteAvailable(try await store.balances())
                return "\(events) events"
            }
        case .deliver: deliver(index)
        case .lists: list(index)
        default:
            // Its payments in flight continue.
            if parked.isEmpty { frontEnds[index].store = nil; frontEnds[index].process = nil }
        }
    }

    // MARK: - Wallets

    private func addWallet(_ index: Int) {
        guard let chain = ChainName(rawValue: pick(knobs.chains)) else { return }
        let network: NetworkName = knobs.hasRealNodes && random.chance(40) ? .regtest : .sandbox
        let hasWords = knobs.hasWords && chain != .icon
        // Now and then a wallet that the store has already, but the networks, which are one chain
        // here, share no key.
        let number = (random.chance(10) ? 1 : wallets.count + 1) + (network == .regtest ? 100 : 0)
        call(index, "add a wallet") { [self] store in
            let source: WalletSource
            if hasWords {
                let words = Array(repeating: "abandon", count: 11) + ["about"]
                source = .mnemonic(Self.secret(words.joined(separator: " ")))
            } else {
                let digits = String(number, radix: 16)
                source = .hexKey(
                    Self.secret(String(repeating: "0", count: 64 - digits.count) + digits))
            }
            defer { coverage.mark("wallet: \(chain.rawValue) \(network.rawValue)") }
            let wallet = try await store.addWallet(
                source, chain: chain, network: network, label: "wallet \(number)",
                sealedBy: Self.secret(Self.passphrase)
            ).wallet
            try await refreshWallets(store)
            return "\(wallet.id): \(chain.rawValue) \(network.rawValue) \(wallet.address)"
        }
    }

    private func removeWallet(_ index: Int) {
        guard !wallets.isEmpty else { return }
        let wallet = pick(wallets)
        call(index, "remove wallet \(wallet.id)") { [self] store in
            try await store.removeWallet(wallet.id)
            try await refreshWallets(store)
            return "done"
        }
    }

    private func renameWallet(_ index: Int) {
        guard !wallets.isEmpty else { return }
        let wallet = pick(wallets)
        let label = random.chance(20) ? nil : "renamed \(below(1000))"
        call(index, "rename wallet \(wallet.id)") { [self] store in
            _ = try await store.rename(wallet.id, to: label)
            try await refreshWallets(store)
            return label ?? "without a label"
        }
    }

    private func refreshWallets(_ store: Store) async throws {
        wallets = try await store.wallets()
        // A wallet whose key is missing just now shows no address.
        for wallet in wallets where !wallet.address.isEmpty {
            owners[wallet.address] = wallet.address
            homes[wallet.id] = wallet.address
        }
    }

    /// Somebody pays a wallet: to its next address, by a transaction of theirs.
    private func fund() {
        guard !wallets.isEmpty else { return }
        let wallet = pick(wallets)
        let amount = UInt64(1 + below(40)) * 10_000_000 + UInt64(below(1_000_000))
        let isToken = random.chance(40)
        let mines = random.chance(70)
        call(below(frontEnds.count), "fund wallet \(wallet.id)") { [self] store in
            let address = try await store.address(of: wallet.id)
            // A wallet whose key is missing just now shows no address of its own.
            guard let home = homes[wallet.id] else { return "nothing: nobody knows the wallet" }
            owners[address] = home
            pay(amount, to: address, of: wallet, at: home, isToken: isToken)
            if mines { mine(1, on: DaybookChains.Chain(rawValue: wallet.chain.rawValue) ?? .dash) }
            return "\(amount)"
        }
    }

    private func pay(
        _ amount: UInt64, to text: String, of wallet: Wallet, at home: String, isToken: Bool
    ) {
        guard let chain = Chain(rawValue: wallet.chain.rawValue) else { return }
        if chain == .icon {
            guard let holder = ICONAddress(text) else { return }
            let loop = UInt256(amount).multiplied(by: UInt256(isToken ? 1 : 100_000_000_000))
            guard let value = loop else { return }
            let hash = onICON { sandbox in
                isToken ? try? sandbox.fundTokens(holder, amount: value, at: now)
                    : try? sandbox.fund(holder, loop: value, at: now)
            }
            guard let hash = hash ?? nil else { return }
            fundings.append(
                Funding(
                    chain: chain, id: hash, home: home,
                    asset: isToken ? Self.token : "ICX", amount: value))
        } else {
            guard let address = UTXOAddress(text, chain: chain) else { return }
            // A payer from the same coins knows the payments that a node forgot.
            sendForgottenPayments(on: chain)
            let txid = onChain(chain) { try? $0.fund(address, amount: amount) }
            guard let txid = txid ?? nil else { return }
            let bytes = onChain(chain) { $0.transaction(txid) } ?? nil
            fundings.append(
                Funding(
                    chain: chain, id: txid.bytes.reversed(), home: home,
                    asset: chain == .dash ? "DASH" : "AXE", amount: UInt256(amount),
                    bytes: bytes ?? []))
        }
    }

    /// Sends each payment to a wallet again, byte for byte, if the chain has lost it.
    func sendForgottenPayments(on chain: Chain) {
        for funding in fundings where funding.chain == chain && !isKnown(funding.id) {
            onChain(chain) { _ = $0.submit(funding.bytes) }
        }
    }

    static let token = "cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32"

    // MARK: - Requests

    private func receive(_ index: Int) {
        var (text, key): (Bytes, String?) = ([], nil)
        if !failed.isEmpty, random.chance(25) {
            text = failed.removeLast()
        } else if !texts.isEmpty, random.chance(12) {
            // The same again: an impatient user, or an app that repeats itself.
            (text, key) = texts[below(texts.count)]
        } else {
            var maker = LinkMaker(now: now, hostile: knobs.hostile, chains: knobs.chains)
            for (address, owner) in owners.sorted(by: { $0.key < $1.key }) {
                guard let wallet = wallets.first(where: { $0.address == owner }) else { continue }
                maker.own[wallet.chain.rawValue, default: []].append(address)
            }
            for funding in fundings.suffix(6) {
                if let duffs = UInt64(funding.amount.decimal) {
                    maker.coins[funding.chain.rawValue, default: []].append(duffs)
                }
            }
            maker.available = available
            text = maker.link(&random)
            if random.chance(20) { key = "key \(below(40))" }
        }
        texts.append((text, key))
        if texts.count > 10 { texts.removeFirst() }
        received += 1
        let given = (text, key)
        call(index, "receive \(String(decoding: text.prefix(100), as: UTF8.self))") {
            [self] store in
            let request = try await store.receive(given.0, key: given.1)
            links[request.id] = given.0
            return see(request)
        }
    }

    /// A front end shows a request as it stands.
    @discardableResult
    func see(_ request: WalletRequest) -> String {
        coverage.mark("status: \(request.status.rawValue)")
        if !known.contains(request.id) { known.append(request.id) }
        if known.count > 12 { known.removeFirst() }
        if let prompt = request.prompt { show(prompt, of: request.id) }
        if request.transaction != nil, [.failed, .rejected].contains(request.status),
            let text = links.removeValue(forKey: request.id)
        {
            failed.append(text)
        }
        if let url = request.callback { model.hands(url, of: request.id) }
        return "request \(request.id) is \(request.status.rawValue) "
            + (request.refusal?.rawValue ?? "")
    }

    func show(_ prompt: PromptText, of id: RequestID) {
        model.shows(
            prompt.warnings.map { ("warning", $0.text) }
                + prompt.amounts.map { ($0.name, $0.amount) }
                + prompt.details.map { ($0.name, $0.text) }, prompt.digest.bytes, of: id)
        prompts[id, default: []].append(prompt)
    }

    /// Faults between a user, a front end and a store.
    private enum Mistake: CaseIterable {
        case anotherWallet, anyRequest, aClosedRequest, typesAFixedAmount, typesNoAmount
        case forgetsThePassphrase, agreesToAnEarlierPrompt, showsOneAmountAndAsksForAnother
    }

    private func decide(_ index: Int, waits: Bool = true) {
        let mistake = random.chance(knobs.mistakes) ? pick(Mistake.allCases) : nil
        let (drawn, typed, other) = (below(1000), UInt64(1000 + below(90_000_000)), below(8))
        let guess = random.chance(knobs.wrongGuesses) ? "wrong" : Self.passphrase
        call(index, "decide", waits: waits) { [self] store in
            let list = try await store.pending()
            for request in list { see(request) }
            let open = mistake == .aClosedRequest ? known : list.map(\.id)
            guard !open.isEmpty else { return "nothing to decide" }
            let id = mistake == .anyRequest ? RequestID(UInt64(drawn)) : open[drawn % open.count]
            var wallet: WalletID?
            var amount: UInt64?
            if mistake == .anotherWallet, !wallets.isEmpty {
                wallet = wallets[other % wallets.count].id
            }
            let request = try await store.request(id)
            let lines = request.prompt ?? prompts[id]?.first
            if lines?.isAmountMissing == true || mistake == .typesAFixedAmount {
                amount = typed
            }
            if mistake == .typesNoAmount { amount = nil }
            var prompt: PromptText
            if mistake == .agreesToAnEarlierPrompt, let earlier = prompts[id]?.first {
                prompt = earlier
            } else {
                prompt = try await store.prompt(
                    for: id, wallet: wallet, amount: amount.map { MinorAmount($0) })
                show(prompt, of: id)
            }
            model.agrees(to: prompt.digest.bytes, of: id)
            let secret = mistake == .forgetsThePassphrase ? nil : guess
            if mistake == .showsOneAmountAndAsksForAnother { amount = amount.map { $0 + 1000 } }
            let done = try await store.approve(
                id, shown: prompt, wallet: wallet, amount: amount.map { MinorAmount($0) },
                unlockedBy: secret.map { Self.secret($0) })
            return "approved: " + see(done)
        }
    }

    private func reject(_ index: Int) {
        let drawn = below(1000)
        let isKnown = random.chance(30)
        call(index, "reject") { [self] store in
            let open = isKnown ? known : try await store.pending().map(\.id)
            guard !open.isEmpty else { return "nothing to reject" }
            return "rejected: " + see(try await store.reject(open[drawn % open.count]))
        }
    }

    /// A user does not want to wait for a payment any more.
    private func remedy(_ index: Int) {
        let drawn = below(1000)
        let bumps = random.chance(40)
        let (forgets, isSure) = (flips(), random.chance(70))
        let (insists, onTheNew, bumpsNext) = (random.chance(50), flips(), flips())
        call(index, bumps ? "bump" : "cancel") { [self] store in
            guard let id = try await hanging(in: store, drawn) else { return "nothing hangs" }
            if !bumps, forgets { forgetMempools() }
            let request = try await (bumps ? store.bump(id) : store.cancel(id))
            let seen = "of \(id): " + see(request)
            guard isSure, let prompt = request.prompt else { return seen }
            model.agrees(to: prompt.digest.bytes, of: request.id)
            let done = try await store.approve(
                request.id, shown: prompt, unlockedBy: Self.secret(Self.passphrase))
            guard insists else { return seen + ", approved: " + see(done) }
            // An impatient user asks again for the same payment, or for the newest one.
            let again = onTheNew ? request.id : id
            let more = try await (bumpsNext ? store.bump(again) : store.cancel(again))
            return seen + ", approved: " + see(done) + ", again: " + see(more)
        }
    }

    /// A request whose transaction may wait for its block, or any if there is none.
    private func hanging(in store: Store, _ drawn: Int) async throws -> RequestID? {
        var hanging: [RequestID] = []
        // A request without a signature has no transaction that could wait.
        for id in known where model.requests[id]?.txid != nil {
            let request = try await store.request(id)
            if request.transaction != nil, [.signed, .sent, .completed].contains(request.status) {
                hanging.append(id)
            }
        }
        // The latest are least likely to be in a block.
        let choice = hanging.isEmpty || drawn % 5 == 0 ? known[...] : hanging.suffix(3)
        return choice.isEmpty ? nil : Array(choice)[drawn % choice.count]
    }

    /// The nodes start anew, and know nothing of what waited for a block.
    private func forgetMempools() {
        for chain in [Chain.dash, .axe] { onChain(chain) { $0.forgetMempool() } }
        coverage.mark("fault: the nodes forget their mempools")
    }

    private func deliver(_ index: Int) {
        call(index, "deliver") { [self] store in
            var count = 0
            for callback in try await store.callbacks() {
                model.hands(callback.url, of: callback.request, asUndelivered: true)
                _ = try await store.delivered(callback.request)
                count += 1
            }
            return "\(count) callbacks"
        }
    }

    private func list(_ index: Int) {
        call(index, "list") { [self] store in
            for request in try await store.pending() { see(request) }
            noteAvailable(try await store.balances())
            for wallet in wallets { _ = try await store.history(of: wallet.id) }
            if let id = known.last { see(try await store.request(id)) }
            return "done"
        }
    }

    private func noteAvailable(_ balances: [Balance]) {
        available = [:]
        for balance in balances where balance.asset == "DASH" || balance.asset == "AXE" {
            guard let duffs = UInt64(exactly: balance.available), duffs > 0 else { continue }
            available[balance.asset.lowercased(), default: []].append(duffs)
        }
    }

    static func secret(_ text: String) -> Passphrase {
        var bytes = Array(text.utf8)
        return Passphrase(wiping: &bytes)
    }
}
