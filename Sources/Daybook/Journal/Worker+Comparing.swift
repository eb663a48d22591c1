import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookNodes
import DaybookSystem

/// Checking again what scans have believed: with the same node, and with another one.
extension Worker {
    /// Compares everything that is recorded of a chain with its node, and records what differs.
    ///
    /// Returns the recorded facts about blocks that were wrong. New facts are recorded as well.
    func compareWhole(
        _ chainID: ChainID, progress: ChainProgress?
    ) async throws -> [Contradiction] {
        let client = try client(of: chainID)
        for _ in 0..<Self.overtakenLimit {
            let (known, query) = try journal.recorded(.published) { state, log in
                (
                    KnownQuery(of: chainID, in: state, at: log.point),
                    ChainQuery(whole: chainID.chain, chainID.network, in: state)
                )
            }
            let heldLocks = HeldSendLocks(sendLock)
            defer { heldLocks.end() }
            let complete = try await completeSnapshot(
                of: client, query, ifStill: known, heldLocks, progress)
            let snapshot = complete.snapshot
            probe?("compared whole")
            let corrections = Monitor<[Contradiction]>([])
            let recording = try await record(snapshot, ifStill: known) { state, point, now in
                let outputs = complete.outputs(from: state, at: point)
                let found = snapshot.corrections(of: state, outputs)
                corrections.change { $0 = found }
                return snapshot.changes(
                    from: state, forRequest: false, isWhole: true, at: now, outputs: outputs)
            }
            if recording != .overtaken { return corrections.change { $0 } }
        }
        throw Self.overtaken
    }

    /// Compares what the serving node and another one say of the last blocks, or of all.
    ///
    /// Nodes that agreed within the last minute are not compared again. Returns how they contradict
    /// each other; nil if they agree, and if no other node answers.
    func contradictionOfNodes(_ chainID: ChainID, isWhole: Bool) async throws -> ChainFailure? {
        guard let group = try nodes.group(of: chainID), group.members.count > 1,
            isWhole || !group.hasAgreed
        else { return nil }
        var failure: ChainFailure?
        for number in 0..<Self.comparisons {
            // A block that one of them had first comes to the other one.
            if number > 0 { try await pause(1) }
            let query = try journal.recorded(.published) { state, _ in
                isWhole
                    ? ChainQuery(whole: chainID.chain, chainID.network, in: state)
                    : ChainQuery(chainID.chain, chainID.network, in: state)
            }
            let serving = try await group.observe(query, progress: nil)
            guard let other = try await group.otherAnswer(to: query, sparingFailed: true) else {
                return nil
            }
            probe?("nodes compared")
            let found = serving.contradiction(to: other.snapshot, about: query)
            guard let found else {
                group.noteAgreement()
                return nil
            }
            failure = ChainFailure(found, of: chainID, group.servingURL, other.url)
        }
        return failure
    }

    /// How many times two nodes must contradict each other in a row before that is a problem.
    private static let comparisons = 3
}

extension ChainFailure {
    /// The failure of a node that another node contradicts.
    init(_ found: Contradiction, of chainID: ChainID, _ url: String, _ other: String) {
        self.init(
            .contradiction,
            "of \(found.subject) this node says \(found.recorded), and \(other) says"
                + " \(found.said)")
        origin = Origin(chainID: chainID, url: url)
    }
}
