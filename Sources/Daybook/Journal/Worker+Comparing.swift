import DaybookChains
import DaybookDomain
import DaybookNodes

extension Worker {
    /// What another node says against a transaction that is to be signed and sent.
    ///
    /// Nil where nothing is, where the chain has one node, and where no other one answers.
    func contradiction(
        to proposal: Proposal, _ begins: @Sendable () -> Void
    ) async throws -> ChainFailure? {
        let place = ChainID(proposal.wallet.chain, proposal.wallet.network)
        guard let prepared = proposal.prepared, let group = try nodes.group(at: place),
            group.members.count > 1
        else { return nil }
        let id = proposal.request
        let question = try journal.read { state -> ChainQuery? in
            guard state.request(id)?.request?.sendsTransaction == true else { return nil }
            return ChainQuery(reliedOnBy: prepared, for: id, in: state)
        }
        guard let question else { return nil }
        begins()
        guard let other = try await group.otherAnswer(to: question) else {
            return nil
        }
        probe?("compared")
        let found = try journal.read { other.answer.contradiction(to: prepared, for: id, in: $0) }
        guard let found else { return nil }
        var failure = ChainFailure(
            .contradiction,
            "of \(found.subject) this node says \(found.recorded), and \(other.url) says"
                + " \(found.said)")
        failure.origin = ChainFailure.Origin(place: place, url: group.servingURL)
        return failure
    }
}
