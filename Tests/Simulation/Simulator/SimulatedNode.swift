import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes

/// How badly the nodes of a chain behave, each in percent of the calls.
struct Weather: Equatable, Sendable {
    var delays = 0
    var fails = 0
    var lies = 0
    var loses = 0
    var refuses = 0

    static let fine = Weather()
}

/// A node between a store and its chain: late, silent, lying, or of a mind of its own.
struct SimulatedNode: ChainClient {
    let chain: Chain
    let network: Network
    let embedded: any ChainClient
    // Only the one thread of the simulation touches it.
    nonisolated(unsafe) let computer: SimulatedComputer
    let process: SimulatedProcess

    func observe(_ question: ChainQuery, progress: ChainProgress?) async throws(ChainFailure)
        -> ChainSnapshot
    {
        await computer.delay(chain, process, "before looking")
        if process.isDead || computer.draws(\.fails, chain) {
            computer.coverage.mark("fault: a node fails")
            throw ChainFailure(
                computer.pick([.unreachable, .noAnswer, .busy, .syncing, .warmingUp]), "simulated")
        }
        var question = question
        // A lie stays until the chain itself changes: the next honest answer is complete.
        if computer.liars.contains(chain), let tip = question.tip {
            question.tip = .init(height: tip.height, hash: [])
        }
        var answer = try await embedded.observe(question, progress: progress)
        answer.network = network
        if computer.draws(\.lies, chain) {
            computer.liars.insert(chain)
            tamper(with: &answer, question)
        }
        // A late answer is of the chain as it was.
        await computer.delay(chain, process, "after looking")
        if process.isDead { throw ChainFailure(.noAnswer, "simulated") }
        return answer
    }

    func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes] {
        if process.isDead { throw ChainFailure(.noAnswer, "simulated") }
        return try await embedded.transactions(ids)
    }

    func times(
        of blocks: [NamedBlock], below tip: ChainQuery.Tip
    ) async throws(ChainFailure) -> BlockTimes {
        if process.isDead { throw ChainFailure(.noAnswer, "simulated") }
        return try await embedded.times(of: blocks, below: tip)
    }

    func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
        let answer = await answer(to: bytes, txid)
        computer.tell(
            "  the \(chain.rawValue) node is sent \(Hex.encode(txid.prefix(4))) and says "
                + "\(answer.answer.rawValue) \(answer.message ?? "")")
        return answer
    }

    private func answer(to bytes: Bytes, _ txid: Bytes) async -> BroadcastAnswered {
        // A program that is dead sends nothing; one that dies from here on may have.
        do { try process.step("before sending") } catch { return Self.silence }
        computer.model.sends(bytes, txid: txid)
        await computer.delay(chain, process, "before sending")
        if process.isDead, computer.flips() { return Self.silence }
        // A network that refuses a transaction never takes it: all else is a lie.
        let isRefused = computer.draws(\.refuses, chain) && !computer.isKnown(txid)
        if isRefused || computer.refused.contains(txid) {
            computer.coverage.mark("fault: a node refuses")
            computer.refused.insert(txid)
            return BroadcastAnswered(
                answer: .refused, code: -26, message: "simulated",
                refusal: computer.flips() ? .clockOff : nil)
        }
        let isLie = computer.draws(\.lies, chain)
        if isLie, computer.flips() {
            computer.coverage.mark("fault: a node says that it has what it dropped")
            return BroadcastAnswered(answer: .accepted)
        }
        if isLie, computer.flips() {
            computer.coverage.mark("fault: a node keeps what it refuses")
            computer.model.isDenied(txid)
            computer.kept.append((chain, txid, bytes))
            return BroadcastAnswered(answer: .refused, code: -26, message: "simulated")
        }
        let answer = await embedded.broadcast(bytes, txid: txid)
        if isLie, answer.answer == .accepted {
            computer.coverage.mark("fault: a node denies what it took")
            computer.model.isDenied(txid)
            return BroadcastAnswered(answer: .refused, code: -26, message: "simulated")
        }
        await computer.delay(chain, process, "after sending")
        if computer.draws(\.loses, chain) {
            computer.coverage.mark("fault: an answer is lost")
            return Self.silence
        }
        return answer
    }

    private static let silence = BroadcastAnswered(answer: .unknown, message: "no answer")

    /// Says something that is not so, but that no check of an honest answer can tell.
    private func tamper(with answer: inout ChainSnapshot, _ question: ChainQuery) {
        switch computer.below(7) {
        case 0:
            computer.coverage.mark("lie: coins are gone")
            if !answer.outputs.isEmpty {
                answer.outputs.remove(at: computer.below(answer.outputs.count))
            }
        case 1:
            computer.coverage.mark("lie: coins that nobody paid")
            guard let script = question.watched.first?.script,
                let txid = TransactionID(computer.bytes(32))
            else { return }
            answer.outputs.append(
                .init(
                    outpoint: Outpoint(txid, 0), script: script,
                    amount: UInt64(10_000 + computer.below(1_000_000)),
                    height: computer.flips() ? answer.height : nil, coinbase: false))
        case 2:
            computer.coverage.mark("lie: another balance")
            for index in answer.balances.indices {
                let seen = answer.balances[index]
                answer.balances[index] = .init(
                    address: seen.address, asset: seen.asset,
                    amount: computer.flips() ? .zero : seen.amount.adding(UInt256(7)) ?? .zero)
            }
        case 3:
            computer.coverage.mark("lie: transactions are unknown")
            answer.transactions = []
        case 4:
            computer.coverage.mark("lie: another tip")
            answer.height = UInt64(computer.below(1000))
            answer.tip = computer.bytes(32)
        case 5:
            computer.coverage.mark("lie: coins are spent without a signature")
            answer.spends += answer.outputs.map { output in
                .init(
                    outpoint: output.outpoint, spender: computer.bytes(32), height: answer.height,
                    script: nil)
            }
        default:
            computer.coverage.mark("lie: coins are unspent")
            for index in answer.outputs.indices {
                answer.outputs[index].spentBy = nil
                answer.outputs[index].spentHeight = nil
            }
            answer.spends = []
        }
    }
}
