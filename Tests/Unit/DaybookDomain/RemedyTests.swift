import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// A payment that no block has is helped by a child, or replaced by one to its own wallet.
struct RemedyTests {
    typealias Scene = (given: Given, wallet: WalletID, payment: RequestID)

    /// A payment of 100 000 duffs from a coin of 1 000 000, which a node has taken.
    static func sent(at rate: UInt64 = 1000, _ lock: Action.InstantSend = .unspecified) -> Scene {
        var scene = signed(at: rate, lock)
        scene.given.when(accepted, request: scene.payment)
        scene.given.show(scene.payment, in: scene.wallet)
        return scene
    }

    /// The same, which no node has taken yet.
    static func signed(at rate: UInt64 = 1000, _ lock: Action.InstantSend = .unspecified) -> Scene {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000)
        given.setFee(rate)
        given.payAndSign(Given.pay(100_000, lock), from: wallet)
        return (given, wallet, given.request)
    }

    static let accepted = Payload.broadcastAnswered(BroadcastAnswered(answer: .accepted))
    static let refused = Payload.broadcastAnswered(
        BroadcastAnswered(answer: .refused, code: -26, message: "dust"))

    // MARK: - Bumping

    @Test func `a bump brings a payment and its child to twice the rate of the payment`() {
        var (given, wallet, payment) = Self.sent()
        #expect(given.ask(.bump, payment) == ["request.deferred"])
        let bump = given.newest
        #expect(given.answer(bump, seeing: payment) == ["request.accepted"])
        let prompt = given.prompt(bump, wallet: wallet)
        // 226 bytes at 226 duffs, and 192 more: 2000 for 1000 bytes of both.
        #expect(prompt["method"] == "bump" && prompt["request"] == payment.description)
        #expect(prompt["payment"] == given.txid(payment))
        #expect(prompt["paymentFee"] == "0.00000226 DASH")
        #expect(prompt["paymentRate"] == "1000 duffs per 1000 bytes")
        #expect(prompt["rateOfBoth"] == "2000 duffs per 1000 bytes")
        #expect(prompt["fee"] == "0.0000061")
        #expect(prompt["recipient"] == "this wallet")
        #expect(given.approve(bump, wallet: wallet).types == ["transaction.prepared"])
        #expect(given.sign(bump).types == ["transaction.signed"])
        let change = given.prepared[bump]?.inputs.first?.outpoint?.displayed
        #expect(change == given.state.request(payment)?.txid)
        #expect(given.when(Self.accepted, request: bump).types == ["transaction.sent"])
        given.show(bump, in: wallet)
        #expect(given.state.balance(wallet, "DASH").unconfirmed == UInt256(899_164))
        given.show(payment, in: wallet, height: 101)
        given.show(bump, in: wallet, height: 101)
        #expect(given.state.balance(wallet, "DASH").confirmed == UInt256(899_164))
        #expect(given.state.request(bump)?.status == .completed)
    }

    @Test func `a bump pays what the node asks, where that is more`() {
        var (given, wallet, payment) = Self.sent()
        given.ask(.bump, payment)
        given.answer(given.newest, seeing: payment, feeRate: 7000)
        let prompt = given.prompt(given.newest, wallet: wallet)
        #expect(prompt["rateOfBoth"] == "7000 duffs per 1000 bytes")
    }

    @Test func `a bump says that it needs somebody else's transaction, if no block has that`() {
        var (given, wallet, payment) = Self.sent()
        given.ask(.bump, payment)
        given.answer(given.newest, seeing: payment)
        let bump = given.newest
        #expect(given.prompt(bump, wallet: wallet).content.warnings.first?.text == nil)
        // A reorganisation took the block away that had the coin.
        let coin = given.prepared[payment]?.inputs.first?.outpoint
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.outputs = given.state.spentOutputs.rows(.first(wallet)).compactMap { _, row in
            guard row.output.outpoint == coin else { return nil }
            var output = row.output
            output.height = nil
            return output
        }
        #expect(seen.outputs.count == 1)
        given.when(.chainObserved(seen))
        let warning = given.prompt(bump, wallet: wallet).content.warnings.first?.text
        #expect(warning?.contains("Its fee is not known here") == true)
    }

    @Test func `a dearer node changes the prompt, and a confirmed payment ends the bump`() {
        var (given, wallet, payment) = Self.sent()
        given.ask(.bump, payment)
        let bump = given.newest
        given.answer(bump, seeing: payment)
        let shown = given.prompt(bump, wallet: wallet).digest
        given.setFee(9000)
        #expect(given.approve(bump, wallet: wallet, shown: shown).refusedDecision == .promptChanged)
        given.show(payment, in: wallet, height: 101)
        #expect(given.approve(bump, wallet: wallet, shown: shown).types == ["transaction.failed"])
        #expect(given.state.request(bump)?.refusal?.code == .alreadyConfirmed)
    }

    @Test func `another bump is made only where the node asks for more than both pay`() {
        var (given, wallet, payment) = Self.sent()
        let bump = given.remedy(.bump, payment, wallet)
        given.when(Self.accepted, request: bump)
        given.show(bump, in: wallet)
        for target in [payment, bump] {
            given.ask(.bump, target)
            #expect(given.answer(given.newest, seeing: bump) == ["request.refused"])
            #expect(given.refusal == .alreadyBumped)
        }
        given.setFee(5000)
        given.ask(.bump, payment)
        let second = given.newest
        #expect(given.answer(second, seeing: bump) == ["request.accepted"])
        #expect(given.prompt(second, wallet: wallet)["payment"] == given.txid(bump))
        #expect(
            given.prompt(second, wallet: wallet)["rateOfBoth"] == "5000 duffs per 1000 bytes")
        // The same again while it waits is the same request, whichever of both is named.
        for target in [payment, bump] {
            #expect(given.ask(.bump, target) == ["request.coalesced"])
            #expect(given.state.request(given.newest)?.into == second)
        }
    }

    @Test func `a bump ends with the payment that it spends`() {
        var (given, wallet, payment) = Self.sent()
        let bump = given.remedy(.bump, payment, wallet)
        var gone = ChainObserved(chain: .dash, network: .sandbox)
        gone.transactions = [
            .init(
                txid: given.state.request(payment)?.txid ?? [], height: nil, locked: false,
                isGone: true)
        ]
        let outcomes = given.when(.chainObserved(gone))
        #expect(outcomes.types == ["transaction.dropped", "transaction.failed"])
        #expect(given.state.request(bump)?.status == .failed)
        #expect(given.state.balance(wallet, "DASH").available == UInt256(1_000_000))
    }

    // MARK: - What can't be bumped

    @Test func `a bump without an output names the payment to bump`() {
        var (given, wallet, payment) = Self.signed()
        for remedy in Remedy.allCases {
            given.ask(remedy, 9999)
            #expect(given.refusal == .unknownRequest)
        }
        given.ask(.bump, payment)
        #expect(given.refusal == .notSent)
        given.when(Self.accepted, request: payment)
        given.ask(.bump, payment)
        // The node that was asked last does not have it any more.
        #expect(given.answer(given.newest, seeing: nil) == ["request.refused"])
        #expect(given.refusal == .notSent)
        given.ask(.bump, payment)
        given.answer(given.newest, seeing: payment)
        #expect(given.refusal == .noOwnOutput)
        given.show(payment, in: wallet, height: 101)
        for remedy in Remedy.allCases {
            given.ask(remedy, payment)
            #expect(given.refusal == .alreadyConfirmed)
        }
        given.readings["address"] = Given.request(.address(account: 0), chain: .dash)
        given.receive("address")
        for remedy in Remedy.allCases {
            given.ask(remedy, given.request)
            #expect(given.refusal == .noPayment)
        }
    }

    @Test func `an output that another payment spends, or that is too small, is named`() {
        var (given, wallet, payment) = Self.sent()
        let later = given.payAndSign(Given.pay(800_000), from: wallet, link: "large")
        // The later payment is named, with what a bump of it would be told.
        func refusal(_ given: inout Given) -> Refusal? {
            given.ask(.bump, payment)
            given.answer(given.newest, seeing: payment)
            return given.state.request(given.newest)?.refusal
        }
        #expect(refusal(&given) == Refusal(.notSent, parameter: later.description))
        given.when(Self.accepted, request: later)
        #expect(refusal(&given) == Refusal(.noOwnOutput, parameter: later.description))
        given.show(later, in: wallet)
        #expect(refusal(&given) == Refusal(.outputSpent, parameter: later.description))
        given.setFee(700_000)
        given.ask(.bump, later)
        given.answer(given.newest, seeing: later)
        #expect(given.refusal == .outputTooSmall)
    }

    @Test func `no bump pays a fee that must be a mistake`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 5_000_000_000)
        let payment = given.payAndSign(Given.pay(100_000), from: wallet)
        given.when(Self.accepted, request: payment)
        given.show(payment, in: wallet)
        given.ask(.bump, payment)
        given.answer(given.newest, seeing: payment, feeRate: 1_000_001)
        #expect(given.refusal == .feeTooHigh)
    }

    @Test func `nothing is bumped or cancelled on ICON`() {
        var given = Given()
        let wallet = given.add(.icon)
        given.observeICON(wallet, loop: 10_000_000)
        given.readings["send"] = Given.request(
            .sendICX(
                from: given.state.wallet(wallet)?.address ?? "", to: Given.stranger,
                value: UInt256(5), data: nil))
        given.receive("send")
        for remedy in Remedy.allCases {
            given.ask(remedy, given.request)
            #expect(given.refusal == .notOnICON)
        }
    }
}

