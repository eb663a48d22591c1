import DaybookChains
import DaybookEncoding
import DaybookNodes

/// The calls of the address index.
extension SimulatedUTXONode {
    func addressAnswer(_ method: String, _ arguments: UTXOParams) throws -> JSON {
        let addresses = try addresses(arguments)
        switch method {
        case "getaddressutxos": return .array(unspent(addresses))
        case "getaddressmempool": return .array(waiting(addresses))
        case "getaddressbalance": return balance(addresses)
        case "getaddresstxids":
            let deltas = addresses.flatMap { self.deltas(of: $0) }
            let bounds = try bounds(arguments)
            var txids: [TransactionID] = []
            for delta in deltas.filter({ bounds?.contains($0.height) ?? true })
                .sorted(by: { $0.height < $1.height }) where !txids.contains(delta.txid)
            {
                txids.append(delta.txid)
            }
            return .array(txids.map { .string($0.hex) })
        default:
            guard arguments[0]?.objectValue != nil else {
                throw NodeRefusal(-1, "JSON value is not an object as expected")
            }
            let bounds = try bounds(arguments)
            return .array(
                addresses.flatMap { address in
                    deltas(of: address).filter { bounds?.contains($0.height) ?? true }
                        .map { $0.json(address) }
                })
        }
    }

    private func addresses(_ arguments: UTXOParams) throws -> [UTXOAddress] {
        let texts: [JSON]
        if let text = arguments[0], text.stringValue != nil {
            texts = [text]
        } else if arguments[0]?.objectValue != nil {
            guard let list = arguments[0]?["addresses"]?.arrayValue else {
                throw NodeRefusal(-5, "Addresses is expected to be an array")
            }
            texts = list
        } else {
            throw NodeRefusal(-5, "Invalid address")
        }
        return try texts.map { text in
            guard let address = text.stringValue.flatMap({ self.address($0) }) else {
                throw NodeRefusal(-5, "Invalid address")
            }
            return address
        }
    }

    /// The heights that are asked for; nil for all, also where one bound is not above zero.
    private func bounds(_ arguments: UTXOParams) throws -> ClosedRange<Int>? {
        guard let start = arguments[0]?["start"]?.intValue,
            let end = arguments[0]?["end"]?.intValue
        else { return nil }
        guard end >= start else {
            throw NodeRefusal(-5, "End value is expected to be greater than start")
        }
        return start > 0 ? Int(start)...Int(end) : nil
    }

    /// Everything that pays or paid to an address, to its bare key too.
    private func outputs(of address: UTXOAddress) -> [UTXOOutput] {
        var scripts = [address.scriptPubKey]
        if address.kind == .p2pkh {
            scripts += (bareKeyScripts[address.hash] ?? []).sorted { $0.count < $1.count }
        }
        return sandbox.outputs(of: scripts)
    }

    private func unspent(_ addresses: [UTXOAddress]) -> [JSON] {
        let unspent = addresses.flatMap { address in
            outputs(of: address).compactMap { output -> (height: Int, json: JSON)? in
                // An output that only the mempool spends is listed all the same.
                guard let height = output.height, output.spender?.height == nil else { return nil }
                return (
                    height,
                    .record([
                        "address": .string(address.text),
                        "txid": .string(output.outpoint.txid.hex),
                        "outputIndex": .int(output.outpoint.index),
                        "script": .string(Hex.encode(output.script)),
                        "satoshis": .int(output.amount), "height": .int(height),
                    ])
                )
            }
        }
        return unspent.sorted { $0.height < $1.height }.map(\.json)
    }

    private func waiting(_ addresses: [UTXOAddress]) -> [JSON] {
        var waiting: [(time: UInt64, json: JSON)] = []
        for address in addresses {
            for output in outputs(of: address) {
                let amount = Int64(output.amount)
                let outpoint = output.outpoint
                if output.height == nil {
                    waiting.append(
                        waits(address, outpoint.txid, index: Int(outpoint.index), amount))
                }
                if let spender = output.spender, spender.height == nil {
                    let index = inputIndex(of: outpoint, in: spender.txid)
                    waiting.append(
                        waits(address, spender.txid, index: index, -amount, spending: outpoint))
                }
            }
        }
        return waiting.sorted { $0.time < $1.time }.map(\.json)
    }

