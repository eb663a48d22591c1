import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// How complete and incremental answers update the state.
struct ObservingAgainTests {
    /// Three wallets of a key each, and one of an account.
    private func wallets(on network: Network) -> Given {
        var given = Given()
        for key in 1...3 as ClosedRange<UInt8> { _ = given.add(.dash, network, key: key) }
        given.addAccounts(network)
        return given
    }

    /// Scans as a store does, until an answer leaves nothing more to ask.
    private func look(
        at model: ChainModel, _ network: Network, whole: Bool, _ given: inout Given
    ) {
        var asked: ChainQuery.Subjects?
        while true {
            let question = ChainQuery(.dash, network, in: given.state)
            if let asked, question.subjects.areAmong(asked) { return }
            asked = question.subjects
            let answer = model.answer(to: question, network, whole: whole)
            for news in answer.changes(from: given.state, forRequest: false) {
                given.when(.chainObserved(news))
            }
        }
    }

    @Test(arguments: 0..<3, [Network.sandbox, .regtest])
    func `an answer that begins at the last tip says as much as one that has everything`(
        seed: UInt64, network: Network
    ) {
        var model = ChainModel(seed: seed)
        model.scripts = Self.payable
        var (all, last) = (wallets(on: network), wallets(on: network))
        for _ in 0..<25 {
            for _ in 0...model.next(3) { model.step() }
            look(at: model, network, whole: true, &all)
            look(at: model, network, whole: false, &last)
            #expect(rows(all) == rows(last))
            #expect(balance(all) == model.balance(of: Self.scripts(all)))
            #expect(noted(last) == unconfirmed(last))
        }
    }

    @Test(arguments: [Network.sandbox, .regtest])
    func `an answer that was heard before is no news`(network: Network) {
        var model = ChainModel(seed: 7)
        var given = wallets(on: network)
        model.scripts = Self.payable
        for _ in 0..<20 { model.step() }
        for whole in [true, false] {
            look(at: model, network, whole: whole, &given)
            let question = ChainQuery(.dash, network, in: given.state)
            let answer = model.answer(to: question, network, whole: whole)
            #expect(answer.changes(from: given.state, forRequest: false).isEmpty)
        }
    }

    @Test(arguments: 0..<15)
    func `all changes by a node's answer are found`(seed: UInt64) {
        var model = ChainModel(seed: seed)
        model.scripts = Self.payable
        var given = wallets(on: .regtest)
        for _ in 0..<40 {
            for _ in 0...model.next(3) { model.step() }
            let question = ChainQuery(.dash, .regtest, in: given.state)
            var answer = model.answer(to: question, .regtest, whole: model.next(5) == 0)
            model.tamper(with: &answer, given.state)
            let found = answer.outputChanges(from: given.state)
            let all = answer.outputChanges(from: comparingEveryOutput(given.state))
            #expect(sorted(found.changed) == sorted(all.changed))
            #expect(found.removed.sorted() == all.removed.sorted())
            for news in answer.changes(from: given.state, forRequest: false) {
                given.when(.chainObserved(news))
            }
            #expect(noted(given).isSuperset(of: unconfirmed(given)))
        }
    }

    /// The state as if no output were settled: each is compared with an answer.
    private func comparingEveryOutput(_ state: State) -> State {
        var every = state
        for (id, _) in state.wallets() {
            for row in state.outputs(of: id) {
                every.unconfirmed[OutputKey(id, row.output.outpoint)] = PointerRow(id)
            }
        }
        return every
    }

    @Test func `a removed wallet leaves nothing behind`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000, height: nil)
        #expect(noted(given).count == 1)
        given.when(.walletRemoved(WalletRemoved(wallet: wallet)))
        #expect(noted(given).isEmpty)
    }

    @Test(arguments: [Network.sandbox, .regtest])
    func `every chain is asked about all addresses, and about the branches that go on`(
        network: Network
    ) {
        var given = Given()
        given.addAccounts(network)
        let wallet = given.state.wallets()[0].id
        #expect(ChainQuery(.dash, network, in: given.state).watched.count == 80)
        for number in 1...30 as ClosedRange<UInt8> { given.fund(wallet, duffs: 1_000, id: number) }
        let asked = ChainQuery(.dash, network, in: given.state)
        #expect(asked.tip != nil && asked.branches.map(\.next).sorted() == [20, 20, 20, 50])
        #expect(asked.watched.map(\.isUsed).count { $0 } == 30)
        let all = given.state.addresses.rows(.wallet(wallet)).map(\.row.text)
        #expect(asked.watched.map(\.address) == all && all.count == 110)
        let compared = ChainQuery(.dash, network, in: given.state, listsBranches: false)
        #expect(compared.branches.isEmpty && compared.watched == asked.watched)
    }

    // MARK: - What is compared

    /// The scripts of the wallets' addresses, and of some that they have not derived yet.
    private static let payable: [Bytes] = {
        var given = Given()
        for key in 1...3 as ClosedRange<UInt8> { _ = given.add(.dash, key: key) }
        given.addAccounts()
        let txid = TransactionID(Bytes(repeating: 1, count: 32))!
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.outputs = scripts(given).enumerated().map { index, script in
            .init(
                outpoint: Outpoint(txid, UInt32(index)), script: script, amount: 1, height: nil,
                coinbase: false)
        }
        given.when(.chainObserved(seen))
        return scripts(given)
    }()

    private static func scripts(_ given: Given) -> [Bytes] {
        given.state.wallets(of: .dash).flatMap { wallet in
            given.state.addresses.rows(.wallet(wallet.id)).map(\.row.script)
        }
    }

    private func rows(_ given: Given) -> [Bytes] {
        ["outputs/", "spent/", "balances/", "immature/", "addresses/"].flatMap {
            given.state.rows.scan(prefix: Bytes($0.utf8), after: nil, limit: .max)
                .flatMap { [$0.key, $0.value] }
        }
    }

    private func balance(_ given: Given) -> UInt64 {
        given.state.wallets(of: .dash).reduce(0) { sum, wallet in
            let row = given.state.balance(wallet.id, "DASH")
            return sum + (UInt64(row.confirmed.decimal) ?? 0)
                + (UInt64(row.unconfirmed.decimal) ?? 0)
        }
    }

    private func sorted(_ outputs: [ChainObserved.Output]) -> [ChainObserved.Output] {
        outputs.sorted { $0.outpoint < $1.outpoint }
    }

    /// The outputs that are noted as unconfirmed.
    private func noted(_ given: Given) -> Set<Outpoint> {
        Set(given.state.unconfirmed.keys().map(\.second))
    }

    /// The outputs that are unconfirmed.
    private func unconfirmed(_ given: Given) -> Set<Outpoint> {
        let wallets = given.state.wallets(of: .dash)
        return Set(
            wallets.flatMap { id, row in
                let tip = given.state.chain(.dash, row.wallet.network).height
                return given.state.outputs(of: id).map(\.output).filter { output in
                    output.height ?? .max > tip
                        || output.spentBy != nil && output.spentHeight ?? .max > tip
                }
            }.map(\.outpoint))
    }
}
