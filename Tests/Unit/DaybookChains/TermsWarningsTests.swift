import DaybookChains
import DaybookEncoding
import Testing

/// The warnings of a prompt and of the signer, from terms alone.
struct TermsWarningsTests {
    private func texts(_ terms: Terms, _ context: TermsContext) -> [String] {
        var content = PromptContent()
        terms.warn(context, &content)
        return content.warnings.map(\.text)
    }

    private func payment(
        of amount: UInt64 = 100_000, fee: UInt64 = 226, returns: Bool = false,
        collaterals: [UInt64] = [], change: PaymentTerms.FarChange? = nil, rate: UInt64? = nil,
        knowsChange: Bool = false
    ) -> [String] {
        var context = TermsContext()
        (context.feeRate, context.knowsChange) = (rate, knowsChange)
        let terms = PaymentTerms(
            chain: .dash, network: .mainnet, recipient: "X", amount: amount, highestFee: fee,
            returns: returns, farChange: change, collaterals: collaterals)
        return texts(.payment(terms), context)
    }

    private func icon(_ params: [String: String], price: UInt64? = nil, at time: UInt64? = nil)
        -> [String]
    {
        var context = TermsContext()
        context.stepPrice = price.map { UInt256($0) }
        context.time = time
        let members = params.map { JSON.Member(name: $0, value: .string($1)) }
        let terms = ICONTerms(network: .mainnet, params: .object(members), highestFee: nil)
        return texts(.icon(terms), context)
    }

    @Test func `an ordinary payment has no warning`() {
        #expect(payment() == [])
        #expect(payment(rate: 1000) == [])
    }

    @Test func `a fee is compared with the usual one and with the amount`() {
        #expect(payment(rate: 50_000).count == 1)
        #expect(payment(of: 1000, fee: 1001) == ["The fee is more than the recipient gets."])
        #expect(payment(of: 1000, fee: 1000) == [])
        let high = "The fee is high. It is usually less than 0.001 DASH."
        #expect(payment(of: 1000, fee: 250_000_000) == [high])
        #expect(payment(of: 1_000_000, fee: 100_001) == [high])
        #expect(
            payment(of: 1000, fee: 100_001, returns: true)
                == [high, "The fee is more than the amount that comes back."])
    }

    @Test func `a coin of exactly a collateral is named, once for each amount`() {
        let coins = [1000, 1000, 4000].map { $0 * Duffs.perCoin }
        let warnings = payment(collaterals: coins)
        #expect(warnings.count == 2)
        #expect(warnings[0].hasPrefix("This spends a coin of exactly 1000 DASH"))
        #expect(warnings[1].hasPrefix("This spends a coin of exactly 4000 DASH"))
    }

    @Test func `far change is warned of where the wallet has not derived it`() throws {
        let path = try #require(DerivationPath("m/44'/5'/0'/1/999999"))
        let change = PaymentTerms.FarChange(path: path, amount: 5)
        #expect(payment(change: change).first?.contains("m/44'/5'/0'/1/999999") == true)
        #expect(payment(change: change, knowsChange: true) == [])
    }

    @Test func `a step limit of 2^120 and a year that is far away are warned of`() {
        let limit = "0x1" + String(repeating: "0", count: 30)
        #expect(icon(["stepLimit": limit]).count == 2)
        #expect(icon(["stepLimit": limit], price: 12_500_000_000).count == 1)
        #expect(icon(["stepLimit": "0x186a0"], price: 12_500_000_000) == [])
        let now: UInt64 = 1_800_000_000_000_000
        func at(_ time: UInt64) -> [String] {
            icon(["timestamp": ICONInteger.text(time)], at: now)
        }
        #expect(at(now) == [] && at(now + 300_000_000) == [] && at(now - 300_000_000) == [])
        #expect(at(36_010_000_000_000_000)[0].hasPrefix("Nodes accept this transaction only from"))
        #expect(at(now - 300_000_001)[0].hasPrefix("No node accepts this transaction"))
    }
}
