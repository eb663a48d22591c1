import DaybookChains
import DaybookEncoding
import TestSupport

@testable import DaybookDomain

/// A chain in a few lines: transactions in blocks or the mempool, and blocks that come and go.
struct ChainModel {
    struct Transaction {
        let txid: TransactionID
        let inputs: [Outpoint]
        let outputs: [(script: Bytes, amount: UInt64)]
        var height: UInt64?
    }

    var scripts: [Bytes] = []
    private var transactions: [Transaction] = []
    private var hashes: [Bytes] = [[0]]
    private var random: Seeded
    private var made: UInt8 = 0

    init(seed: UInt64) { random = Seeded(seed) }

    mutating func next(_ limit: Int) -> Int { random.below(limit) }

    mutating func step() {
        switch next(10) {
        case 0...2: pay([])
        case 3...5:
            if let coin = unspent.randomElement(using: &random) { pay([coin]) }
        case 6, 7: mine()
        case 8: reorganise()
        default: forget()
        }
    }

    private mutating func pay(_ inputs: [Outpoint]) {
        made += 1
        let outputs = (0...next(2)).map { _ in
            (scripts[next(scripts.count)], UInt64(next(9) + 1))
        }
        transactions.append(
            Transaction(
                txid: TransactionID(Bytes(repeating: made, count: 32))!, inputs: inputs,
                outputs: outputs, height: nil))
    }

    private mutating func mine() {
        hashes.append([UInt8(hashes.count), UInt8(next(256))])
        for index in transactions.indices where transactions[index].height == nil {
            transactions[index].height = UInt64(hashes.count - 1)
        }
    }

    /// Takes one or two blocks back; their transactions wait again, and a new block may come.
    private mutating func reorganise() {
        let depth = min(next(2) + 1, hashes.count - 1)
        hashes.removeLast(depth)
        for index in transactions.indices {
            guard let height = transactions[index].height, height >= hashes.count else { continue }
            transactions[index].height = nil
        }
        if next(2) == 0 { hashes.append([UInt8(hashes.count), UInt8(next(256))]) }
    }

    /// The mempool loses its youngest transaction.
    private mutating func forget() {
        if let last = transactions.last, last.height == nil { transactions.removeLast() }
    }

    private var spends: [ChainSnapshot.Spend] {
        transactions.flatMap { transaction in
            transaction.inputs.map {
                ChainSnapshot.Spend(
                    outpoint: $0, spender: Bytes(transaction.txid.bytes.reversed()),
                    height: transaction.height, script: script(of: $0))
            }
        }
    }

    private func script(of outpoint: Outpoint) -> Bytes? {
        transactions.first { $0.txid == outpoint.txid }?.outputs[Int(outpoint.index)].script
    }

    private var outputs: [ChainObserved.Output] {
        transactions.flatMap { transaction in
            transaction.outputs.enumerated().map { index, output in
                ChainObserved.Output(
                    outpoint: Outpoint(transaction.txid, UInt32(index)), script: output.script,
                    amount: output.amount, height: transaction.height, coinbase: false)
            }
        }
    }

    private var unspent: [Outpoint] {
        let spent = Set(spends.map(\.outpoint))
        return outputs.map(\.outpoint).filter { !spent.contains($0) }
    }

    /// The balance of scripts.
    func balance(of scripts: [Bytes]) -> UInt64 {
        let (ours, spent) = (Set(scripts), Set(spends.map(\.outpoint)))
        return outputs.filter { ours.contains($0.script) && !spent.contains($0.outpoint) }
            .reduce(0) { $0 + $1.amount }
    }

    /// The answer of a node, or of an embedded chain, which ignores whose address is paid.
    func answer(to question: ChainQuery, _ network: Network, whole: Bool) -> ChainSnapshot {
        var answer = ChainSnapshot(chain: .dash, network: network)
        answer.height = UInt64(hashes.count - 1)
        answer.tip = hashes[hashes.count - 1]
        if !whole, let tip = question.tip, tip.height < hashes.count,
            hashes[Int(tip.height)] == tip.hash
        {
            answer.since = tip.height + 1
        }
        func isNew(_ height: UInt64?) -> Bool { height.map { $0 >= answer.since } ?? true }
        let isUsed = Dictionary(
            question.watched.map { ($0.script, $0.isUsed) }, uniquingKeysWith: { $0 || $1 })
        answer.outputs = outputs.filter { output in
            if network != .sandbox, isUsed[output.script] == nil { return false }
            return isNew(output.height) || isUsed[output.script] == false
        }
        let listed = Set(answer.outputs.map(\.outpoint))
        answer.spends = spends.filter { isNew($0.height) || listed.contains($0.outpoint) }
        return answer
    }

    /// Falsifies an answer.
    mutating func tamper(with answer: inout ChainSnapshot, _ state: State) {
        switch next(9) {
        case 0: if !answer.outputs.isEmpty { answer.outputs.remove(at: next(answer.outputs.count)) }
        case 1: if !answer.spends.isEmpty { answer.spends.remove(at: next(answer.spends.count)) }
        case 2: answer.spends = []
        case 3:
            made += 1
            answer.outputs.append(
                ChainObserved.Output(
                    outpoint: Outpoint(TransactionID(Bytes(repeating: made, count: 32))!, 0),
                    script: scripts[next(scripts.count)], amount: 5,
                    height: next(3) == 0 ? nil : UInt64(next(12)), coinbase: false))
        case 4:
            answer.height = UInt64(next(12))
            answer.tip = [UInt8(next(256))]
        case 5: answer.since = state.chain(.dash, answer.network).height + 1
        case 6: answer.since = UInt64(next(12))
        default: break
        }
    }
}
