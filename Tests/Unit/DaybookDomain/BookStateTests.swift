import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// Labels and prices as the user recorded them.
struct BookStateTests {
    private var given = Given()

    @Test mutating func `a label is given, replaced and taken away`() {
        for (label, expected) in [("rent", "rent"), ("rents", "rents"), (nil, nil)] {
            given.when(.labelSet(LabelSet([.init(.sender("shop"), label)])))
            #expect(given.state.label(.sender("shop")) == expected)
        }
        #expect(given.state.labels.rows().isEmpty)
    }

    @Test mutating func `a transaction's label comes before its request's`() {
        let txid = Samples.txid
        given.when(.labelSet(LabelSet([.init(.request(4), "request")])))
        #expect(given.state.label(ofTransaction: txid, by: 4) == "request")
        given.when(.labelSet(LabelSet([.init(.transaction(txid), "transaction")])))
        #expect(given.state.label(ofTransaction: txid, by: 4) == "transaction")
        #expect(given.state.label(ofTransaction: nil, by: nil) == nil)
    }

    @Test(arguments: Samples.subjects)
    func `each subject has one text`(_ subject: LabelSubject) {
        #expect(LabelSubject(subject.text) == subject)
        for other in [subject.text + " ", subject.text.uppercased(), "x" + subject.text] {
            #expect(LabelSubject(other) == nil)
        }
    }

    @Test(arguments: [
        "", "tx", "tx:", "tx:12", "tx:0x" + String(repeating: "a", count: 64),
        "address:XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHab", "address:hx12", "request:01", "request:-1",
        "request:9007199254740992", "sender:", "sender:Shop", "sender:a b", "sender:sh\u{202e}op",
        "wallet:4", "output:" + String(repeating: "a", count: 64) + ":01",
        "sender:" + String(repeating: "a", count: 65),
    ])
    func `another text is no subject`(_ text: String) {
        #expect(LabelSubject(text) == nil)
    }

    // MARK: - Prices

    private static let day: UInt64 = 86_400 * 1_000_000

    private mutating func set(_ price: String, of asset: String = "DASH", at time: UInt64) {
        let key = PriceKey(asset, in: "EUR", at: time)
        given.when(.priceSet(PriceSet([.init(key, DecimalNumber(price)!)])))
    }

    private func price(at time: UInt64, of asset: String = "DASH", in currency: String = "EUR")
        -> String?
    {
        given.state.price(of: asset, in: currency, at: time)?.text
    }

    @Test mutating func `a movement takes the last price at or before it, of seven days at most`() {
        set("20", at: 10 * Self.day)
        set("30", at: 12 * Self.day)
        set("99", of: "AXE", at: 11 * Self.day)
        set("98", of: "DASHES", at: 11 * Self.day)
        #expect(price(at: 10 * Self.day - 1) == nil)
        #expect(price(at: 10 * Self.day) == "20")
        #expect(price(at: 12 * Self.day - 1) == "20")
        #expect(price(at: 12 * Self.day) == "30")
        #expect(price(at: 19 * Self.day) == "30")
        #expect(price(at: 19 * Self.day + 1) == nil)
        #expect(price(at: .max) == nil)
        #expect(price(at: 12 * Self.day, in: "USD") == nil)
        #expect(price(at: 12 * Self.day, of: "ICX") == nil)
    }

    @Test mutating func `a price that is withdrawn leaves its place to the one before it`() {
        set("20", at: 10 * Self.day)
        set("30", at: 12 * Self.day)
        let key = PriceKey("DASH", in: "EUR", at: 12 * Self.day)
        given.when(.priceWithdrawn(PriceWithdrawn([.init(key)])))
        #expect(price(at: 12 * Self.day) == "20")
        set("31", at: 12 * Self.day)
        #expect(price(at: 12 * Self.day) == "31")
    }

    @Test mutating func `each asset is listed with each currency of its prices`() {
        for (asset, currency, time) in [
            ("DASH", "USD", 1), ("DASH", "EUR", UInt64.max), ("AXE", "USD", 1), ("DASH", "EUR", 2),
        ] as [(String, String, UInt64)] {
            let key = PriceKey(asset, in: currency, at: time)
            given.when(.priceSet(PriceSet([.init(key, DecimalNumber("1")!)])))
        }
        var found: [String] = []
        given.state.walkPriced { found.append("\($0) \($1)") }
        #expect(found == ["AXE USD", "DASH EUR", "DASH USD"])
    }

    @Test mutating func `the last possible time has a price`() {
        set("7", at: .max)
        #expect(price(at: .max) == "7")
    }
}