extension Given {
    /// The request that was made last, and why it was refused.
    var newest: RequestID { state.requests.keys().last ?? 0 }
    var refusal: Refusal.Code? { state.request(newest)?.refusal?.code }

    func txid(_ id: RequestID) -> String { Hex.encode(state.request(id)?.txid ?? []) }

    mutating func setFee(_ rate: UInt64) {
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.feeRate = rate
        when(.chainObserved(seen))
    }

    /// The user asks for a remedy.
    @discardableResult
    mutating func ask(_ remedy: Remedy, _ payment: RequestID) -> [String] {
        when(
            .remedyRequested(
                RemedyRequested(remedy: remedy, payment: payment, frontEnd: "tests")),
            request: RequestID(position)
        ).types
    }

    /// A node says whether it has a payment, to the request that waits for that.
    @discardableResult
    mutating func answer(
        _ id: RequestID, seeing payment: RequestID?, height: UInt64? = nil, feeRate: UInt64? = nil
    ) -> [String] {
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.feeRate = feeRate
        if let txid = payment.flatMap({ state.request($0)?.txid }) {
            seen.transactions = [.init(txid: txid, height: height, locked: false)]
        }
        return when(.chainObserved(seen), request: id).types
    }

    /// Asks for a remedy, approves and signs it.
    mutating func remedy(
        _ remedy: Remedy, _ payment: RequestID, _ wallet: WalletID
    ) -> RequestID {
        ask(remedy, payment)
        let id = newest
        answer(id, seeing: remedy == .bump ? payment : nil)
        approve(id, wallet: wallet)
        sign(id)
        return id
    }

