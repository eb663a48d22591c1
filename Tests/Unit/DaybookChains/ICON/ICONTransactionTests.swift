import DaybookCrypto
import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookChains

struct ICONTransactionTests {
    @Test func `the vectors serialize, hash and verify as the SDK and the node agree`() throws {
        let vectors = try ICONVectors.list("vectors")
        #expect(vectors.count == 44)
        for vector in vectors {
            let name = Comment(rawValue: vector.text(at: "name"))
            let params = try #require(vector["params"])
            let text = try ICONSerialization.text(of: params)
            #expect(text.utf8.elementsEqual(vector.text(at: "serialized").utf8), name)
            let hash = SHA3_256.hash(Bytes(text.utf8))
            #expect("0x" + Hex.encode(hash) == vector.text(at: "hash"), name)
            let signature = try #require(ICONSignature(base64: vector.text(at: "signature")), name)
            #expect(Hex.encode(signature.signature.bytes) == vector.text(at: "signatureHex"), name)
            #expect(signature.isLowS, name)
            #expect(signature.signer(of: hash)?.text == params.text(at: "from"), name)
            let secret = try #require(Hex.decode(vector.text(at: "privateKey")))
            let key = PrivateKey(SecretBytes(copying: secret))
            let made = key?.signRecoverable(digest: hash)
            #expect(made == signature.signature, name)
        }
    }

    @Test func `where the SDK and the node differ, the node decides`() throws {
        let vectors = try ICONVectors.list("divergent")
        #expect(vectors.count == 5)
        for vector in vectors {
            let name = Comment(rawValue: vector.text(at: "name"))
            let params = try #require(vector["params"])
            let node = try #require(vector["goloop"])
            guard node["serialized"] != nil else {
                let expected = ICONSerializationError(path: ".data.params.a", found: .boolean)
                #expect(throws: expected) { try ICONSerialization.text(of: params) }
                continue
            }
            let text = try ICONSerialization.text(of: params)
            #expect(text == node.text(at: "serialized"), name)
            let hash = SHA3_256.hash(Bytes(text.utf8))
            #expect("0x" + Hex.encode(hash) == node.text(at: "hash"), name)
            let signature = try #require(ICONSignature(base64: node.text(at: "signature")), name)
            #expect(signature.signer(of: hash)?.text == params.text(at: "from"), name)
        }
    }

    @Test func `Connect's golden transactions have their hashes and signatures`() throws {
        let vectors = try ICONVectors.list("vectors", in: "connect.json")
        #expect(vectors.count == 5)
        let signer = try #require(ICONAddress("hx0502987e630ea7ebb2bf1d84a65a727109385bcf"))
        for vector in vectors {
            let name = Comment(rawValue: vector.text(at: "name"))
            let text = try ICONSerialization.text(of: try #require(vector["params"]))
            let hash = SHA3_256.hash(Bytes(text.utf8))
            #expect("0x" + Hex.encode(hash) == vector.text(at: "hash"), name)
            guard vector["signature"] != nil else { continue }
            let signature = try #require(ICONSignature(base64: vector.text(at: "signature")), name)
            #expect(signature.signer(of: hash) == signer, name)
        }
    }

    @Test func `a bad signature is no signature of the sender`() throws {
        let vectors = try ICONVectors.list("badSignatures")
        #expect(vectors.count == 4)
        for vector in vectors {
            let name = Comment(rawValue: vector.text(at: "name"))
            let transaction = try ICONTransaction(params: try #require(vector["params"]))
            let signature = ICONSignature(base64: vector.text(at: "signature"))
            // The node takes a high s with its matching recovery id; ours is never one.
            let nodeTakesIt = vector.text(at: "goloop") == "ok"
            let recovers = signature?.signer(of: transaction.hash) == transaction.from
            #expect(recovers == nodeTakesIt, name)
            #expect(signature.map { transaction.isSigned(by: $0) } != true, name)
        }
    }

    @Test func `a transaction keeps its params and carries its signature last`() throws {
        let vector = try #require(try ICONVectors.list("vectors").first)
        let transaction = try ICONTransaction(params: try #require(vector["params"]))
        #expect(transaction.hashText == vector.text(at: "hash"))
        #expect(transaction.value == UInt256(decimal: "1000000000000000000"))
        #expect(transaction.stepLimit == UInt256(100_000))
        #expect(transaction.nid == 3)
        let signature = try #require(ICONSignature(base64: vector.text(at: "signature")))
        #expect(transaction.isSigned(by: signature))
        let signed = transaction.signed(by: signature)
        #expect(signed.text().hasSuffix(#""signature":"\#(signature.base64)"}"#))
        #expect(try ICONTransaction(params: signed) == transaction)
        #expect(ICONFields.problems(in: signed, as: .signed) == [])
    }

    @Test func `another transaction's signature does not fit`() throws {
        let vectors = try ICONVectors.list("vectors")
        let first = try ICONTransaction(params: try #require(vectors[0]["params"]))
        let second = try #require(ICONSignature(base64: vectors[1].text(at: "signature")))
        #expect(!first.isSigned(by: second))
    }

    @Test(arguments: [
        ("1e3", nil), ("9007199254740992", nil), ("9007199254740991", "9007199254740991"),
        ("-1.9", "-1"), ("-0.5", "0"), ("12", "12"),
    ]) func `a number keeps its whole part where that is exact`(
        literal: String, expected: String?
    ) throws {
        let params = try JSON.parse(Bytes(#"{"data":{"a":\#(literal)}}"#.utf8))
        guard let expected else {
            let error = ICONSerializationError(path: ".data.a", found: .number)
            #expect(throws: error) { try ICONSerialization.text(of: params) }
            return
        }
        let text = try ICONSerialization.text(of: params)
        #expect(text == "icx_sendTransaction.data.{a.\(expected)}")
    }

    @Test func `keys are ordered by their bytes and not as Swift orders text`() throws {
        // Swift compares composed forms: it would put e with an accent behind f.
        let params = try JSON.parse(Bytes(#"{"f":"1","\u00e9":"2","e\u0301":"3"}"#.utf8))
        let text = try ICONSerialization.text(of: params)
        #expect(text.utf8.elementsEqual("icx_sendTransaction.e\u{301}.3.f.1.\u{e9}.2".utf8))
    }

    @Test func `params that are no object are refused with what they are`() {
        let error = ICONSerializationError(path: "", found: .noObject)
        #expect(throws: error) { try ICONSerialization.text(of: .array([])) }
        #expect(error.description == ": params that are no object cannot be signed")
    }
}

/// The vectors under Tests/Fixtures/icon.
enum ICONVectors {
    static func list(_ key: String, in name: String = "icon.json") throws -> [JSON] {
        try Fixture.json("icon/\(name)")[key]?.arrayValue ?? []
    }
}

extension JSON {
    func text(at key: String) -> String { self[key]?.stringValue ?? "" }
}
