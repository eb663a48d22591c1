import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding

/// Verifies a signed transaction by its own bytes: that it is the prepared one, and signed.
struct SignedCheck {
    let signed: TransactionSigned
    let prepared: TransactionPrepared

    /// Of a transaction of either kind: only those of Dash and Axe spend outputs.
    func check() -> [Finding] {
        prepared.inputs.contains { $0.outpoint != nil } ? checkUTXO() : checkICON()
    }

    /// Dash, Axe: every input's script, run as a node would against the recorded public keys.
    func checkUTXO() -> [Finding] {
        guard let transaction = try? UTXOTransaction.parse(signed.bytes),
            Self.unsigned(transaction).serialized() == prepared.bytes
        else { return [Self.somethingElse] }
        let txid = transaction.txid.displayed
        var findings = txid == signed.txid ? [] : [Self.anotherID]
        let spent = prepared.inputs.map { input in
            let script = Script.p2pkh(Hash160.hash(input.publicKey)).bytes
            return UTXOTransaction.Output(amount: input.amount ?? 0, script: script)
        }
        if !transaction.verifies(spending: spent) { findings.append(Self.wrongSignature) }
        return findings
    }

    /// ICON: the key that the signature recovers to is the sender's.
    func checkICON() -> [Finding] {
        guard let params = try? JSON.parse(signed.bytes),
            let transaction = try? ICONTransaction(params: params),
            Bytes(transaction.params.text().utf8) == prepared.bytes
        else { return [Self.somethingElse] }
        var findings = transaction.hash == signed.txid ? [] : [Self.anotherID]
        let signature = params["signature"]?.stringValue.flatMap { ICONSignature(base64: $0) }
        if signature.map({ transaction.isSigned(by: $0) }) != true {
            findings.append(Self.wrongSignature)
        }
        return findings
    }

    private static func unsigned(_ transaction: UTXOTransaction) -> UTXOTransaction {
        var unsigned = transaction
        for index in unsigned.inputs.indices { unsigned.inputs[index].script = [] }
        return unsigned
    }

    private static let somethingElse = Finding(
        .signedSomethingElse, "the signed transaction is not the prepared one")
    private static let anotherID = Finding(
        .signedSomethingElse, "the transaction has another id than the log says")
    private static let wrongSignature = Finding(.badSignature, "a signature does not verify")
}
