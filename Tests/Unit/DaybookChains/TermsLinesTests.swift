import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookChains

/// A prompt shows all of a transaction that will be signed, and nothing else.
struct TermsLinesTests {
    private static let from = "hx0502987e630ea7ebb2bf1d84a65a727109385bcf"
    private static let other = "hx5bfdb090f43a808005ffc27c25b213145e80b7cd"
    private static let contract = "cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32"

    private static func params(_ changes: KeyValuePairs<String, JSON?>) -> JSON {
        var members: [JSON.Member] = [
            ("version", "0x3"), ("from", from), ("to", contract), ("stepLimit", "0x186a0"),
            ("timestamp", "0x563a6cf330136"), ("nid", "0x3"), ("nonce", "0x1"),
        ].map { JSON.Member(name: $0.0, value: .string($0.1)) }
        for (name, value) in changes {
            members.removeAll { $0.name == name }
            if let value { members.append(JSON.Member(name: name, value: value)) }
        }
        return .object(members)
    }

    private static func call(_ method: String, _ params: JSON?) -> JSON {
        Self.params([
            "dataType": .string("call"),
            "data": .record(["method": .string(method), "params": params]),
        ])
    }

    private func terms(_ params: JSON, fee: UInt64? = 5) -> ICONTerms {
        ICONTerms(network: .sandbox, params: params, highestFee: fee.map { UInt256($0) })
    }

    /// The lines as `name: text`, without those that every transaction of these tests has.
    private func shown(_ params: JSON, token: TokenUnit? = nil) throws -> [String] {
        let lines = try #require(terms(params).content(token: token)).lines
        let rest = [
            "headline", "chain", "network", "from", "stepLimit", "highestFee", "nid", "nonce",
            "version",
        ]
        return lines.filter { !(rest + ["timestamp"]).contains($0.name) }
            .map { "\($0.name): \($0.text)" }
    }

    // MARK: - By example

