import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Foundation
import Testing

struct DashPSBTTests {
    // MARK: - The worked vectors

    @Test(arguments: DashPSBTVector.all)
    func `every step of a payment parses and serializes to the same bytes`(
        vector: DashPSBTVector
    ) throws {
        for text in [vector.created, vector.updated, vector.finalized].compactMap(\.self)
            + vector.signed
        {
            #expect(try read(text).base64 == text)
        }
    }

    @Test(arguments: DashPSBTVector.single)
    func `a file with previous transactions and origins is the node's own`(
        vector: DashPSBTVector
    ) throws {
        let updated = try read(vector.updated)
        if let created = vector.created {
            #expect(PSBT(updated.transaction).base64 == created)
        }
        #expect(try made(of: updated.transaction, vector).base64 == vector.updated)
    }

    @Test(arguments: DashPSBTVector.single)
    func `signatures in either form make the node's transaction`(
        vector: DashPSBTVector
    ) throws {
        for text in [vector.signed[0], vector.finalized] {
            let psbt = try read(text)
            #expect(Hex.encode(try psbt.signedTransaction().serialized()) == vector.hex)
            #expect(try psbt.signedTransaction().txid.hex == vector.txid)
            #expect(try psbt.finalized().base64 == vector.finalized)
        }
    }

    @Test func `the node finalizes our signatures`() throws {
        // Exchange and answer of the node to a signature of plain RFC 6979, as ours are.
        let exchange = DashExchange.labelled(
            "V1: finalizepsbt of own partial signature (RFC 6979, low-R grinding off)")
        let signed = try signed(DashPSBTVector.all[0])
        #expect(signed.base64 == exchange.asked[0])
        let hex = try #require(exchange.fields["hex"] as? String)
        #expect(Hex.encode(try signed.signedTransaction().serialized()) == hex)
    }

    @Test func `our signatures are an Axe Core's`() throws {
        let exchange = DashExchange.labelled("Axe: signrawtransaction with previous outputs")
        let hex = try #require(exchange.fields["hex"] as? String)
        let signed = try signed(DashPSBTVector.all[1]).signedTransaction()
        #expect(Hex.encode(signed.serialized()) == hex)
    }

    @Test func `a script of several keys is neither signed nor finalized`() throws {
        let vector = try #require(DashPSBTVector.all.last)
        for text in vector.signed + [vector.updated, vector.finalized] {
            let psbt = try read(text)
            #expect(try psbt.fee() == 10_000)
            #expect(throws: PSBTError(.script, .input(0))) { try psbt.finalized() }
        }
    }

    // MARK: - All other exchanges

    @Test func `every PSBT of the recording serializes to the same bytes`() throws {
        var count = 0
        for exchange in DashExchange.all {
            for text in (exchange.isRefused ? [] : exchange.asked) + [exchange.text ?? ""]
            where text.hasPrefix("cHNidP") && !isOfVersion2(exchange) {
                #expect(try read(text).base64 == text, "\(exchange.label)")
                count += 1
            }
        }
        #expect(count > 150)
    }

    @Test(arguments: DashExchange.of("decodepsbt"))
    func `we decode and refuse the same files as the node`(
        exchange: DashExchange
    ) throws {
        // The node takes base 64 alone.
        let isRefused = exchange.isRefused && exchange.label != "decodepsbt: hex"
        if isRefused || isOfVersion2(exchange) {
            #expect(throws: PSBTError.self) { try read(exchange.asked[0]).spentOutputs() }
            return
        }
        let psbt = try read(exchange.asked[0])
        if exchange.isRefused { return }
        let transaction = try #require(exchange.fields["tx"] as? [String: Any])
        #expect(psbt.transaction.txid.hex == transaction["txid"] as? String)
        switch (exchange.fields["fee"] as? NSNumber)?.decimalValue {
        case .some(let fee) where fee < 0:
            #expect(throws: PSBTError(.fee, .whole)) { try psbt.fee() }
        case .some(let fee):
            #expect(Decimal(try psbt.fee()) / 100_000_000 == fee)
        case nil: #expect(throws: PSBTError(.noPrevious, .input(0))) { try psbt.fee() }
        }
        for (name, origins) in [
            ("inputs", psbt.inputs.indices.map { psbt.origins(ofInput: $0) }),
            ("outputs", psbt.outputs.indices.map { psbt.origins(ofOutput: $0) }),
        ] {
            let maps = try #require(exchange.fields[name] as? [[String: Any]])
            let theirs = maps.map { map in
                (map["bip32_derivs"] as? [[String: String]] ?? []).map { derivation in
                    [derivation["pubkey"], derivation["master_fingerprint"], derivation["path"]]
                }
            }
            let ours = origins.map { origins in
                origins.map { key, origin -> [String?] in
                    let fingerprint = Hex.encode(BigEndian.fourBytes(origin.masterFingerprint))
                    return [Hex.encode(key), fingerprint, origin.path.text]
                }
            }
            #expect(theirs == ours)
        }
    }

