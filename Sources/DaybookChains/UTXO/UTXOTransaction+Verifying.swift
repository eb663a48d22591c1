import DaybookCrypto
package import DaybookEncoding

extension UTXOTransaction {
    /// Why a node would not let an input spend an output; nil if it would.
    ///
    /// Evaluates pay-to-public-key-hash and pay-to-public-key scripts. Only signatures over all
    /// inputs and outputs (SIGHASH_ALL) are supported.
    package func scriptFailure(input index: Int, spending output: Output) -> ScriptFailure? {
        guard let stack = Script.pushes(inputs[index].script) else {
            return ScriptFailure(.unsupported)
        }
        let isShort = Script.pushing(stack) == inputs[index].script
        let failure: ScriptFailure?
        switch Script(output.script) {
        case .p2pkh(let hash):
            guard let key = stack.last else { return ScriptFailure(.stack) }
            guard Hash160.hash(key) == hash else { return ScriptFailure(.equalVerify) }
            guard stack.count >= 2 else { return ScriptFailure(.stack) }
            failure = check(index, output.script, pushed: hash)
                .failure(signature: stack[stack.count - 2], key: key)
                ?? (stack.count > 2 ? ScriptFailure(.cleanStack, isMandatory: false) : nil)
        case .p2pk(let key):
            guard let signature = stack.last else { return ScriptFailure(.stack) }
            failure = check(index, output.script, pushed: key)
                .failure(signature: signature, key: key)
                ?? (stack.count > 1 ? ScriptFailure(.cleanStack, isMandatory: false) : nil)
        case .p2sh, .data, .other:
            return ScriptFailure(.unsupported)
        }
        guard isShort else {
            return ScriptFailure(.pushSize, isMandatory: failure?.isMandatory ?? false)
        }
        return failure
    }

    private func check(_ index: Int, _ scriptCode: Bytes, pushed: Bytes) -> SignatureCheck {
        SignatureCheck(transaction: self, input: index, scriptCode: scriptCode, pushed: pushed)
    }

    /// Whether each input may spend the output at the same index.
    package func verifies(spending outputs: [Output]) -> Bool {
        outputs.count == inputs.count
            && inputs.indices.allSatisfy { index in
                scriptFailure(input: index, spending: outputs[index]) == nil
            }
    }
}

/// Evaluates `OP_CHECKSIG` with the flags of the relay rules.
private struct SignatureCheck {
    let transaction: UTXOTransaction
    let input: Int
    let scriptCode: Bytes
    /// The data in the script code: a key or its hash.
    let pushed: Bytes

    func failure(signature bytes: Bytes, key: Bytes) -> ScriptFailure? {
        // Nodes refuse a signature that occurs in the script it signs.
        if pushed == bytes { return ScriptFailure(.foundInScript) }
        guard let hashType = bytes.last else { return ScriptFailure(.evaluatedFalse) }
        guard let signature = ECDSASignature(der: Bytes(bytes.dropLast())) else {
            return ScriptFailure(.signatureEncoding)
        }
        let digest = transaction.signatureDigest(input: input, scriptCode: scriptCode)
        let publicKey = PublicKey(key)
        let verifies = hashType == UTXOTransaction.signatureHashAll
            && publicKey?.verify(digest: digest, signature: signature, requiringLowS: false)
                ?? false
        guard signature.isLowS else { return ScriptFailure(.highS, isMandatory: !verifies) }
        guard hashType == UTXOTransaction.signatureHashAll else { return ScriptFailure(.hashType) }
        guard publicKey != nil else { return ScriptFailure(.keyEncoding) }
        return verifies ? nil : ScriptFailure(.nullFail)
    }
}

/// Proves from an input's own signature which key owns the coin it spends.
///
/// This works without the transaction that made the coin. It applies the consensus rules, not the
/// relay rules: another wallet with the same key may have signed in a way that is not relayed now.
extension UTXOTransaction {
    /// The longest transaction that blocks may hold since DIP 1, in bytes.
    package static let maximumSize = 100_000

    /// The pay-to-public-key-hash script of the public key in an input; nil if there is none.
    package func shownScript(input index: Int) -> Bytes? {
        shownKey(input: index).flatMap { key in
            PublicKey(key).map { _ in Script.p2pkh(Hash160.hash(key)).bytes }
        }
    }

    /// As `shownScript`, for a transaction with verified signatures: the key is not checked again.
    package func claimedScript(input index: Int) -> Bytes? {
        shownKey(input: index).map { Script.p2pkh(Hash160.hash($0)).bytes }
    }

    private func shownKey(input index: Int) -> Bytes? {
        guard let pushes = Script.pushes(inputs[index].script), pushes.count >= 2 else {
            return nil
        }
        return pushes.last
    }

    /// The script of `shownScript`, if the input has a valid signature of that key.
    ///
    /// Nil also for a transaction above `maximumSize`: each signature hashes the whole transaction,
    /// so checking many of them would take minutes.
    package func provenScript(input index: Int) -> Bytes? {
        guard let script = shownScript(input: index),
            let pushes = Script.pushes(inputs[index].script), let key = pushes.last,
            let hashType = pushes[pushes.count - 2].last,
            let signature = ECDSASignature(der: Bytes(pushes[pushes.count - 2].dropLast())),
            serialized().count <= Self.maximumSize,
            let digest = signatureDigest(input: index, scriptCode: script, hashType: hashType),
            PublicKey(key)?.verify(digest: digest, signature: signature, requiringLowS: false)
                == true
        else { return nil }
        return script
    }

    /// The digest for a hash type: all, none or one of the outputs, and all inputs or only one.
    ///
    /// Nil for an unknown hash type, and for `SIGHASH_SINGLE` without an output at the input's
    /// index: that digest is the same for every transaction, so a signature of it binds nothing.
    func signatureDigest(input index: Int, scriptCode: Bytes, hashType: UInt8) -> Bytes? {
        if hashType == Self.signatureHashAll {
            return signatureDigest(input: index, scriptCode: scriptCode)
        }
        var copy = self
        for other in copy.inputs.indices {
            copy.inputs[other].script = other == index ? scriptCode : []
        }
        let outputs = hashType & 0x7f
        if outputs != Self.signatureHashAll {
            for other in copy.inputs.indices where other != index {
                copy.inputs[other].sequence = 0
            }
        }
        switch outputs {
        case Self.signatureHashAll: break
        case Self.signatureHashNone: copy.outputs = []
        case Self.signatureHashSingle:
            guard copy.outputs.indices.contains(index) else { return nil }
            copy.outputs.removeSubrange((index + 1)...)
            for other in 0..<index { copy.outputs[other] = Output(amount: .max, script: []) }
        default: return nil
        }
        if hashType & Self.signatureHashAnyoneCanPay != 0 { copy.inputs = [copy.inputs[index]] }
        var bytes = copy.serialized()
        bytes.append(littleEndian: UInt32(hashType))
        return SHA256.double(bytes)
    }

    private static let signatureHashNone: UInt8 = 2
    private static let signatureHashSingle: UInt8 = 3
    private static let signatureHashAnyoneCanPay: UInt8 = 0x80
}
