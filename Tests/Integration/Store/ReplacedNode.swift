import DaybookDomain
import DaybookEncoding
import DaybookNodes

@testable import Daybook

/// A node that answers as the embedded chain does, but for the calls that a test replaces.
protocol ReplacedNode: ChainClient {
    var embedded: any ChainClient { get }
}

extension ReplacedNode {
    func observe(
        _ question: ChainQuery, progress: ChainProgress?
    ) async throws(ChainFailure) -> ChainSnapshot {
        try await embedded.observe(question, progress: progress)
    }

    func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes] {
        try await embedded.transactions(ids)
    }

    func times(
        of blocks: [NamedBlock], below tip: ChainQuery.Tip
    ) async throws(ChainFailure) -> BlockTimes {
        try await embedded.times(of: blocks, below: tip)
    }
}
