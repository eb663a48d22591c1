import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// The signed transaction is the one that the prompt showed, also under attack.
struct PromptTests {
    private static let contract = "cx" + String(repeating: "2", count: 40)

    private func wallet(of given: inout Given) -> (id: WalletID, address: String) {
        let id = given.add(.icon)
        return (id, given.state.wallet(id)?.address ?? "")
    }

    private func parameters(
        from: String, time: UInt64 = 1_000_000_000, steps: UInt64 = 100_000, data: JSON? = nil
    ) -> JSON {
        .record([
            "version": .string("0x3"), "from": .string(from), "to": .string(Self.contract),
            "value": .string("0x0"), "stepLimit": .string(ICONInteger.text(steps)),
            "timestamp": .string(ICONInteger.text(time)), "nid": .string("0x3"),
            "nonce": .string("0x1"), "dataType": data.map { _ in .string("call") }, "data": data,
        ])
    }

    private func warnings(_ prompt: Prompt) -> [String] {
        prompt.content.warnings.map(\.text)
    }

    @Test func `a prompt is made anew when the state has changed, and in no copy of it`() {
        var given = Given()
        let payer = given.add(.dash)
        given.readings["pay"] = Given.pay(10_000)
        given.receive("pay")
        given.state.rememberPrompts()
        let poor = given.prompt(wallet: payer)
        #expect(poor["problem"] != nil)
        #expect(given.prompt(wallet: payer) == poor)
        let before = given
        given.fund(payer, duffs: 1_000_000)
        given.state.rememberPrompts()
        let rich = given.prompt(wallet: payer)
        #expect(rich["problem"] == nil)
        #expect(given.prompt(wallet: payer, amount: 1) == rich)
        #expect(before.prompt(wallet: payer) == poor)
    }

    // MARK: - Terms

    @Test func `a prompt with terms shows everything of them`() {
        var given = Given()
        let payer = given.add(.dash)
        given.fund(payer, duffs: 1_000_000)
        let (wallet, from) = wallet(of: &given)
        given.readings["pay"] = Given.pay(10_000)
        let call = JSON.record(["method": .string("m"), "params": .record(["a": .string("b")])])
        let actions: [Action] = [
            .sign(parameters: parameters(from: from, data: call)),
            .sendTransaction(parameters: parameters(from: from)),
            .sendICX(from: from, to: Given.stranger, value: UInt256(5), data: nil),
            .sendICX(
                from: from, to: Self.contract, value: UInt256(5),
                data: Action.CallData(type: "call", data: call)),
            .sendToken(
                from: from, to: Given.stranger, value: UInt256(5), contract: Self.contract),
        ]
        var prompts: [Prompt] = []
        given.receive("pay")
        prompts.append(given.prompt(wallet: payer))
        for (index, action) in actions.enumerated() {
            given.readings["icon\(index)"] = Given.request(action, reference: 1)
            given.receive("icon\(index)")
            observe(&given, from, symbol: "SBX", decimals: 1)
            prompts.append(given.prompt(wallet: wallet))
        }
        #expect(prompts.count == 6)
        for prompt in prompts {
            let token = TokenUnit(asset: "SBX", decimals: 1)
            guard let terms = prompt.terms?.content(token: token) else {
                Issue.record("no terms: \(prompt.lines)")
                continue
            }
            let shown = prompt.content
            #expect(shown.headline.contains(terms.headline))
            #expect(shown.amounts.starts(with: terms.amounts))
            #expect(terms.details.allSatisfy(shown.details.contains), "\(shown.details)")
        }
    }

    @Test func `terms are those of the transaction that is then prepared`() throws {
        var given = Given()
        let (wallet, from) = wallet(of: &given)
        given.readings["send"] = Given.request(
            .sendICX(from: from, to: Given.stranger, value: UInt256(5), data: nil))
        given.receive("send")
        given.observeICON(wallet, loop: 3_000_000, request: given.request)
        guard case .icon(let terms)? = given.prompt(wallet: wallet).terms else {
            Issue.record("no terms")
            return
        }
        given.approve(wallet: wallet)
        let bytes = try #require(given.prepared[given.request]?.bytes)
        let prepared = try ICONTransaction(params: JSON.parse(bytes))
        let agreed = try ICONTransaction(params: terms.params(at: given.time))
        #expect(agreed.serialized == prepared.serialized)
        #expect(terms.highestFee == given.prepared[given.request]?.fee)
    }

