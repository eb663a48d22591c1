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
        let calls = calls.forOneQuestion()
        var all: [Bytes] = []
        var size = 0
        for displayed in ids {
            let bytes = try await transaction(displayed, calls).serialized()
            size += bytes.count
            guard size <= Self.mostTransactionBytes else {
                throw ChainFailure(
                    .tooLong, "the transactions have more than \(Self.mostTransactionBytes) bytes")
            }
            all.append(bytes)
        }
        return all
    }

    private func transaction(
        _ displayed: Bytes, _ calls: CoreCalls
    ) async throws(ChainFailure) -> UTXOTransaction {
        guard let txid = TransactionID(displayed: displayed) else {
            throw .missing(displayed)
        }
        if let known = await cache.transaction(txid) { return known }
        guard let found = try await calls.bytes(of: txid) else { throw .missing(displayed) }
        await cache.keep(found, txid)
        return found
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
