package import DaybookChains
import DaybookCrypto
package import DaybookEncoding
import DaybookSystem

/// Somebody with one key that nobody had before.
package struct NewPayer: Sendable {
    let publicKey: PublicKey
    package let address: UTXOAddress
    private let secret: Bytes

    package init(_ parameters: UTXOParameters) throws {
        secret = try Entropy.bytes(32)
        publicKey = try Self.key(secret).publicKey
        address = UTXOAddress(publicKey, parameters)
    }

    package var script: Bytes { address.scriptPubKey }

    /// A coin of this payer.
    package struct Funds: Sendable {
        package let outpoint: Outpoint
        package let amount: UInt64

        package init(outpoint: Outpoint, amount: UInt64) {
            self.outpoint = outpoint
            self.amount = amount
        }
    }

    /// Has this payer paid an amount by a transaction that waits for a block.
    package func funded(_ amount: UInt64, by driver: some UTXODriver) async throws -> Funds {
        let txid = try await driver.pay([.init(amount: amount, script: script)])
        return Funds(outpoint: Outpoint(txid, 0), amount: amount)
    }

    /// A transaction that spends coins of this payer, signed; no block up to a height takes it.
    package func spend(
        _ funds: [Funds], on outputs: [UTXOTransaction.Output], notBefore height: UInt32 = 0
    ) throws -> UTXOTransaction {
        // The lock time is heeded where an input is not final.
        let sequence = height == 0 ? UInt32.max : UInt32.max - 1
        let transaction = UTXOTransaction(
            inputs: funds.map { UTXOTransaction.Input($0.outpoint, sequence: sequence) },
            outputs: outputs, lockTime: height)
        let spent = funds.map { UTXOTransaction.Output(amount: $0.amount, script: script) }
        let unsigned = try require(
            UnsignedTransaction(transaction, spending: spent), "no transaction was made")
        let key = try Self.key(secret)
        var signatures: [UnsignedTransaction.Signature] = []
        for digest in unsigned.digests {
            let signature = try require(key.sign(digest: digest), "nothing was signed")
            signatures.append(.init(signature, by: publicKey))
        }
        return try unsigned.signed(with: signatures)
    }

    /// A transaction that sends all of a coin, less a fee, to a script.
    package func send(
        _ funds: Funds, to script: Bytes, fee: UInt64 = 1000
    ) throws -> UTXOTransaction {
        try spend([funds], on: [.init(amount: funds.amount - fee, script: script)])
    }

    private static func key(_ secret: Bytes) throws(Broken) -> PrivateKey {
        guard let key = PrivateKey(SecretBytes(copying: secret)) else {
            throw Broken(description: "no key was made")
        }
        return key
    }
}
