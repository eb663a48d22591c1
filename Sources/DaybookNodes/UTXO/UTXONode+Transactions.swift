package import DaybookChains
package import DaybookEncoding

extension UTXONode {
    /// More inputs than this no transaction of a wallet has, which stays below 100 000 bytes.
    package static let mostTransactions = 1000
    /// All transactions of one call together; Dash and Axe take none above 100 000 bytes.
    package static let mostTransactionBytes = 16 << 20

    package func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes] {
        guard ids.count <= Self.mostTransactions else {
            throw ChainFailure(
                .tooLong, "more than \(Self.mostTransactions) transactions are asked for")
        }
        let found = try await whole(ids.map { displayed in
            (displayed, TransactionID(displayed: displayed))
        })
        var size = 0
        for bytes in found {
            size += bytes.count
            guard size <= Self.mostTransactionBytes else {
                throw ChainFailure(
                    .tooLong, "the transactions have more than \(Self.mostTransactionBytes) bytes")
            }
        }
        return found
    }

    /// Transactions of the cache, and all others by one question.
    private func whole(
        _ ids: [(displayed: Bytes, txid: TransactionID?)]
    ) async throws(ChainFailure) -> [Bytes] {
        var batch = RPCBatch()
        var known: [TransactionID: UTXOTransaction] = [:]
        var asked: [TransactionID: RPCBatch.Place<UTXOTransaction?>] = [:]
        for (displayed, txid) in ids {
            guard let txid else { throw .missing(displayed) }
            if known[txid] != nil || asked[txid] != nil { continue }
            known[txid] = await cache.transaction(txid)
            if known[txid] == nil { asked[txid] = batch.add(CoreCalls.bytes(of: txid)) }
        }
        if !asked.isEmpty {
            let answers = try await calls.forOneQuestion().answers(to: batch)
            for (txid, place) in asked.sorted(by: { $0.key < $1.key }) {
                guard let found = try answers.value(place) else { continue }
                await cache.keep(found, txid)
                known[txid] = found
            }
        }
        var all: [Bytes] = []
        for (displayed, txid) in ids {
            guard let found = txid.flatMap({ known[$0] }) else { throw .missing(displayed) }
            all.append(found.serialized())
        }
        return all
    }
}

extension ChainFailure {
    /// That a node says of a coin of ours that it is spent, and can't show a signature.
    package init(unproven coin: Outpoint) {
        self.init(
            .unprovenSpend,
            "the node says that \(coin.text) is spent, but no signature of its key shows it")
    }

    /// That a node does not have a transaction, whose id is as displayed.
    package static func missing(_ displayed: Bytes) -> ChainFailure {
        ChainFailure(
            .missingTransaction, "the node does not have the transaction \(Hex.encode(displayed))")
    }
}