    @Test func `a payment without an amount or without coins has no terms`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.readings["open"] = Given.pay(nil)
        given.receive("open")
        #expect(given.prompt(wallet: wallet).terms == nil)
        #expect(given.prompt(wallet: wallet, amount: 5_000).terms == nil)
        given.fund(wallet, duffs: 1_000_000)
        #expect(
            given.prompt(wallet: wallet, amount: 5_000).terms
                == .payment(
                    PaymentTerms(
                        chain: .dash, network: .sandbox, recipient: Given.address, amount: 5_000,
                        highestFee: 226)))
    }

    // MARK: - Everything or nothing

    @Test func `a key of 4 000 bytes draws no second prompt: it is refused`() {
        var given = Given()
        let (_, from) = wallet(of: &given)
        let lines = String(repeating: " ", count: 3_900) + "amount  0.1  to  \(Given.stranger)"
        let data = JSON.record([
            "method": .string("m"),
            "params": .object([JSON.Member(name: lines, value: .string("x"))]),
        ])
        given.readings["sign"] = Given.request(
            .sign(parameters: parameters(from: from, data: data)), reference: 1)
        let outcomes = given.receive("sign")
        #expect(outcomes.types == ["request.refused", "callback.emitted"])
        #expect(
            given.state.request(given.request)?.refusal
                == Refusal(.cannotBeShown, parameter: "data"))
    }

    @Test func `a request that a prompt can't show whole can't be approved`() {
        var given = Given()
        let (wallet, from) = wallet(of: &given)
        let text = JSON.string(String(repeating: "x", count: 3_000))
        let data = JSON.record(["method": .string("m"), "params": .record(["a": text])])
        let request = Request(
            link: "test", chain: .icon,
            action: .sign(parameters: parameters(from: from, data: data)), caller: Given.caller)
        let id = RequestID(given.position)
        given.receive("unread")
        given.take(
            .requestAccepted(
                RequestAccepted(
                    request: request, prompt: Prompt(PromptContent()), digest: [], expires: .max)),
            id)
        let prompt = given.prompt(id, wallet: wallet)
        #expect(prompt.isIncomplete && prompt.terms == nil)
        #expect(given.approve(id, wallet: wallet).refusedDecision == .cannotBeShown)
    }

    @Test func `no line's name has anything of the caller's`() {
        var given = Given()
        let (wallet, from) = wallet(of: &given)
        let data = JSON.record([
            "method": .string("evil1"),
            "params": .record(["evil2": .string("evil3"), "evil4": .array([.string("evil5")])]),
        ])
        given.readings["sign"] = .request(
            Request(
                link: "test", chain: .icon,
                action: .sign(parameters: parameters(from: from, data: data)),
                caller: Caller(scheme: "evil6", prefix: "evil6:"),
                notes: [.init(name: "message", text: "evil7")]))
        given.receive("sign")
        let prompt = given.prompt(wallet: wallet)
        #expect(!prompt.lines.contains { $0.name.contains("evil") })
        for number in 1...7 {
            #expect(prompt.lines.contains { $0.text.contains("evil\(number)") })
        }
    }

    // MARK: - Tokens

    private func observe(
        _ given: inout Given, _ address: String, symbol: String, decimals: UInt64,
        price: UInt64 = 12_500_000_000
    ) {
        var seen = ChainObserved(chain: .icon, network: .sandbox)
        seen.tokens = [.init(contract: Self.contract, symbol: symbol, decimals: decimals)]
        seen.iconFees = .init(
            price: UInt256(price), transfer: 100_000, inputByte: 200, contractCall: 25_000)
        seen.balances = ["ICX", Self.contract].map {
            .init(address: address, asset: $0, amount: UInt256(decimal: "1" + zeros(24)) ?? .zero)
        }
        seen.estimate = 100_000
        given.when(.chainObserved(seen), request: given.request)
    }

    private func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

    private func token(_ symbol: String, _ decimals: UInt64) -> (Given, WalletID, String) {
        var given = Given()
        let (wallet, from) = wallet(of: &given)
        given.readings["token"] = Given.request(
            .sendToken(
                from: from, to: Given.stranger, value: UInt256(1_500_000),
                contract: Self.contract))
        given.receive("token")
        observe(&given, from, symbol: symbol, decimals: decimals)
        return (given, wallet, from)
    }

    @Test func `a token keeps the decimals that were seen first, and a change asks again`() {
        var (given, wallet, from) = token("USD", 6)
        let shown = given.prompt(wallet: wallet)
        #expect(shown.content.amounts.first == ShownLine("amount", "1.5", unit: "USD"))
        #expect(warnings(shown).isEmpty)
        observe(&given, from, symbol: "EUR", decimals: 18)
        let changed = given.prompt(wallet: wallet)
        #expect(changed["amount"] == "1.5" && changed["minor"] == "1500000")
        #expect(changed.content.amounts.first?.unit == "USD")
        #expect(
            warnings(changed).contains(
                "The node now gives this token 18 decimals and the symbol EUR. The amount is shown"
                    + " with the 6 decimals that were seen first."))
        let refused = given.approve(wallet: wallet, shown: shown.digest).refusedDecision
        #expect(refused == .promptChanged)
        observe(&given, from, symbol: "USD", decimals: 6)
        #expect(given.prompt(wallet: wallet) == shown)
        #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
    }

    @Test func `a word about a token that was recorded already is no news`() {
        var (given, _, from) = token("USD", 6)
        var answer = ChainSnapshot(chain: .icon, network: .sandbox)
        for (symbol, decimals, isNews) in [
            ("USD", UInt64(6), false), ("USD", 18, true), ("USD", 18, false), ("USD", 6, true),
            ("USD", 78, false),
        ] {
            let token = ChainObserved.Token(
                contract: Self.contract, symbol: symbol, decimals: decimals)
            answer.tokens = [token]
            let news = answer.changes(from: given.state, forRequest: false)
            #expect(news.contains { !$0.tokens.isEmpty } == isNews)
            observe(&given, from, symbol: symbol, decimals: decimals)
        }
    }

    @Test(arguments: ["ICX", "lcx", "D-A-S-H", "\u{406}CX", "ICX\u{202e}", ""])
    func `a token never stands under a coin's name`(symbol: String) {
        let (given, wallet, _) = token(symbol, 6)
        let prompt = given.prompt(wallet: wallet)
        #expect(prompt.content.amounts.first?.unit == Self.contract)
        #expect(warnings(prompt).contains { $0.contains("the address of its contract") })
        #expect(!prompt.lines.contains { $0.text == symbol })
        #expect(!prompt.content.amounts.contains { $0.name == "amount" && $0.unit == symbol })
    }

    // MARK: - Fees

    @Test func `a step price of one loop is shown with the usual one beside it`() {
        var given = Given()
        let (wallet, from) = wallet(of: &given)
        given.readings["send"] = Given.request(
            .sendTransaction(parameters: parameters(from: from, steps: 2_500_000_000)))
        given.receive("send")
        observe(&given, from, symbol: "USD", decimals: 6, price: 1)
        let prompt = given.prompt(wallet: wallet)
        #expect(prompt["highestFee"] == "0.0000000025")
        #expect(
            warnings(prompt) == [
                "The node asks for 1 loop for a step. At the usual price of 12500000000 loop the"
                    + " fee is at most 31.25 ICX.",
                "The fee can be high. It is usually less than 10 ICX.",
            ])
        observe(&given, from, symbol: "USD", decimals: 6)
        #expect(given.prompt(wallet: wallet)["highestFee"] == "31.25")
        #expect(warnings(given.prompt(wallet: wallet)).count == 1)
    }

    @Test func `a fee rate far above or below the usual one is a warning`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 900_000_000)
        given.readings["pay"] = Given.pay(10_000)
        given.receive("pay")
        for (rate, count) in [
            (UInt64(1_000), 0), (100, 0), (99, 1), (10_000, 0), (10_001, 1), (900_000, 2),
        ] {
            var seen = ChainObserved(chain: .dash, network: .sandbox)
            seen.feeRate = rate
            given.when(.chainObserved(seen))
            #expect(warnings(given.prompt(wallet: wallet)).count == count, "\(rate)")
        }
    }

    @Test func `a coin of exactly a masternode's collateral is spent with a warning`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1000 * Duffs.perCoin)
        given.readings["pay"] = Given.pay(90_000_000)
        given.receive("pay")
        #expect(warnings(given.prompt(wallet: wallet)).count == 1)
        #expect(
            warnings(given.prompt(wallet: wallet)).first?.contains("exactly 1000 DASH") == true)
        for id in UInt8(8)...10 { given.fund(wallet, duffs: 40_000_000, id: id) }
        #expect(warnings(given.prompt(wallet: wallet)) == [])
        given.approve(wallet: wallet)
        #expect(given.prepared[given.request]?.inputs.count == 3)
    }

    // MARK: - Signing alone

    @Test func `a signature's prompt has its fee in ICX, and its time as a date`() {
        var given = Given()
        let (wallet, from) = wallet(of: &given)
        given.readings["sign"] = Given.request(.sign(parameters: parameters(from: from)))
        given.receive("sign")
        let unknown = given.prompt(wallet: wallet)
        #expect(unknown["highestFee"] == "not known")
        #expect(
            warnings(unknown) == [
                "No node has told the price of a step. At the usual price of 12500000000 loop the"
                    + " fee is at most 0.00125 ICX."
            ])
        observe(&given, from, symbol: "USD", decimals: 6)
        let prompt = given.prompt(wallet: wallet)
        #expect(prompt["highestFee"] == "0.00125" && warnings(prompt).isEmpty)
        #expect(prompt["timestamp"] == "1970-01-01T00:16:40.000000Z")
    }

    @Test func `a time that no node takes is a warning, and the signature is still made`() {
        let window: UInt64 = 300_000_000
        for (time, start) in [
            (UInt64(1_000_000_000), ""), (1_000_000_000 - window, ""),
            (1_000_000_000 + window, ""), (1_000_000_000 - window - 1, "No node accepts"),
            (1_000_000_000 + window + 1, "Nodes accept this transaction only from"),
        ] {
            var given = Given()
            let (wallet, from) = wallet(of: &given)
            given.readings["sign"] = Given.request(
                .sign(parameters: parameters(from: from, time: time)))
            given.receive("sign")
            observe(&given, from, symbol: "USD", decimals: 6)
            let prompt = given.prompt(wallet: wallet)
            #expect(warnings(prompt).count == (start.isEmpty ? 0 : 1))
            #expect(warnings(prompt).first?.hasPrefix(start) ?? true)
            given.time += window + 1
            #expect(given.prompt(wallet: wallet) == prompt)
            #expect(given.approve(wallet: wallet).types == ["transaction.prepared"])
        }
    }
}
