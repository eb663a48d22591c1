import DaybookChains
import DaybookEncoding

extension Harness {
    /// Transactions of Dash and Axe, their scripts and signatures.
    static let transactions = Harness("transactions", longest: 1024) { bytes in
        let script = Script(bytes)
        try law("a script is its bytes", script.bytes == bytes)
        if let pushes = Script.pushes(bytes) {
            try law("what is pushed can be pushed", Script.pushes(Script.pushing(pushes)) == pushes)
        }
        guard let transaction = try? UTXOTransaction.parse(bytes) else { return }
        try law("a transaction has one spelling", transaction.serialized() == bytes)
        try law("nothing follows a transaction", (try? UTXOTransaction.parse(bytes + [0])) == nil)
        let parent = transaction.outputs.first ?? UTXOTransaction.Output(amount: 1, script: bytes)
        let hash = Script.p2pkh(Bytes(repeating: 1, count: 20))
        for output in [parent, UTXOTransaction.Output(amount: 5, script: hash.bytes)] {
            let spent = transaction.inputs.map { _ in output }
            for index in transaction.inputs.indices.prefix(3) {
                _ = transaction.scriptFailure(input: index, spending: output)
                _ = transaction.signatureDigest(input: index, scriptCode: output.script)
            }
            _ = transaction.verifies(spending: spent)
            _ = UnsignedTransaction(transaction, spending: spent)
        }
    }

    /// Partially signed transactions, and what they say.
    static let psbt = Harness("psbt", longest: 4096, words: ["psbt", "cHNidP8B"]) { bytes in
        guard let psbt = try? PSBT(file: bytes) else { return }
        let serialized = psbt.serialized()
        try law("a PSBT has one spelling", try PSBT(parsing: serialized) == psbt)
        try law("its text is the same", try PSBT(file: Bytes(psbt.base64.utf8)) == psbt)
        try law("nothing follows a PSBT", (try? PSBT(parsing: serialized + [0])) == nil)
        for index in psbt.inputs.indices { _ = psbt.origins(ofInput: index) }
        for index in psbt.outputs.indices { _ = psbt.origins(ofOutput: index) }
        _ = try? psbt.fee()
        guard let signed = try? psbt.signedTransaction() else { return }
        let final = try psbt.finalized()
        try law("what is final stays so", try final.finalized() == final)
        try law("and is the same transaction", try final.signedTransaction() == signed)
    }

    /// ICON's transactions, receipts and step costs, which are JSON.
    static let iconTransactions = Harness(
        "icon-transactions", longest: 1024,
        words: [
            "\"version\":\"0x3\"", "\"from\":\"hx", "\"to\":\"cx", "\"value\":\"0x",
            "\"stepLimit\":", "\"timestamp\":", "\"nid\":", "\"nonce\":", "\"dataType\":",
            "\"data\":", "\"call\"", "\"deploy\"", "\"message\"", "\"deposit\"", "\"method\":",
            "\"params\":{", "\"contentType\":\"application/zip\"", "\"content\":\"0x",
            "\"signature\":", "\"eventLogs\":[", "\"stepUsed\":", "\"status\":\"0x1\"",
            "\"failure\":{\"code\":",
        ]
    ) { bytes in
        guard let json = try? JSON.parse(bytes) else { return }
        _ = ICONReceipt(json)?.fee
        _ = ICONSteps(json)?.least(dataSize: 100)
        if let event = ICONEventLog(json) { _ = IRC2.Transfer(event) }
        guard let transaction = try? ICONTransaction(params: json) else { return }
        let again = try ICONTransaction(params: transaction.params)
        try law("a transaction is read again as it was", again == transaction)
        let text = try ICONSerialization.text(of: transaction.params)
        try law("what is signed is one text", Text.equal(text, transaction.serialized))
        let reversed = JSON.object((transaction.params.objectValue ?? []).reversed())
        let other = try ICONTransaction(params: reversed)
        try law("the order of members does not matter", other.hash == transaction.hash)
    }
}
