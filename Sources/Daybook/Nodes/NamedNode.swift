import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes

/// A node whose failures say which node they are of.
struct NamedNode: NodeClient {
    let client: any NodeClient
    let node: Node

    func observe(
        _ question: ChainQuery, progress: ChainProgress?
    ) async throws(ChainFailure) -> ChainSnapshot {
        do {
            return try await client.observe(question, progress: progress)
        } catch {
            throw named(error)
        }
    }

    func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes] {
        do {
            return try await client.transactions(ids)
        } catch {
            throw named(error)
        }
    }

    func check() async throws(ChainFailure) -> NodeStanding {
        do {
            return try await client.check()
        } catch {
            throw named(error)
        }
    }

    func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
        await client.broadcast(bytes, txid: txid)
    }

    func broadcast(_ transactions: [OutgoingTransaction]) async -> [BroadcastAnswered] {
        await client.broadcast(transactions)
    }

    private func named(_ failure: ChainFailure) -> ChainFailure {
        var failure = failure
        failure.origin = ChainFailure.Origin(place: node.place, url: node.url)
        return failure
    }
}