    /// A node shows a request's transaction, in a block or in its mempool.
    @discardableResult
    mutating func show(
        _ id: RequestID, in wallet: WalletID, height: UInt64? = nil, hiding rival: RequestID? = nil
    ) -> [Outcome] {
        guard let signed = signed[id], let transaction = try? UTXOTransaction.parse(signed.bytes)
        else { return [] }
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        if let height {
            seen.height = height
            seen.tip = [UInt8(truncatingIfNeeded: height)]
        }
        let own = state.changeAddress(wallet)?.script ?? []
        seen.outputs = transaction.inputs.compactMap { input in
            guard var spent = state.output(input.outpoint, of: wallet) else { return nil }
            spent.spentBy = signed.txid
            spent.spentHeight = height
            return spent
        }
        for (index, output) in transaction.outputs.enumerated() where output.script == own {
            let outpoint = Outpoint(transaction.txid, UInt32(index))
            var made = ChainObserved.Output(
                outpoint: outpoint, script: own, amount: output.amount, height: height,
                coinbase: false)
            if let known = state.output(outpoint, of: wallet) {
                (made.spentBy, made.spentHeight) = (known.spentBy, known.spentHeight)
            }
            seen.outputs.append(made)
        }
        if let txid = rival.flatMap({ state.request($0)?.txid }) {
            seen.removed = state.outputs(of: wallet, madeBy: txid).map(\.output.outpoint)
        }
        return when(.chainObserved(seen))
    }
}
