package import DaybookChains
import DaybookCrypto
import DaybookEncoding

/// An unsigned Dash or Axe transaction with the data that a signer needs to check it.
///
/// The paths are not trusted: the signer derives their keys and compares.
package struct UnsignedPayment: Sendable {
    /// The transaction; its input scripts are ignored.
    package let transaction: UTXOTransaction
    /// The path of each input's key, in the order of the inputs.
    package let inputPaths: [DerivationPath]
    /// The path of the change address; nil if the transaction has no change.
    package let changePath: DerivationPath?
    /// The whole transactions that made the spent coins, in any order.
    package let previous: [UTXOTransaction]

    package init(
        _ transaction: UTXOTransaction, inputPaths: [DerivationPath],
        changePath: DerivationPath?, previous: [UTXOTransaction]
    ) {
        self.transaction = transaction
        self.inputPaths = inputPaths
        self.changePath = changePath
        self.previous = previous
    }
}

extension Signer {
    /// Signs a payment that matches the shown terms; returns a signature for each input.
    ///
    /// - Throws: `SigningRefusal`, naming the first thing that differs from the terms.
    package func sign(
        _ payment: UnsignedPayment, under terms: PaymentTerms
    ) throws(SigningRefusal) -> [UnsignedTransaction.Signature] {
        guard material.chain == terms.chain, material.network == terms.network,
            let parameters = UTXOParameters.of(terms.chain, terms.network)
        else { throw .wrongNetwork }
        try checkForm(of: payment, paying: terms.payees.count)
        var keys = PathKeys()
        let spent = try spentOutputs(of: payment, &keys)
        try checkCoins(of: payment.transaction, spending: spent, terms)
        try checkOutputs(of: payment, terms, parameters, &keys)
        try checkFee(of: payment.transaction, spending: spent, terms)
        guard let unsigned = UnsignedTransaction(payment.transaction, spending: spent) else {
            throw .malformed
        }
        var signatures: [UnsignedTransaction.Signature] = []
        for (digest, path) in zip(unsigned.digests, payment.inputPaths) {
            let pair = try pair(at: path, &keys)
            guard let signature = pair.key.sign(digest: digest) else { throw .malformed }
            signatures.append(UnsignedTransaction.Signature(signature, by: pair.publicKey))
        }
        return signatures
    }

    /// The keys of one transaction by path; each is derived once, and wiped after signing.
    private typealias PathKeys = [DerivationPath: KeyPair]

    /// A private key and its public key.
    private final class KeyPair {
        let key: PrivateKey
        let publicKey: PublicKey

        init(_ key: consuming PrivateKey, _ publicKey: PublicKey) {
            self.key = key
            self.publicKey = publicKey
        }
    }

    private func pair(
        at path: DerivationPath, _ keys: inout PathKeys
    ) throws(SigningRefusal) -> KeyPair {
        if let known = keys[path] { return known }
        let key = try key(at: path)
        let publicKey = self.keys.publicKey(of: key)
        let pair = KeyPair(key, publicKey)
        keys[path] = pair
        return pair
    }

    /// Checks that the transaction is ordinary and final, and spends each coin once.
    private func checkForm(
        of payment: UnsignedPayment, paying payees: Int
    ) throws(SigningRefusal) {
        let transaction = payment.transaction
        guard (1...2).contains(transaction.version), transaction.type == 0,
            transaction.extraPayload.isEmpty, transaction.lockTime == 0,
            !transaction.inputs.isEmpty, (payees...payees + 1).contains(transaction.outputs.count),
            payment.inputPaths.count == transaction.inputs.count
        else { throw .malformed }
        var seen: Set<Outpoint> = []
        for (index, input) in transaction.inputs.enumerated() {
            guard seen.insert(input.outpoint).inserted else { throw .repeatedInput(index) }
        }
    }

