import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

struct UnsignedTransactionTests {
    private let alice = OneByteKey(1)
    private let bob = OneByteKey(2)

    @Test func `a selection becomes a transaction in the order of BIP 69`() throws {
        let unsigned = try prepared()
        let inputs = unsigned.transaction.inputs.map(\.outpoint)
        #expect(inputs == inputs.sorted())
        #expect(unsigned.transaction.outputs.map(\.amount) == [30_626, 120_000])
        #expect(unsigned.transaction.inputs.allSatisfy { $0.script.isEmpty })
        #expect(unsigned.spent.map(\.amount) == [70_000, 81_000])
    }

    @Test func `its digests signed by the keys make a transaction that verifies`() throws {
        let unsigned = try prepared()
        let signed = try unsigned.signed(with: signatures(unsigned))
        #expect(signed.verifies(spending: unsigned.spent))
        let size = signed.serialized().count
        #expect((372...374).contains(size))
        let again = try unsigned.signed(with: signatures(unsigned))
        #expect(again.serialized() == signed.serialized())
        #expect(UnsignedTransaction(signed, spending: unsigned.spent) == unsigned)
    }

    @Test func `a missing, alien or wrong signature is named by its input`() throws {
        let unsigned = try prepared()
        let right = signatures(unsigned)
        #expect(throws: SigningError(.count, input: 1)) {
            try unsigned.signed(with: [right[0]])
        }
        #expect(throws: SigningError(.key, input: 0)) {
            try unsigned.signed(with: [right[1], right[0]])
        }
        let wrong = UnsignedTransaction.Signature(right[0].signature, by: right[1].publicKey)
        let error = #expect(throws: SigningError(.signature, input: 1)) {
            try unsigned.signed(with: [right[0], wrong])
        }
        #expect(error?.description == "the signature does not verify (input 1)")
    }

    @Test func `one spent output is wanted for each input`() throws {
        let unsigned = try prepared()
        #expect(UnsignedTransaction(unsigned.transaction, spending: []) == nil)
    }

    @Test(arguments: [
        (Change.extraPush, ScriptFailure.Reason.cleanStack, false),
        (.longPush, .pushSize, false),
        (.highS, .highS, false),
        (.highSOfAnother, .highS, true),
        (.otherHashType, .hashType, true),
        (.noHashType, .signatureEncoding, true),
        (.noSignature, .stack, true),
        (.emptySignature, .evaluatedFalse, true),
        (.nothing, .stack, true),
        (.otherKey, .equalVerify, true),
        (.opcode, .unsupported, true),
    ])
    func `an input that a node refuses is refused in its words`(
        change: Change, reason: ScriptFailure.Reason, isMandatory: Bool
    ) throws {
        let unsigned = try prepared()
        let signatures = self.signatures(unsigned)
        var signed = try unsigned.signed(with: signatures)
        signed.inputs[0].script = change.script(signatures[0], signatures[1])
        let failure = try #require(signed.scriptFailure(input: 0, spending: unsigned.spent[0]))
        #expect(failure.reason == reason)
        #expect(failure.isMandatory == isMandatory)
    }

    @Test func `an output to a key itself is spent by a signature alone`() throws {
        let output = UTXOTransaction.Output(
            amount: 1000, script: Script.p2pk(alice.publicKey.compressed).bytes)
        var transaction = try prepared().transaction
        transaction.inputs.removeLast()
        let digest = transaction.signatureDigest(input: 0, scriptCode: output.script)
        let der = alice.sign(digest).der + [1]
        transaction.inputs[0].script = Script.pushing([der])
        #expect(transaction.scriptFailure(input: 0, spending: output) == nil)
        transaction.inputs[0].script = Script.pushing([der, alice.publicKey.compressed])
        let failure = transaction.scriptFailure(input: 0, spending: output)
        #expect(failure?.reason == .foundInScript)
    }

    @Test func `an output that no key spends is not understood`() throws {
        let transaction = try prepared().transaction
        for script in [Script.p2sh(Bytes(repeating: 1, count: 20)), .data([0x6a]), .other([])] {
            let output = UTXOTransaction.Output(amount: 1000, script: script.bytes)
            let failure = transaction.scriptFailure(input: 0, spending: output)
            #expect(failure?.reason == .unsupported)
        }
    }

    private func prepared() throws -> UnsignedTransaction {
        let selection = try CoinSelection.select(
            candidates: CoinsByAmount([
                coin(8, 70_000, alice.publicKey), coin(9, 81_000, bob.publicKey),
                coin(7, 60_000, bob.publicKey),
            ]),
            target: 120_000, script: script(alice.publicKey), feeRatePerKilobyte: 1000,
            changeScript: script(bob.publicKey),
            parameters: try #require(UTXOParameters.of(.dash, .sandbox)))
        return UnsignedTransaction(selection)
    }

    private func signatures(
        _ unsigned: UnsignedTransaction
    ) -> [UnsignedTransaction.Signature] {
        let digests = unsigned.digests
        return [
            .init(alice.sign(digests[0]), by: alice.publicKey),
            .init(bob.sign(digests[1]), by: bob.publicKey),
        ]
    }

    private func coin(_ number: UInt8, _ amount: UInt64, _ key: PublicKey) -> Coin {
        Coin(
            outpoint: Outpoint(TransactionID(Bytes(repeating: number, count: 32))!, 0),
            amount: amount, script: script(key), confirmations: 10)
    }

    private func script(_ key: PublicKey) -> Bytes {
        Script.p2pkh(Hash160.hash(key.compressed)).bytes
    }
}