    @Test func `a transfer shows every parameter, numbers and times as people write them`() throws {
        let params = Self.params([
            "to": .string(Self.other), "value": .string("0xde0b6b3a7640001"),
        ])
        let lines = try #require(terms(params, fee: 1_250_000_000_000_000).content()).lines
        #expect(
            lines.map { "\($0.name): \($0.text)" } == [
                "headline: Pay 1.000000000000000001 ICX to \(PromptContent.short(Self.other))",
                "amount: 1.000000000000000001 ICX", "highestFee: 0.00125 ICX", "to: \(Self.other)",
                "minor: 1000000000000000001", "from: \(Self.from)", "stepLimit: 100000",
                "timestamp: 2018-01-26T05:02:55.500598Z", "nid: 0x3", "nonce: 0x1", "version: 0x3",
                "chain: icon", "network: sandbox",
            ])
    }

    @Test func `a token's transfer shows its recipient and amount, and the contract`() throws {
        let params = Self.call(
            "transfer", .record(["_value": .string("0x16e360"), "_to": .string(Self.other)]))
        let lines = [
            "to: \(Self.other)", "contract: \(Self.contract)", "minor: 1500000", "call: transfer",
        ]
        let unit = TokenUnit(asset: "USD", decimals: 6)
        #expect(try shown(params, token: unit) == ["amount: 1.5 USD"] + lines)
        #expect(try shown(params) == lines)
        let recipient = PromptContent.short(Self.other)
        #expect(terms(params).content(token: unit)?.headline == "Pay 1.5 USD to \(recipient)")
        #expect(
            terms(params).content()?.headline == "Pay 1500000 of the smallest units of token"
                + " \(PromptContent.short(Self.contract)) to \(recipient)")
        #expect(terms(params).token == Self.contract)
    }

    @Test func `a token's transfer with anything beside recipient and amount shows that`() throws {
        let params = Self.call(
            "transfer",
            .record([
                "_to": .string(Self.other), "_value": .string("0x1"), "_data": .string("0xff"),
            ]))
        #expect(try shown(params).contains { $0.hasSuffix(": _data = 0xff") })
    }

    @Test func `method, recipient and amount come first, whatever stands around them`() throws {
        var padding = (0..<16).map {
            JSON.Member(name: "a\($0)", value: .string("padding"))
        }
        padding.append(JSON.Member(name: "_value", value: .string("0x5")))
        padding.append(JSON.Member(name: "_to", value: .string(Self.other)))
        let params = Self.params([
            "value": .string("0x0"), "dataType": .string("call"),
            "data": .record(["params": .object(padding), "method": .string("transfer")]),
        ])
        let lines = try shown(params, token: TokenUnit(asset: "USD", decimals: 6))
        #expect(
            lines.prefix(8) == [
                "amount: 0 ICX", "to: \(Self.contract)", "minor: 0", "dataType: call",
                "call: transfer", "param 1: _to = \(Self.other)", "param 2: _value = 0x5",
                "amount of param 2: 0.000005 USD, minor 5",
            ])
        #expect(lines.count == 8 + 16)
    }

    @Test func `of a list of calls each one is shown, and the last no less`() throws {
        let calls = (1...25).map { number -> JSON in
            .record([
                "padding": .string("x"), "method": .string("transfer"),
                "params": .record([
                    "_to": .string(number == 25 ? Self.other : Self.from),
                    "_value": .string(ICONInteger.text(UInt64(number))),
                ]),
            ])
        }
        let lines = try shown(Self.call("aggregate", .record(["calls": .array(calls)])))
        #expect(lines.contains("param 74: calls[25].params._to = \(Self.other)"))
        #expect(lines.contains("amount of param 75: 25"))
        #expect(lines.contains("param 100: calls[25].padding = x"))
        let last = lines.firstIndex { $0.contains("calls[25].params._value") }
        #expect(try #require(last) < lines.firstIndex { $0.contains("padding") } ?? 0)
    }

    @Test func `a name is a text like any other, and nothing in it can be taken for more`() throws {
        let names = ["to\namount", "a.b", "a[1]", "a = b", "", "ab\u{202e}c", "t\u{43e}", "\\u{0}"]
        let members = names.map { JSON.Member(name: $0, value: .string("v")) }
        #expect(
            Set(try shown(Self.call("m", .object(members))).dropFirst(3).map {
                $0.split(separator: ": ").last ?? ""
            }) == [
                #"to\u{000A}amount = v"#, #"a\u{002E}b = v"#, #"a\u{005B}1\u{005D} = v"#,
                #"a\u{0020}\u{003D}\u{0020}b = v"#, #"\e = v"#, #"ab\u{202E}c = v"#,
                #"t\u{043E} = v"#, #"\u{005C}u\u{007B}0\u{007D} = v"#,
            ])
        #expect(try shown(Self.call("a b\u{1b}", nil))[2] == #"call: a\u{0020}b\u{001B}"#)
    }

    @Test func `a message is shown decoded, and as it stands where that says more`() throws {
        func message(_ data: String) throws -> [String] {
            try shown(
                Self.params([
                    "to": .string(Self.other), "dataType": .string("message"),
                    "data": .string(data),
                ])
            ).filter { $0.hasPrefix("message") || $0.hasPrefix("data:") }
        }
        #expect(try message("0x68690a") == [#"message: hi\u{000A}"#])
        #expect(try message("0x68690A") == [#"message: hi\u{000A}"#, "data: 0x68690A"])
        #expect(try message("0xff") == ["data: 0xff"])
        #expect(try message("0x") == ["message: ", "data: 0x"])
    }

    @Test func `a price that nobody told makes a fee that is not known`() throws {
        let lines = try #require(terms(Self.params([:]), fee: nil).content()).lines
        #expect(lines.contains(ShownLine("highestFee", "not known")))
    }

    // MARK: - What can't be shown

    @Test func `terms beyond the limits are not shown at all`() throws {
        func size(_ count: Int) -> String { String(repeating: "a", count: count) }
        func call(_ name: String, _ value: String) -> JSON {
            Self.call("m", .object([JSON.Member(name: name, value: .string(value))]))
        }
        func list(_ count: Int) -> JSON {
            Self.call("m", .record(["l": .array(Array(repeating: .string("x"), count: count))]))
        }
        for (params, isShown) in [
            (call("a", size(2_048)), true), (call("a", size(2_049)), false),
            (call("a", "0x" + size(20_000)), true), (call("a", "0x" + size(70_000)), false),
            (call("a", "0x" + size(20_000) + "g"), false), (call(size(4_000), "x"), false),
            (list(180), true), (list(200), false), (list(100_000), false),
            (Self.call(size(2_049), nil), false),
            (Self.params(["extra": .string("x")]), false),
            (Self.params(["nonce": .number("1")]), false),
        ] {
            #expect((terms(params).content() != nil) == isShown, "\(params.text().prefix(80))")
        }
    }

    @Test func `nothing is shown that the network could read in two ways`() {
        for value in [
            JSON.array([.string("")]), .array([.string(""), .string("a")]), .bool(true),
            .number("1.0"), .number("01"), .number("1e3"), .record(["a": .array([.string("")])]),
        ] {
            let params = Self.call("m", .record(["a": value]))
            #expect(terms(params).content() == nil, "\(value.text())")
        }
    }

    // MARK: - By law

    @Test func `transactions have the same lines only if the same is signed`() throws {
        var random = Seeded(1)
        var byLines: [String: String] = [:]
        var byText: [String: String] = [:]
        var shown = 0
        for _ in 0..<20_000 {
            let params = Self.random(&random)
            guard let lines = terms(params).content()?.lines,
                let text = try? ICONSerialization.text(of: params)
            else { continue }
            shown += 1
            let seen = lines.map { "\($0.name)\u{0}\($0.text)" }.joined(separator: "\u{1}")
            if let before = byLines.updateValue(text, forKey: seen) { #expect(before == text) }
            if let before = byText.updateValue(seen, forKey: text) { #expect(before == seen) }
        }
        #expect(shown > 10_000 && byLines.count > 2_000 && byLines.count < shown)
    }

    /// Parameters of few names and texts, so that many are alike.
    private static func random(_ random: inout Seeded) -> JSON {
        let types: [JSON?] = [nil, .string("call"), .string("message"), .string("deploy")]
        let values: [JSON?] = [nil, .string("0x0"), .string("0x5")]
        let type = types[random.below(4)]
        var data: JSON? = random.below(5) == 0 ? nil : value(&random, depth: 3)
        if type == .string("call"), random.below(4) > 0 {
            data = .record([
                "method": .string(["transfer", "m"][random.below(2)]),
                "params": random.below(4) == 0 ? nil : object(&random, depth: 2),
            ])
        }
        return params([
            "dataType": type, "data": data, "value": values[random.below(3)],
            "to": .string([contract, other][random.below(2)]),
        ])
    }

    private static func value(_ random: inout Seeded, depth: Int) -> JSON {
        let texts = ["", "a", "_to", "=", "0x5", other, "null", "an empty list", "\\0", "{}", "."]
        switch random.below(depth == 0 ? 4 : 8) {
        case 0, 1, 2: return .string(texts[random.below(texts.count)])
        case 3: return [.null, .number("5"), .number("-0"), .bool(false)][random.below(4)]
        case 4, 5: return object(&random, depth: depth - 1)
        default:
            return .array((0..<random.below(3)).map { _ in value(&random, depth: depth - 1) })
        }
    }

    private static func object(_ random: inout Seeded, depth: Int) -> JSON {
        let names = ["_to", "_value", "a", "a.a", "a[1]", "", "=", "data", "the data", "method"]
        var members: [JSON.Member] = []
        for _ in 0..<random.below(4) {
            let name = names[random.below(names.count)]
            guard !members.contains(where: { $0.name == name }) else { continue }
            members.append(JSON.Member(name: name, value: value(&random, depth: depth)))
        }
        return .object(members)
    }

    @Test func `payments that differ in anything have different lines`() {
        let sample = ("a", UInt64(5), UInt64(6))
        var seen: [PromptContent] = []
        let places = [(Chain.dash, Network.sandbox), (.axe, .sandbox), (.dash, .mainnet)]
        for (chain, network) in places {
            for (recipient, amount, fee) in [
                sample, ("b", 5, 6), ("a", 6, 6), ("a", 5, 7), ("a\n", 5, 6), ("a", 500_000_000, 6),
            ] {
                let terms = PaymentTerms(
                    chain: chain, network: network, recipient: recipient, amount: amount,
                    highestFee: fee)
                #expect(!seen.contains(terms.content))
                seen.append(terms.content)
            }
        }
        for (path, amount) in [("m/0'/1/30", UInt64(9)), ("m/0'/1/31", 9), ("m/0'/1/30", 8)] {
            let terms = PaymentTerms(
                chain: .dash, network: .sandbox, recipient: "a", amount: 5, highestFee: 6,
                farChange: DerivationPath(path).map { .init(path: $0, amount: amount) })
            #expect(!seen.contains(terms.content))
            seen.append(terms.content)
        }
    }
}
