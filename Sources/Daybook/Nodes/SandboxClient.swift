import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import DaybookSystem

/// The client of an embedded chain, which answers and refuses like a node.
struct SandboxClient: ChainClient {
    let chain: Chain
    let chains: SandboxChains

    func observe(
        _ query: ChainQuery, progress: ChainProgress?
    ) async throws(ChainFailure) -> ChainSnapshot {
        let answer: ChainSnapshot?
        do {
            answer =
                chain.rules.ledger == .accounts
                ? try await chains.lastICON { sandbox in
                    sandbox.switches.isSilent ? nil : sandbox.answer(to: query)
                }
                : try await chains.lastUTXO(chain) { [kept = chains.kept] sandbox in
                    sandbox.switches.isSilent
                        ? nil : kept.change { sandbox.answer(to: query, &$0) }
                }
        } catch {
            throw ChainFailure(.unreachable, "\(error)")
        }
        guard let answer else { throw Self.silence }
        return answer
    }

    private static let silence = ChainFailure(.noAnswer, "the sandbox is told to be silent")

    func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes] {
        guard chain.rules.ledger == .outputs else {
            guard let id = ids.first else { return [] }
            throw .missing(id)
        }
        // The switch for silence concerns only scans and sending.
        let found: [Bytes?]
        do {
            found = try await chains.lastUTXO(chain) { sandbox in
                ids.map { displayed in
                    TransactionID(displayed: displayed).flatMap(sandbox.transaction)
                }
            }
        } catch {
            throw ChainFailure(.unreachable, "\(error)")
        }
        var all: [Bytes] = []
        for (id, bytes) in zip(ids, found) {
            guard let bytes else { throw .missing(id) }
            all.append(bytes)
        }
        return all
    }

    func times(
        of blocks: [NamedBlock], below tip: ChainQuery.Tip
    ) async throws(ChainFailure) -> BlockTimes {
        let heights = blocks.map(\.height)
        var times = BlockTimes()
        do {
            times.told = chain.rules.ledger == .accounts
                ? try await chains.lastICON { $0.times(of: heights) }
                : try await chains.lastUTXO(chain) { $0.times(of: heights) }
        } catch {
            throw ChainFailure(.unreachable, "\(error)")
        }
        return times
    }

    func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
        do {
            return chain.rules.ledger == .accounts
                ? try await chains.icon { sandbox, now in
                    sandbox.send(bytes, hash: txid, at: now)
                }
                : try await chains.utxo(chain) { sandbox, _ in
                    sandbox.send(bytes, txid: txid)
                }
        } catch {
            return BroadcastAnswered(answer: .unknown, message: "unreachable")
        }
    }
}
