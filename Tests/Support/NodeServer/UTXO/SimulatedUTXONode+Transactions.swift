import DaybookChains
import DaybookEncoding
import DaybookNodes

/// The calls about one transaction.
extension SimulatedUTXONode {
    func rawTransaction(_ arguments: UTXOParams, _ settings: NodeServer.Settings) throws -> JSON {
        let hash = try arguments.hash(0, "parameter 1")
        guard let txid = TransactionID(hex: hash), let transaction = transaction(txid) else {
            throw unknownTransaction(settings)
        }
        let status = sandbox.status(of: txid)
        if case .inBlock = status, !settings.hasTransactionIndex {
            throw unknownTransaction(settings)
        }
        let bytes = transaction.serialized()
        guard arguments.flag(1) else { return .string(Hex.encode(bytes)) }
        var members = described(transaction, txid)
        members.append(.init(name: "hex", value: .string(Hex.encode(bytes))))
        members += place(of: status, settings)
        return .object(members)
    }

    private func unknownTransaction(_ settings: NodeServer.Settings) -> NodeRefusal {
        settings.hasTransactionIndex
            ? NodeRefusal(
                -5, "No such mempool or blockchain transaction. "
                    + "Use gettransaction for wallet transactions.")
            : NodeRefusal(
                -5, "No such mempool transaction. Use -txindex or provide a block hash to enable "
                    + "blockchain transaction queries. "
                    + "Use gettransaction for wallet transactions.")
    }

    private func described(
        _ transaction: UTXOTransaction, _ txid: TransactionID
    ) -> [JSON.Member] {
        let size = transaction.serialized().count
        let described = JSON.record([
            "txid": .string(txid.hex), "version": .int(transaction.version),
            "type": .int(transaction.type), "size": .int(size),
            "locktime": .int(transaction.lockTime),
            "vin": .array(
                transaction.inputs.map { input(of: transaction, $0) }),
            "vout": .array(
                transaction.outputs.indices.map { index in
                    output(transaction.outputs[index], Outpoint(txid, UInt32(index)))
                }),
        ])
        return described.objectValue ?? []
    }

    private func input(
        of transaction: UTXOTransaction, _ input: UTXOTransaction.Input
    ) -> JSON {
        if transaction.isCoinbase {
            return .record([
                "coinbase": .string(Hex.encode(input.script)), "sequence": .int(input.sequence),
            ])
        }
        let spent = sandbox.output(input.outpoint)
        return .record([
            "txid": .string(input.outpoint.txid.hex), "vout": .int(input.outpoint.index),
            "scriptSig": .record([
                "asm": .string(ScriptText.input(input.script)),
                "hex": .string(Hex.encode(input.script)),
            ]),
            "value": spent.map { .coins($0.amount) }, "valueSat": spent.map { .int($0.amount) },
            "address": spent.flatMap { UTXOAddress(Script($0.script), parameters) }
                .map { .string($0.text) },
            "sequence": .int(input.sequence),
        ])
    }

    private func output(_ output: UTXOTransaction.Output, _ outpoint: Outpoint) -> JSON {
        let spender = sandbox.output(outpoint)?.spender
        return .record([
            "value": .coins(output.amount), "valueSat": .int(output.amount),
            "n": .int(outpoint.index), "scriptPubKey": described(output.script),
            "spentTxId": spender.map { .string($0.txid.hex) },
            "spentIndex": spender.map { .int(inputIndex(of: outpoint, in: $0.txid)) },
            "spentHeight": spender.map { .int($0.height ?? -1) },
        ])
    }

    /// A script, in the words of Dash or the older ones of Axe.
    func described(_ script: Bytes) -> JSON {
        let parsed = Script(script)
        let address = UTXOAddress(parsed, parameters)
        let asm = JSON.string(ScriptText.output(script))
        let hex = JSON.string(Hex.encode(script))
        let type = JSON.string(ScriptText.type(of: parsed))
        guard isAxe else {
            return .record([
                "asm": asm, "hex": hex, "address": address.map { .string($0.text) }, "type": type,
            ])
        }
        return .record([
            "asm": asm, "hex": hex, "reqSigs": address.map { _ in .int(1) }, "type": type,
            "addresses": address.map { .array([.string($0.text)]) },
        ])
    }

    /// Where a transaction is and what has locked it.
    private func place(
        of status: UTXOStatus, _ settings: NodeServer.Settings
    ) -> [JSON.Member] {
        var place = JSON.null
        var isLocked = false
        var isChainLocked = false
        switch status {
        case .unknown: break
        case .inMempool(let locked): isLocked = locked
        case .inBlock(let height, let locked):
            isLocked = locked
            isChainLocked = settings.chainLockedHeight.map { height <= $0 } ?? false
            let seconds = JSON.int(sandbox.blockTime(at: height) / 1_000_000)
            place = .record([
                "blockhash": blockHash(at: height, settings).map { .string($0) },
                "height": .int(height),
                "confirmations": .int(sandbox.tip.height - height + 1), "time": seconds,
                "blocktime": seconds,
            ])
        }
        let locks = JSON.record([
            "instantlock": .bool(isLocked || isChainLocked),
            "instantlock_internal": .bool(isLocked), "chainlock": .bool(isChainLocked),
        ])
        return (place.objectValue ?? []) + (locks.objectValue ?? [])
    }

    /// `gettxout`: an output that nothing spends, or null.
    func output(_ arguments: UTXOParams, _ settings: NodeServer.Settings) throws -> JSON {
        let hash = try arguments.hash(0, "txid")
        let includesMempool = arguments.flag(2, otherwise: true)
        let index = try arguments.int(1)
        guard let txid = TransactionID(hex: hash), let index = UInt32(exactly: index),
            let output = sandbox.output(Outpoint(txid, index)),
            output.height != nil || includesMempool
        else { return .null }
        if let spender = output.spender, spender.height != nil || includesMempool { return .null }
        let tip = sandbox.tip.height
        return .record([
            "bestblock": blockHash(at: tip, settings).map { .string($0) },
            "confirmations": .int(output.height.map { tip - $0 + 1 } ?? 0),
            "value": .coins(output.amount), "scriptPubKey": described(output.script),
            "coinbase": .bool(output.isCoinbase),
        ])
    }
}

/// Scripts as the nodes write them for people.
private enum ScriptText {
    static func output(_ script: Bytes) -> String {
        switch Script(script) {
        case .p2pkh(let hash):
            "OP_DUP OP_HASH160 \(Hex.encode(hash)) OP_EQUALVERIFY OP_CHECKSIG"
        case .p2sh(let hash): "OP_HASH160 \(Hex.encode(hash)) OP_EQUAL"
        case .p2pk(let key): "\(Hex.encode(key)) OP_CHECKSIG"
        case .data(let bytes):
            (["OP_RETURN"] + (Script.pushes(bytes.dropFirst()) ?? []).map { Hex.encode($0) })
                .joined(separator: " ")
        case .other(let bytes): Hex.encode(bytes)
        }
    }

    static func input(_ script: Bytes) -> String {
        (Script.pushes(script) ?? []).map { push in
            // A signature's last byte says what it is over.
            guard push.first == 0x30, push.last == UTXOTransaction.signatureHashAll else {
                return Hex.encode(push)
            }
            return Hex.encode(push.dropLast()) + "[ALL]"
        }.joined(separator: " ")
    }

    static func type(of script: Script) -> String {
        switch script {
        case .p2pkh: "pubkeyhash"
        case .p2sh: "scripthash"
        case .p2pk: "pubkey"
        case .data: "nulldata"
        case .other: "nonstandard"
        }
    }
}
