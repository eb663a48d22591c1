import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookSigner

@Suite struct SignerICONTests {
    private static let now: UInt64 = 1_800_000_000_000_000
    private static let key = String(repeating: "0", count: 63) + "1"
    private static let from = "hx0502987e630ea7ebb2bf1d84a65a727109385bcf"
    private static let to = "hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e"

    private static func params(_ changes: [String: JSON?] = [:]) -> JSON {
        var members: [JSON.Member] = []
        let standard: [(String, JSON)] = [
            ("version", .string("0x3")), ("from", .string(from)), ("to", .string(to)),
            ("value", .string("0xde0b6b3a7640000")), ("stepLimit", .string("0x186a0")),
            ("timestamp", .string(ICONInteger.text(now))), ("nid", .string("0x3")),
            ("nonce", .string("0x1")), ("dataType", .string("message")),
            ("data", .string("0x616263")),
        ]
        for (name, value) in standard {
            guard let now = changes.keys.contains(name) ? changes[name]! : value else { continue }
            members.append(JSON.Member(name: name, value: now))
        }
        for (name, value) in changes where !standard.contains(where: { $0.0 == name }) {
            if let value { members.append(JSON.Member(name: name, value: value)) }
        }
        return .object(members)
    }

    private func refusal(
        of params: JSON, under shown: JSON = params(), network: Network = .sandbox,
        at time: UInt64 = now, nid: UInt64? = 3
    ) throws -> SigningRefusal? {
        let key = PrivateKey(SecretBytes(copying: Hex.decode(Self.key)!))!
        let material = PublicMaterial(
            chain: .icon, network: .sandbox, networkID: nid,
            keys: .single(publicKey: key.publicKey.compressed))
        let signer = Signer(UnlockedKeys(.key(SingleKey(key)))!, material)
        do {
            let signature = try signer.sign(
                params, under: ICONTerms(network: network, params: shown, highestFee: nil),
                at: time)
            let transaction = try ICONTransaction(params: params)
            #expect(transaction.isSigned(by: ICONSignature(signature)))
            return nil
        } catch let refusal as SigningRefusal {
            return refusal
        }
    }

    @Test func `a transaction with the parameters that were shown is signed`() throws {
        #expect(try refusal(of: Self.params()) == nil)
        let shuffled = JSON.object(Self.params().objectValue!.reversed())
        #expect(try refusal(of: shuffled) == nil)
    }

    @Test func `every other parameter is refused by its name`() throws {
        let others: [(String, JSON?)] = [
            ("to", .string("cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32")),
            ("value", .string("0xde0b6b3a7640001")), ("value", nil),
            ("stepLimit", .string("0x186a1")), ("timestamp", .string("0x563a6cf330136")),
            ("nid", .string("0x1")), ("nonce", .string("0x2")), ("nonce", nil),
            ("data", .string("0x616264")), ("data", .string("0x61626300")),
        ]
        for (name, value) in others {
            #expect(
                try refusal(of: Self.params([name: value])) == .parameterChanged(name), "\(name)")
        }
    }

    @Test func `a parameter that was not shown is refused`() throws {
        for name in ["value", "nonce", "data", "stepLimit", "nid"] {
            #expect(
                try refusal(of: Self.params(), under: Self.params([name: JSON?.none]))
                    == .parameterChanged(name), "\(name)")
        }
    }

    @Test func `a timestamp that was not shown is that of the approval`() throws {
        let shown = Self.params(["timestamp": JSON?.none])
        let window: UInt64 = 300_000_000
        #expect(try refusal(of: Self.params(), under: shown) == nil)
        #expect(try refusal(of: Self.params(), under: shown, at: Self.now + window) == nil)
        #expect(try refusal(of: Self.params(), under: shown, at: Self.now - window) == nil)
        for time in [Self.now + window + 1, Self.now - window - 1, 0, .max] {
            #expect(
                try refusal(of: Self.params(), under: shown, at: time) == .wrongTime(Self.now))
        }
    }

    @Test func `data are compared by their bytes, not by their meaning`() throws {
        // The letter é, as one code point and as two: equal strings in Swift, other bytes to sign.
        let one = Self.call("\u{e9}")
        let two = Self.call("e\u{301}")
        #expect(try refusal(of: one, under: one) == nil)
        #expect(try refusal(of: two, under: one) == .parameterChanged("data"))
    }

    private static func call(_ name: String) -> JSON {
        params([
            "to": .string("cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32"),
            "dataType": .string("call"),
            "data": .record([
                "method": .string("set"), "params": .record([name: .string("0x1")]),
            ]),
        ])
    }

    @Test func `a transaction of another account or network is refused`() throws {
        let other = Self.params(["from": .string(Self.to)])
        #expect(try refusal(of: other, under: other) == .parameterChanged("from"))
        let mainnet = Self.params(["nid": .string("0x1")])
        #expect(try refusal(of: mainnet, under: mainnet) == .parameterChanged("nid"))
        #expect(try refusal(of: Self.params(), network: .mainnet) == .wrongNetwork)
    }

    @Test func `parameters that a node would not read are refused`() throws {
        #expect(try refusal(of: .array([])) == .malformed)
        #expect(try refusal(of: Self.params(["version": .string("0x2")])) == .malformed)
        #expect(try refusal(of: Self.params(["stranger": .string("0x1")])) == .malformed)
        #expect(try refusal(of: Self.params(), under: .array([])) == .malformed)
    }
}
