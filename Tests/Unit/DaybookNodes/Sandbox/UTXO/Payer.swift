import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookNodes

/// A payer with one key, who signs any transaction that a test makes.
struct Payer {
    let publicKey: PublicKey
    let script: Bytes
    let address: UTXOAddress
    private let secret: Bytes

    init(_ byte: UInt8, _ parameters: UTXOParameters) {
        secret = Bytes(repeating: byte, count: 32)
        publicKey = PrivateKey(SecretBytes(copying: secret))!.publicKey
        address = UTXOAddress(publicKey, parameters)
        script = address.scriptPubKey
    }

    /// A transaction that spends outputs to this payer's key, with good signatures.
    func pay(
        _ outputs: [UTXOTransaction.Output], from spent: [UTXOOutput],
        change: (inout UTXOTransaction) -> Void = { _ in }
    ) -> UTXOTransaction {
        var transaction = UTXOTransaction(
            inputs: spent.map { UTXOTransaction.Input($0.outpoint) }, outputs: outputs)
        change(&transaction)
        for (index, output) in spent.enumerated() {
            let digest = transaction.signatureDigest(input: index, scriptCode: output.script)
            let key = PrivateKey(SecretBytes(copying: secret))!
            let signature = key.sign(digest: digest)!.der + [1]
            transaction.inputs[index].script = Script.pushing([signature, publicKey.compressed])
        }
        return transaction
    }

    /// A transaction that sends all of some outputs, less a fee, to a script in equal parts.
    func send(
        _ spent: [UTXOOutput], to script: Bytes, parts: UInt64 = 1, fee: UInt64 = 1000
    ) -> UTXOTransaction {
        let amount = (spent.reduce(0) { $0 + $1.amount } - fee) / parts
        let output = UTXOTransaction.Output(amount: amount, script: script)
        return pay(Array(repeating: output, count: Int(parts)), from: spent)
    }
}

extension UTXOSandbox {
    /// The coins of a payer that nothing spends.
    func unspent(_ payer: Payer) -> [UTXOOutput] {
        outputs(of: [payer.script]).filter { $0.spender == nil }
    }

    /// The error that a transaction is refused with, as one text; "accepted" if it is not.
    mutating func answer(_ transaction: UTXOTransaction) -> String {
        switch submit(transaction.serialized()) {
        case .accepted: "accepted"
        case .refused(let refusal): "\(refusal.code) \(refusal.message)"
        case .silence: "silence"
        }
    }
}