    private func waits(
        _ address: UTXOAddress, _ txid: TransactionID, index: Int, _ amount: Int64,
        spending outpoint: Outpoint? = nil
    ) -> (time: UInt64, json: JSON) {
        let time = seen[txid] ?? 0
        return (
            time,
            .record([
                "address": .string(address.text), "txid": .string(txid.hex),
                "index": .int(index), "satoshis": .int(amount), "timestamp": .int(time),
                "prevtxid": outpoint.map { .string($0.txid.hex) },
                "prevout": outpoint.map { .int($0.index) },
            ])
        )
    }

    private func balance(_ addresses: [UTXOAddress]) -> JSON {
        let deltas = addresses.flatMap { self.deltas(of: $0) }
        let balance = deltas.reduce(0) { $0 + $1.amount }
        let received = deltas.reduce(0) { $0 + max($1.amount, 0) }
        if isAxe { return .record(["balance": .int(balance), "received": .int(received)]) }
        let tip = sandbox.tip.height
        let immature = deltas.reduce(Int64(0)) { sum, delta in
            let isImmature = delta.blockIndex == 0
                && tip - delta.height < RelayPolicy.coinbaseMaturity
            return sum + (isImmature ? delta.amount : 0)
        }
        return .record([
            "balance": .int(balance), "balance_immature": .int(immature),
            "balance_spendable": .int(balance - immature), "received": .int(received),
        ])
    }
}

// MARK: - What blocks changed

extension SimulatedUTXONode {
    /// The amount that a transaction in a block gave to an address or took from it.
    private struct Delta {
        var amount: Int64
        var txid: TransactionID
        /// The number of the output, or of the input that takes.
        var index: Int
        /// The place of the transaction in its block.
        var blockIndex: Int
        var height: Int

        func json(_ address: UTXOAddress) -> JSON {
            .record([
                "satoshis": .int(amount), "txid": .string(txid.hex), "index": .int(index),
                "blockindex": .int(blockIndex), "height": .int(height),
                "address": .string(address.text),
            ])
        }
    }

    /// In the order of the node's index: by height, place in the block, id, number, giving first.
    private func deltas(of address: UTXOAddress) -> [Delta] {
        var deltas: [Delta] = []
        for output in outputs(of: address) {
            guard let height = output.height else { continue }
            let outpoint = output.outpoint
            let amount = Int64(output.amount)
            deltas.append(
                delta(amount, outpoint.txid, index: Int(outpoint.index), height: height))
            if let spender = output.spender, let height = spender.height {
                let index = inputIndex(of: outpoint, in: spender.txid)
                deltas.append(delta(-amount, spender.txid, index: index, height: height))
            }
        }
        return deltas.sorted { left, right in
            if left.height != right.height { return left.height < right.height }
            if left.blockIndex != right.blockIndex { return left.blockIndex < right.blockIndex }
            if left.index != right.index { return left.index < right.index }
            return left.amount > right.amount
        }
    }

    private func delta(
        _ amount: Int64, _ txid: TransactionID, index: Int, height: Int
    ) -> Delta {
        let place = sandbox.transactions(inBlockAt: height).firstIndex(of: txid) ?? 0
        return Delta(amount: amount, txid: txid, index: index, blockIndex: place, height: height)
    }

    /// The number of the input that spends an output.
    func inputIndex(of outpoint: Outpoint, in txid: TransactionID) -> Int {
        let inputs = transaction(txid)?.inputs ?? []
        return inputs.firstIndex { $0.outpoint == outpoint } ?? 0
    }

    func transaction(_ txid: TransactionID) -> UTXOTransaction? {
        sandbox.transaction(txid).flatMap { try? UTXOTransaction.parse($0) }
    }

    /// The fee that a transaction pays the miner.
    func fee(of txid: TransactionID, in sandbox: UTXOSandbox) -> UInt64? {
        guard let bytes = sandbox.transaction(txid),
            let transaction = try? UTXOTransaction.parse(bytes), !transaction.isCoinbase
        else { return nil }
        let spent = transaction.inputs.compactMap { sandbox.output($0.outpoint)?.amount }
        return spent.reduce(0, +) - transaction.outputs.reduce(0) { $0 + $1.amount }
    }
}
