import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// The times of blocks: asked for once, recorded with what they confirm, believed within bounds.
struct BlockTimeTests {
    private static let time: UInt64 = 1_800_000_000_000_000

    /// An answer with a coin of a wallet, and what spends it.
    private func answer(
        _ given: Given, _ wallet: WalletID, height: UInt64?, spentAt: UInt64? = nil
    ) throws -> ChainSnapshot {
        var answer = ChainSnapshot(chain: .dash, network: .sandbox)
        answer.height = 200
        answer.tip = [1]
        let script = try #require(given.state.nextAddress(wallet, account: 0, caller: nil)).script
        let outpoint = Outpoint(TransactionID(Bytes(repeating: 7, count: 32))!, 0)
        answer.outputs = [
            .init(
                outpoint: outpoint, script: script, amount: 9_000, height: height,
                coinbase: false)
        ]
        if let spentAt {
            answer.spends = [
                .init(
                    outpoint: outpoint, spender: Bytes(repeating: 8, count: 32), height: spentAt,
                    script: script)
            ]
        }
        return answer
    }

    private func record(_ answer: ChainSnapshot, _ given: inout Given) -> [Outcome] {
        answer.changes(from: given.state, forRequest: false).flatMap {
            given.when(.chainObserved($0))
        }
    }

    private func history(_ given: Given, _ wallet: WalletID) -> [UInt64?] {
        given.state.history.rows(.first(wallet)).map(\.row.blockTime)
    }

    @Test func `a block that is new is asked about, and its time goes with the confirmation`()
        throws
    {
        var given = Given()
        let wallet = given.add(.dash)
        var seen = try answer(given, wallet, height: nil)
        #expect(seen.untimedBlocks(in: given.state).isEmpty)
        _ = record(seen, &given)
        #expect(history(given, wallet) == [nil])
        seen = try answer(given, wallet, height: 150)
        #expect(
            seen.untimedBlocks(in: given.state)
                == [NamedBlock(height: 150, txid: Bytes(repeating: 7, count: 32))])
        var times = BlockTimes()
        times.told = [.init(height: 150, time: Self.time)]
        seen.add(times, at: Self.time)
        #expect(seen.untimedBlocks(in: given.state).isEmpty)
        let confirmed = record(seen, &given).compactMap { outcome -> UInt64? in
            guard case .transactionConfirmed(let data) = outcome.payload else { return nil }
            return data.blockTime
        }
        #expect(confirmed == [Self.time])
        #expect(history(given, wallet) == [Self.time])
        let known = try answer(given, wallet, height: 150)
        #expect(known.untimedBlocks(in: given.state).isEmpty)
        let spent = try answer(given, wallet, height: 150, spentAt: 160)
        #expect(spent.untimedBlocks(in: given.state).map(\.height) == [160])
    }

    @Test func `a reorganization takes the time away with the block`() throws {
        var given = Given()
        let wallet = given.add(.dash)
        var seen = try answer(given, wallet, height: 150)
        seen.blocks = [.init(height: 150, time: Self.time)]
        _ = record(seen, &given)
        _ = record(try answer(given, wallet, height: nil), &given)
        #expect(history(given, wallet) == [nil])
        let key = TransactionKey(.dash, .sandbox, Bytes(repeating: 7, count: 32))
        #expect(given.state.transactions[key]?.blockTime == nil)
        seen = try answer(given, wallet, height: 151)
        #expect(seen.untimedBlocks(in: given.state).map(\.height) == [151])
        seen.blocks = [.init(height: 151, time: Self.time + 1)]
        _ = record(seen, &given)
        #expect(history(given, wallet) == [Self.time + 1])
        #expect(given.state.transactions[key]?.blockTime == Self.time + 1)
    }

    @Test func `a time that can't be right is left out and named`() throws {
        var given = Given()
        let wallet = given.add(.dash)
        let twoHours: UInt64 = 7_200_000_000
        let genesis = Chain.dash.rules.firstBlockTime
        for (time, isRight) in [
            (0, false), (genesis - 1, false), (genesis, true), (Self.time + twoHours, true),
            (Self.time + twoHours + 1, false), (.max, false),
        ] as [(UInt64, Bool)] {
            var seen = try answer(given, wallet, height: 150)
            var times = BlockTimes()
            times.told = [.init(height: 150, time: time)]
            seen.add(times, at: Self.time)
            #expect(seen.blocks.isEmpty != isRight, "\(time)")
            #expect(seen.setAside.isEmpty == isRight, "\(time)")
        }
        var seen = try answer(given, wallet, height: 150)
        var times = BlockTimes()
        times.told = [.init(height: 150, time: 0)]
        seen.add(times, at: Self.time)
        _ = record(seen, &given)
        // The confirmation counts all the same.
        #expect(given.state.balance(wallet, "DASH").available == UInt256(9_000))
        #expect(history(given, wallet) == [nil])
        #expect(
            given.state.chain(.dash, .sandbox).setAside.map(\.sentence)
                == ["the block time in block 150 is set aside: its time is before the chain began"])
    }

    @Test func `an event has the times of its own blocks alone`() throws {
        var given = Given()
        let wallet = given.add(.dash)
        var seen = try answer(given, wallet, height: 150)
        seen.blocks = [.init(height: 150, time: Self.time), .init(height: 151, time: Self.time)]
        let events = seen.changes(from: given.state, forRequest: false)
        #expect(events.map { $0.blocks.map(\.height) } == [[150]])
    }
}