    /// The spent outputs, read from the previous transactions.
    ///
    /// The digests of Dash and Axe do not cover input amounts, so a wrong amount would mean a wrong
    /// fee. A transaction that hashes to the spent id can't have other outputs.
    private func spentOutputs(
        of payment: UnsignedPayment, _ keys: inout PathKeys
    ) throws(SigningRefusal) -> [UTXOTransaction.Output] {
        let previous = Dictionary(
            payment.previous.map { ($0.txid, $0) }, uniquingKeysWith: { first, _ in first })
        var spent: [UTXOTransaction.Output] = []
        for (index, input) in payment.transaction.inputs.enumerated() {
            guard let made = previous[input.outpoint.txid],
                Int(input.outpoint.index) < made.outputs.count
            else { throw .previousMissing(input: index) }
            let output = made.outputs[Int(input.outpoint.index)]
            guard output.script == (try script(at: payment.inputPaths[index], &keys)),
                output.amount <= Duffs.maximum
            else { throw .foreignInput(index) }
            spent.append(output)
        }
        return spent
    }

    /// Checks that the coins that the user named are spent, if there are any, and no others.
    private func checkCoins(
        of transaction: UTXOTransaction, spending spent: [UTXOTransaction.Output],
        _ terms: PaymentTerms
    ) throws(SigningRefusal) {
        guard !terms.coins.isEmpty else { return }
        let named = Dictionary(
            terms.coins.map { ($0.outpoint, $0.amount) }, uniquingKeysWith: { first, _ in first })
        guard named.count == transaction.inputs.count else { throw .otherCoins }
        for (input, output) in zip(transaction.inputs, spent) {
            guard named[input.outpoint] == output.amount else { throw .otherCoins }
        }
    }

    /// Checks that an output pays each payee, and that another one is change to our address.
    private func checkOutputs(
        of payment: UnsignedPayment, _ terms: PaymentTerms, _ parameters: UTXOParameters,
        _ keys: inout PathKeys
    ) throws(SigningRefusal) {
        let outputs = payment.transaction.outputs
        // Payees may be alike: each has an output of its own.
        var rest = Array(outputs.indices)
        for payee in terms.payees {
            guard let address = UTXOAddress(payee.address, chain: terms.chain),
                address.format == parameters.format
            else { throw .wrongNetwork }
            let paid = UTXOTransaction.Output(amount: payee.amount, script: address.scriptPubKey)
            guard let place = rest.firstIndex(where: { outputs[$0] == paid }) else {
                throw .recipientMissing
            }
            rest.remove(at: place)
        }
        // In a payment to the wallet itself, the recipient's address must be its own too.
        for (index, output) in outputs.enumerated() where terms.returns || rest.contains(index) {
            guard let path = payment.changePath, material.isChange(path),
                output.script == (try script(at: path, &keys))
            else { throw .foreignOutput(index) }
            let change = PaymentTerms.FarChange(path: path, amount: output.amount)
            guard material.finds(changeAt: path, spending: payment.inputPaths)
                || change == terms.farChange
            else { throw .farChange(index) }
        }
    }

    private func checkFee(
        of transaction: UTXOTransaction, spending spent: [UTXOTransaction.Output],
        _ terms: PaymentTerms
    ) throws(SigningRefusal) {
        var left: UInt64 = 0
        for output in spent {
            let (sum, isTooMuch) = left.addingReportingOverflow(output.amount)
            guard !isTooMuch else { throw .malformed }
            left = sum
        }
        for output in transaction.outputs {
            guard output.amount <= left else { throw .overspent }
            left -= output.amount
        }
        guard left <= terms.highestFee else {
            throw .feeTooHigh(fee: left, highest: terms.highestFee)
        }
    }

    private func script(
        at path: DerivationPath, _ keys: inout PathKeys
    ) throws(SigningRefusal) -> Bytes {
        Script.p2pkh(Hash160.hash(try pair(at: path, &keys).publicKey.compressed)).bytes
    }
}
