package import DaybookCrypto
package import DaybookEncoding

extension PSBT {
    // MARK: - Reading

    /// The spent outputs, from the previous transactions in the PSBT.
    ///
    /// Each previous transaction hashes to the id in its input, so amounts and scripts are
    /// authentic, whoever wrote the PSBT.
    package func spentOutputs() throws(PSBTError) -> [UTXOTransaction.Output] {
        var outputs: [UTXOTransaction.Output] = []
        for (index, input) in transaction.inputs.enumerated() {
            guard let bytes = inputs[index][PSBTField.previousTransaction] else {
                throw PSBTError(.noPrevious, input: index)
            }
            let previous: UTXOTransaction?
            do {
                previous = try UTXOTransaction.parse(bytes, ifIDIs: input.outpoint.txid)
            } catch {
                throw PSBTError(.previous, input: index)
            }
            guard let previous else { throw PSBTError(.otherPrevious, input: index) }
            guard previous.outputs.indices.contains(Int(input.outpoint.index)) else {
                throw PSBTError(.previous, input: index)
            }
            outputs.append(previous.outputs[Int(input.outpoint.index)])
        }
        return outputs
    }

    /// The transaction's fee, in duffs.
    package func fee() throws(PSBTError) -> UInt64 {
        guard let spent = Duffs.sum(try spentOutputs().map(\.amount)),
            let paid = Duffs.sum(transaction.outputs.map(\.amount)), paid <= spent
        else { throw PSBTError(.fee, .whole) }
        return spent - paid
    }

    /// The unsigned transaction with its spent outputs.
    ///
    /// Throws if an input asks for another hash type than SIGHASH_ALL.
    package func unsigned() throws(PSBTError) -> UnsignedTransaction {
        let spent = try spentOutputs()
        let all: Bytes = [UTXOTransaction.signatureHashAll, 0, 0, 0]
        for (index, input) in inputs.enumerated()
        where input[PSBTField.signatureHashType] ?? all != all {
            throw PSBTError(.hashType, input: index)
        }
        guard let unsigned = UnsignedTransaction(transaction, spending: spent) else {
            throw PSBTError(.noPrevious, input: 0)
        }
        return unsigned
    }

    /// The origins of the keys that can sign an input.
    package func origins(ofInput index: Int) -> [(publicKey: Bytes, origin: KeyOrigin)] {
        Self.origins(inputs[index], PSBTField.inputOrigin)
    }

    /// The origins of the keys that an output pays to.
    package func origins(ofOutput index: Int) -> [(publicKey: Bytes, origin: KeyOrigin)] {
        Self.origins(outputs[index], PSBTField.outputOrigin)
    }

    private static func origins(
        _ map: PSBTMap, _ type: UInt8
    ) -> [(publicKey: Bytes, origin: KeyOrigin)] {
        map.all(type).compactMap { data, value in KeyOrigin(value).map { (data, $0) } }
    }

    // MARK: - Adding fields

    /// Adds the whole transaction whose output an input spends.
    package mutating func add(previous bytes: Bytes, ofInput index: Int) {
        inputs[index].set(PSBTField.previousTransaction, to: bytes)
    }

    /// Adds the origin of the key that can sign an input.
    package mutating func add(_ origin: KeyOrigin, of key: PublicKey, ofInput index: Int) {
        inputs[index].set(PSBTField.inputOrigin, data: key.compressed, to: origin.value)
    }

    /// Adds the origin of the key that an output pays to, which identifies change.
    package mutating func add(_ origin: KeyOrigin, of key: PublicKey, ofOutput index: Int) {
        outputs[index].set(PSBTField.outputOrigin, data: key.compressed, to: origin.value)
    }

    /// Adds the signature of an input.
    package mutating func add(_ signature: UnsignedTransaction.Signature, ofInput index: Int) {
        let der = signature.signature.der + [UTXOTransaction.signatureHashAll]
        inputs[index].set(
            PSBTField.partialSignature, data: signature.publicKey.compressed, to: der)
        fix()
    }

    // MARK: - Finalizing

    /// The signature of each input, partial or final, verified as a node would do it.
    ///
    /// Throws for inputs other than pay-to-public-key-hash, and for signatures with another hash
    /// type than SIGHASH_ALL, which a node would accept.
    package func signatures() throws(PSBTError) -> [UnsignedTransaction.Signature] {
        let signatures = try unverifiedSignatures()
        _ = try signed(with: signatures)
        return signatures
    }

    /// The signed transaction, all inputs of which are valid.
    package func signedTransaction() throws(PSBTError) -> UTXOTransaction {
        try signed(with: try unverifiedSignatures())
    }

    /// The PSBT with final scripts instead of partial signatures, as `finalizepsbt` returns it.
    package func finalized() throws(PSBTError) -> PSBT {
        let signed = try signedTransaction()
        var copy = self
        for index in copy.inputs.indices {
            copy.inputs[index].remove(
                PSBTField.partialSignature, PSBTField.signatureHashType, PSBTField.redeemScript,
                PSBTField.witnessScript, PSBTField.inputOrigin)
            copy.inputs[index].set(PSBTField.finalScript, to: signed.inputs[index].script)
        }
        return copy
    }

    private func signed(
        with signatures: [UnsignedTransaction.Signature]
    ) throws(PSBTError) -> UTXOTransaction {
        let unsigned = try unsigned()
        do throws(SigningError) {
            return try unsigned.signed(with: signatures)
        } catch {
            throw PSBTError(.signature, input: error.input)
        }
    }

    private func unverifiedSignatures() throws(PSBTError) -> [UnsignedTransaction.Signature] {
        var signatures: [UnsignedTransaction.Signature] = []
        for (index, output) in try spentOutputs().enumerated() {
            guard case .p2pkh(let hash) = Script(output.script) else {
                throw PSBTError(.script, input: index)
            }
            guard let (bytes, keyBytes) = pair(ofInput: index, keyHash: hash) else {
                throw PSBTError(.noSignature, input: index)
            }
            guard bytes.last == UTXOTransaction.signatureHashAll else {
                throw PSBTError(.hashType, input: index)
            }
            // Only compressed keys: wallets that were made from a mnemonic have no others.
            guard let signature = ECDSASignature(der: bytes.dropLast()),
                let key = PublicKey(keyBytes), key.compressed == keyBytes
            else { throw PSBTError(.signature, input: index) }
            signatures.append(.init(signature, by: key))
        }
        return signatures
    }

    /// The signature and key of an input, from its final script or from its partial signatures.
    private func pair(ofInput index: Int, keyHash: Bytes) -> (signature: Bytes, key: Bytes)? {
        if let script = inputs[index][PSBTField.finalScript] {
            guard let pushes = Script.pushes(script), pushes.count == 2,
                Script.pushing(pushes) == script
            else { return nil }
            return (pushes[0], pushes[1])
        }
        return inputs[index].all(PSBTField.partialSignature)
            .first { Hash160.hash($0.data) == keyHash }
            .map { (signature: $0.value, key: $0.data) }
    }
}
