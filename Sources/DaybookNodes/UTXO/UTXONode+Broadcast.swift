import DaybookChains
package import DaybookDomain
package import DaybookEncoding

extension UTXONode {
    package func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
        await broadcast([OutgoingTransaction(bytes: bytes, txid: txid)])[0]
    }

    /// Sends transactions in their order.
    ///
    /// That is one request where the node takes it, and one more about all that it did not take.
    package func broadcast(_ transactions: [OutgoingTransaction]) async -> [BroadcastAnswered] {
        if transactions.isEmpty { return [] }
        let sent = transactions.map { Sent($0) }
        let replies = await calls.send(transactions.map(\.bytes))
        var answers: [BroadcastAnswered?] = []
        var open: [Doubt] = []
        for (index, (sent, reply)) in zip(sent, replies).enumerated() {
            let refusal = sent.refusal(reply)
            // The look that follows need not ask for it.
            if refusal == nil, let transaction = sent.transaction {
                await cache.keep(transaction, sent.id)
            }
            answers.append(refusal == nil ? BroadcastAnswered(answer: .accepted) : nil)
            if let refusal { open.append(Doubt(index: index, sent: sent, refusal: refusal)) }
        }
        for (doubt, answer) in zip(open, await settled(open)) { answers[doubt.index] = answer }
        return answers.compactMap(\.self)
    }

    /// A transaction that was sent.
    private struct Sent {
        let bytes: Bytes
        let id: TransactionID

        init(_ transaction: OutgoingTransaction) {
            bytes = transaction.bytes
            id = TransactionID(displayed: transaction.txid)
                ?? TransactionID(hashing: transaction.bytes)
        }

        /// What the bytes are, where they are what their id says.
        var transaction: UTXOTransaction? {
            TransactionID(hashing: bytes) == id ? try? UTXOTransaction.parse(bytes) : nil
        }

        /// What stands against it; nil if the node has taken it.
        func refusal(_ reply: RPCResult) -> CoreRefusal? {
            switch reply {
            case .success(let answer):
                answer.stringValue.flatMap({ TransactionID(hex: $0) }) == id
                    ? nil : .open(ChainFailure.Reason.invalidAnswer.rawValue)
            // -27: it is in a block.
            case .failure(.node(code: -27, _)): nil
            case .failure(let failure): CoreRefusal(failure)
            }
        }
    }

    /// A transaction that the node did not say to have taken.
    private struct Doubt {
        let index: Int
        let sent: Sent
        let refusal: CoreRefusal
    }

    // MARK: - What was not taken

    /// What became of each transaction, by its id: one that the node has is accepted, whatever the
    /// node said. A refusal is open where this node is not the one to refuse for good.
    private func settled(_ open: [Doubt]) async -> [BroadcastAnswered] {
        if open.isEmpty { return [] }
        var batch = RPCBatch()
        let standing = StandingCalls(addingTo: &batch)
        var places: [TransactionID: RPCBatch.Place<NodeValue?>] = [:]
        for doubt in open {
            for id in [doubt.sent.id] + doubt.refusal.parents(of: doubt.sent.bytes)
            where places[id] == nil {
                places[id] = batch.add(CoreCalls.raw(id))
            }
        }
        do throws(ChainFailure) {
            let answers = try await calls.answers(to: batch)
            func knows(_ id: TransactionID) throws(ChainFailure) -> Bool {
                let tip = try answers.value(standing.chain).height
                guard let place = places[id], let answer = try answers.value(place) else {
                    return false
                }
                return try SeenTransaction(answer, txid: id, tip: tip).place != .abandoned
            }
            return open.map { doubt in
                do throws(ChainFailure) {
                    if try knows(doubt.sent.id) { return BroadcastAnswered(answer: .accepted) }
                    if case .open = doubt.refusal { return doubt.refusal.answer }
                    // Only a node of this network that has all of its blocks can refuse for good.
                    _ = try self.standing(standing, answers)
                    for parent in doubt.refusal.parents(of: doubt.sent.bytes)
                    where try !knows(parent) {
                        return CoreRefusal.withoutParent.answer
                    }
                    return doubt.refusal.answer
                } catch {
                    return Self.unsettled(doubt.refusal, error)
                }
            }
        } catch {
            return open.map { Self.unsettled($0.refusal, error) }
        }
    }

    private static func unsettled(
        _ refusal: CoreRefusal, _ failure: ChainFailure
    ) -> BroadcastAnswered {
        if case .open = refusal { return refusal.answer }
        return BroadcastAnswered(answer: .unknown, message: failure.reason.rawValue)
    }
}
