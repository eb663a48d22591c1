import DaybookChains
package import DaybookDomain
package import DaybookEncoding

extension UTXONode {
    package func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
        let id = TransactionID(displayed: txid) ?? TransactionID(hashing: bytes)
        let refusal: CoreRefusal
        do {
            if try await calls.send(bytes) == id { return BroadcastAnswered(answer: .accepted) }
            refusal = .open(ChainFailure.Reason.invalidAnswer.rawValue)
        } catch {
            // -27: it is in a block.
            if case .node(code: -27, _) = error { return BroadcastAnswered(answer: .accepted) }
            refusal = CoreRefusal(error)
        }
        do {
            if try await calls.knows(id) { return BroadcastAnswered(answer: .accepted) }
            return try await weighed(refusal, of: bytes).answer
        } catch {
            if case .open = refusal { return refusal.answer }
            return BroadcastAnswered(answer: .unknown, message: error.reason.rawValue)
        }
    }

    /// The refusal, open where this node is not the one to refuse for good.
    private func weighed(
        _ refusal: CoreRefusal, of bytes: Bytes
    ) async throws(ChainFailure) -> CoreRefusal {
        if case .open = refusal { return refusal }
        // Only a node of this network that has all of its blocks can.
        let height = try await standing(by: calls).chain.height
        for parent in refusal.parents(of: bytes) {
            let found = try await calls.transaction(parent, tip: height)
            guard let found, found.place != .abandoned else { return .withoutParent }
        }
        return refusal
    }
}
