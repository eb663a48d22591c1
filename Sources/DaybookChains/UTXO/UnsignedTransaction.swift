package import DaybookCrypto
package import DaybookEncoding

/// A transaction that lacks its signatures, and the outputs that it spends.
package struct UnsignedTransaction: Hashable, Sendable {
    /// The transaction, its inputs' scripts empty.
    package let transaction: UTXOTransaction
    /// What each input spends, in the inputs' order.
    package let spent: [UTXOTransaction.Output]

    /// The signature of an input, and the key that made it.
    package struct Signature: Hashable, Sendable {
        /// The signature of the input's digest.
        package let signature: ECDSASignature
        /// The key that made it.
        package let publicKey: PublicKey

        /// A signature of the digest at an input's place.
        package init(_ signature: ECDSASignature, by publicKey: PublicKey) {
            self.signature = signature
            self.publicKey = publicKey
        }
    }

    /// The transaction that spends the selected coins, inputs and outputs in the order of BIP 69.
    package init(_ selection: CoinSelection) {
        let outputs = [selection.payment] + (selection.change.map { [$0] } ?? [])
        transaction = UTXOTransaction(
            inputs: selection.inputs.map { UTXOTransaction.Input($0.outpoint) },
            outputs: outputs.sorted { left, right in
                left.amount == right.amount
                    ? left.script.lexicographicallyPrecedes(right.script)
                    : left.amount < right.amount
            })
        spent = selection.inputs.map { coin in
            UTXOTransaction.Output(amount: coin.amount, script: coin.script)
        }
    }

    /// A transaction and what it spends; nil if there is not one spent output for each input.
    package init?(_ transaction: UTXOTransaction, spending spent: [UTXOTransaction.Output]) {
        guard transaction.inputs.count == spent.count else { return nil }
        var unsigned = transaction
        for index in unsigned.inputs.indices { unsigned.inputs[index].script = [] }
        self.transaction = unsigned
        self.spent = spent
    }

    /// What to sign, for each input.
    package var digests: [Bytes] {
        transaction.inputs.indices.map { index in
            transaction.signatureDigest(input: index, scriptCode: spent[index].script)
        }
    }

    /// The final transaction; every signature is verified as a node would.
    package func signed(with signatures: [Signature]) throws(SigningError) -> UTXOTransaction {
        guard signatures.count == spent.count else {
            throw SigningError(.count, input: min(signatures.count, spent.count))
        }
        var signed = transaction
        for (index, signature) in signatures.enumerated() {
            guard case .p2pkh(let hash) = Script(spent[index].script) else {
                throw SigningError(.script, input: index)
            }
            let key = signature.publicKey.compressed
            guard Hash160.hash(key) == hash else { throw SigningError(.key, input: index) }
            let der = signature.signature.der + [UTXOTransaction.signatureHashAll]
            signed.inputs[index].script = Script.pushing([der, key])
        }
        for index in signed.inputs.indices
        where signed.scriptFailure(input: index, spending: spent[index]) != nil {
            throw SigningError(.signature, input: index)
        }
        return signed
    }
}

/// Why signatures do not complete a transaction, and at which input.
package struct SigningError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    package enum Reason: String, Hashable, Sendable {
        case count = "there is not one signature for each input"
        case script = "the spent output does not pay to a key's hash"
        case key = "the spent output pays to another key"
        case signature = "the signature does not verify"
    }

    /// What is wrong.
    package let reason: Reason
    /// Where, from 0.
    package let input: Int

    /// An error at an input.
    package init(_ reason: Reason, input: Int) {
        self.reason = reason
        self.input = input
    }

    /// The reason in words, and the place.
    package var description: String { "\(reason.rawValue) (input \(input))" }
}
