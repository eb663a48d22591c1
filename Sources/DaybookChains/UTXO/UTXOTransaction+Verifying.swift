import DaybookCrypto
import DaybookEncoding

extension UTXOTransaction {
    /// Why a node would not let an input spend an output; nil if it would.
    ///
    /// Runs what standard scripts do with a key and a signature: pay-to-public-key-hash and
    /// pay-to-public-key. Only signatures that bind everything (SIGHASH_ALL) are understood.
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

    /// Whether each input may spend the output at its place.
    package func verifies(spending outputs: [Output]) -> Bool {
        outputs.count == inputs.count
            && inputs.indices.allSatisfy { index in
                scriptFailure(input: index, spending: outputs[index]) == nil
            }
    }
}

/// What `OP_CHECKSIG` does, with the flags that nodes relay by.
private struct SignatureCheck {
    let transaction: UTXOTransaction
    let input: Int
    let scriptCode: Bytes
    /// The data in the script code: a key or its hash.
    let pushed: Bytes

    func failure(signature bytes: Bytes, key: Bytes) -> ScriptFailure? {
        // A signature can't be part of what it signs; nodes forbid what they once cut out.
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
