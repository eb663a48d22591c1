import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// Answers of which more is new than one event holds.
struct LargeAnswerTests {
    /// A transaction that pays so many duffs in so many outputs to the first address.
    private func outputs(
        _ given: Given, _ number: UInt32, _ amounts: [UInt64], height: UInt64?
    ) throws -> [ChainObserved.Output] {
        let script = try #require(
            ChainQuery(.dash, .sandbox, in: given.state).watched.first?.script)
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        let txid = try #require(TransactionID(Bytes(repeating: 7, count: 28) + bytes))
        return amounts.enumerated().map { index, amount in
            ChainObserved.Output(
                outpoint: Outpoint(txid, UInt32(index)), script: script, amount: amount,
                height: height, coinbase: false)
        }
    }

    /// The events that an answer comes to.
    private func news(_ answer: ChainSnapshot, _ state: State) -> [ChainObserved] {
        answer.changes(from: state, forRequest: false)
    }

    @Test func `thousands of small payments that one block takes fit into events`() throws {
        var given = Given()
        let wallet = given.add(.dash)
        var state = given.state
        var answer = ChainSnapshot(chain: .dash, network: .sandbox)
        answer.height = 1
        answer.tip = [1]
        for number in 1...4_000 as ClosedRange<UInt32> {
            let paid = try outputs(given, number, [546], height: 1)
            let txid = paid[0].outpoint.displayed
            answer.outputs += paid
            answer.transactions.append(.init(txid: txid, height: 1, locked: true))
            state.transactions[TransactionKey(.dash, .sandbox, txid)] = TransactionRow(
                wallet: wallet, request: nil)
        }
        let news = news(answer, state)
        // An event has 256 KiB at most.
        #expect(news.allSatisfy { $0.encoded().count < 250_000 })
        #expect(news.flatMap(\.transactions) == answer.transactions)
        #expect(news.flatMap(\.outputs) == answer.outputs)
    }

    @Test func `a transaction's outputs come in one event, so that they are told as one payment`()
        throws
    {
        var given = Given()
        _ = given.add(.dash)
        var answer = ChainSnapshot(chain: .dash, network: .sandbox)
        answer.outputs = try (1...399).flatMap { try outputs(given, $0, [1], height: 1) }
        answer.outputs += try outputs(given, 400, [20, 22], height: 1)
        let many = Array(repeating: 1 as UInt64, count: 1_000)
        answer.outputs += try outputs(given, 401, many, height: 1)
        let news = news(answer, given.state)
        #expect(news.allSatisfy { $0.encoded().count < 250_000 })
        #expect(news.flatMap(\.outputs) == answer.outputs)
        let events = news.map { Set($0.outputs.map(\.outpoint.txid)) }
        #expect(events.map(\.count).reduce(0, +) == 401)
    }
}