/// A key made of one byte.
private struct OneByteKey {
    let secret: Bytes
    let publicKey: PublicKey

    init(_ byte: UInt8) {
        secret = Bytes(repeating: byte, count: 32)
        publicKey = PrivateKey(SecretBytes(copying: secret))!.publicKey
    }

    func sign(_ digest: Bytes) -> ECDSASignature {
        PrivateKey(SecretBytes(copying: secret))!.sign(digest: digest)!
    }
}

/// A fault of an input's script.
enum Change: CaseIterable, Sendable {
    case extraPush, longPush, highS, highSOfAnother, otherHashType, noHashType, noSignature
    case emptySignature, nothing, otherKey, opcode

    func script(
        _ right: UnsignedTransaction.Signature, _ other: UnsignedTransaction.Signature
    ) -> Bytes {
        let key = right.publicKey.compressed
        let der = right.signature.der
        return switch self {
        case .extraPush: Script.pushing([[7], der + [1], key])
        case .longPush: [0x4c, UInt8(der.count + 1)] + der + [1] + Script.pushing([key])
        case .highS: Script.pushing([high(right.signature).der + [1], key])
        case .highSOfAnother: Script.pushing([high(other.signature).der + [1], key])
        case .otherHashType: Script.pushing([der + [2], key])
        case .noHashType: Script.pushing([der, key])
        case .noSignature: Script.pushing([key])
        case .emptySignature: Script.pushing([[], key])
        case .nothing: []
        case .otherKey: Script.pushing([der + [1], other.publicKey.compressed])
        case .opcode: Script.pushing([der + [1], key]) + [0xac]
        }
    }

    /// The equivalent signature with s in the upper half.
    private func high(_ signature: ECDSASignature) -> ECDSASignature {
        let order = Hex.decode(
            "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141")!
        var borrow = 0
        var s = Bytes(signature.compact[32...])
        for place in (0..<32).reversed() {
            let difference = Int(order[place]) - Int(s[place]) - borrow
            borrow = difference < 0 ? 1 : 0
            s[place] = UInt8(truncatingIfNeeded: difference)
        }
        return ECDSASignature(compact: signature.compact[..<32] + s)!
    }
}
