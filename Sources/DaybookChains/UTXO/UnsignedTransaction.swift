package import DaybookCrypto
package import DaybookEncoding

/// A transaction without signatures, with the outputs that it spends.
package struct UnsignedTransaction: Hashable, Sendable {
    /// The transaction, whose inputs have empty scripts.
    package let transaction: UTXOTransaction
    /// The spent outputs, in the order of the inputs.
    package let spent: [UTXOTransaction.Output]
    /// The digest to sign for each input.
    package let digests: [Bytes]

    /// The signature of an input's digest, with the public key that verifies it.
    package struct Signature: Hashable, Sendable {
        package let signature: ECDSASignature
        package let publicKey: PublicKey

        package init(_ signature: ECDSASignature, by publicKey: PublicKey) {
            self.signature = signature
            self.publicKey = publicKey
        }
    }

    /// The transaction that spends the selected coins, inputs and outputs in the order of BIP 69.
    package init(_ selection: CoinSelection) {
        let outputs = [selection.payment] + (selection.change.map { [$0] } ?? [])
        let transaction = UTXOTransaction(
            inputs: selection.inputs.map { UTXOTransaction.Input($0.outpoint) },
            outputs: outputs.sorted { left, right in
                left.amount == right.amount
                    ? left.script.lexicographicallyPrecedes(right.script)
                    : left.amount < right.amount
            })
        self.init(
            unsigned: transaction,
            spending: selection.inputs.map { coin in
                UTXOTransaction.Output(amount: coin.amount, script: coin.script)
            })
    }

    /// A transaction and its spent outputs; nil if there is not one output for each input.
    package init?(_ transaction: UTXOTransaction, spending spent: [UTXOTransaction.Output]) {
        guard transaction.inputs.count == spent.count else { return nil }
        var unsigned = transaction
        for index in unsigned.inputs.indices { unsigned.inputs[index].script = [] }
        self.init(unsigned: unsigned, spending: spent)
    }

    private init(unsigned transaction: UTXOTransaction, spending spent: [UTXOTransaction.Output]) {
        (self.transaction, self.spent) = (transaction, spent)
        digests = spent.enumerated().map { index, output in
            transaction.signatureDigest(input: index, scriptCode: output.script)
        }
    }

    /// The signed transaction; every signature is verified, as strictly as a node does it.
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
            guard signature.publicKey.verify(
                digest: digests[index], signature: signature.signature)
            else { throw SigningError(.signature, input: index) }
            let der = signature.signature.der + [UTXOTransaction.signatureHashAll]
            signed.inputs[index].script = Script.pushing([der, key])
        }
        return signed
    }
}

/// Why signatures do not complete a transaction, and the input with the error.
package struct SigningError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    package enum Reason: String, Hashable, Sendable {
        case count = "there is not one signature for each input"
        case script = "the spent output does not pay to a key's hash"
        case key = "the spent output pays to another key"
        case signature = "the signature does not verify"
    }

    package let reason: Reason
    /// The index of the input.
    package let input: Int

    package init(_ reason: Reason, input: Int) {
        self.reason = reason
        self.input = input
    }

    /// The reason in words, and the input.
    package var description: String { "\(reason.rawValue) (input \(input))" }
}