    @Test(arguments: DashExchange.of("finalizepsbt"))
    func `we finalize the same PSBTs as the node, but none that binds less than all`(
        exchange: DashExchange
    ) throws {
        let text = exchange.asked[0]
        let isOther = exchange.label.contains("SINGLE") || exchange.label.hasPrefix("V4")
        guard exchange.isComplete, !isOther else {
            #expect(throws: PSBTError.self) { try read(text).signedTransaction() }
            return
        }
        let psbt = try read(text)
        if let hex = exchange.fields["hex"] as? String {
            #expect(Hex.encode(try psbt.signedTransaction().serialized()) == hex)
        } else {
            #expect(try psbt.finalized().base64 == exchange.text)
        }
    }

    @Test(arguments: DashExchange.of("walletprocesspsbt"))
    func `we take the node's signatures if they bind all`(exchange: DashExchange) throws {
        guard exchange.isComplete, !isOfVersion2(exchange) else { return }
        let text = try #require(exchange.text)
        let psbt = try read(text)
        let script = try #require(psbt.inputs[0][PSBTField.finalScript])
        let signature = try #require(Script.pushes(script)?.first)
        if exchange.label.hasPrefix("V4") {
            #expect(throws: PSBTError(.script, .input(0))) { try psbt.finalized() }
        } else if signature.last == UTXOTransaction.signatureHashAll {
            #expect(try psbt.finalized() == psbt)
        } else {
            #expect(throws: PSBTError(.hashType, .input(0))) { try psbt.finalized() }
        }
    }

    @Test(arguments: DashExchange.of("converttopsbt"))
    func `a transaction becomes the PSBT that the node makes`(exchange: DashExchange) throws {
        guard let text = exchange.text else { return }
        let bytes = try #require(Hex.decode(exchange.asked[0]))
        #expect(PSBT(try UTXOTransaction.parse(bytes)).base64 == text)
    }

    @Test(arguments: DashExchange.of("createpsbt"))
    func `a created PSBT says nothing but the transaction`(exchange: DashExchange) throws {
        guard let text = exchange.text else { return }
        #expect(PSBT(try read(text).transaction).base64 == text)
    }

    // MARK: -

    /// The node keeps a field fb as unknown; to us it says that the format is another one.
    private func isOfVersion2(_ exchange: DashExchange) -> Bool {
        exchange.label.contains("PSBT version field fb = 2")
    }

    private func read(_ text: String) throws -> PSBT { try PSBT(file: Bytes(text.utf8)) }

    /// The unsigned transaction of a vector with all that a signer needs.
    private func made(
        of transaction: UTXOTransaction, _ vector: DashPSBTVector
    ) throws -> PSBT {
        var psbt = PSBT(transaction)
        for (index, input) in transaction.inputs.enumerated() {
            let previous = try #require(
                vector.previous.first { TransactionID(hashing: $0) == input.outpoint.txid })
            psbt.add(previous: previous, ofInput: index)
            psbt.add(
                origin(vector.keys[index].path), of: vector.keys[index].publicKey,
                ofInput: index)
        }
        for (index, output) in transaction.outputs.enumerated() {
            for step in UInt32(0)..<10 {
                let key = try #require(DashPSBTVector.account.descendant(1, step)?.publicKey)
                guard Script(output.script) == .p2pkh(Hash160.hash(key.compressed)) else {
                    continue
                }
                let path = try #require(DerivationPath("m/44'/1'/0'/1/\(step)"))
                psbt.add(origin(path), of: key, ofOutput: index)
            }
        }
        return psbt
    }

    private func signed(_ vector: DashPSBTVector) throws -> PSBT {
        var psbt = try read(vector.updated)
        for (index, digest) in try psbt.unsigned().digests.enumerated() {
            let signature = vector.keys[index].secret.sign(digest: digest)
            let key = vector.keys[index].publicKey
            psbt.add(.init(try #require(signature), by: key), ofInput: index)
        }
        return psbt
    }

    private func origin(_ path: DerivationPath) -> KeyOrigin {
        KeyOrigin(masterFingerprint: DashPSBTVector.masterFingerprint, path: path)
    }
}
