import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import Foundation
import Testing
import TestSupport

@testable import DaybookReplay

struct BookkeeperTests {
    @Test func `watching the book changes nothing that is kept in it`() throws {
        var keeper = Bookkeeper()
        var plain = State()
        for event in try GoldenEvents.all() {
            _ = keeper.take(event)
            plain.evolve(event)
        }
        #expect(StateDigest.of(keeper.state) == StateDigest.of(plain))
        #expect(keeper.state.damage == nil)
    }

    @Test func `what some accounts lose the others gain, in every event`() throws {
        var keeper = Bookkeeper()
        var entries = 0
        for event in try GoldenEvents.all() {
            guard let entry = keeper.take(event) else { continue }
            entries += 1
            var sums: [String: SignedAmount] = [:]
            for posting in entry.postings {
                let name = "\(posting.asset.network) \(posting.asset.name)"
                sums[name] = (sums[name] ?? .zero).adding(posting.amount)
            }
            #expect(sums.values.allSatisfy { $0 == .zero }, "event \(entry.position): \(sums)")
            #expect(!entry.postings.isEmpty)
        }
        #expect(entries > 50)
    }

    @Test func `postings and movements both add up to what wallets hold`() throws {
        var keeper = Bookkeeper()
        var posted: [String: SignedAmount] = [:]
        var moved: [String: SignedAmount] = [:]
        for event in try GoldenEvents.all() {
            guard let entry = keeper.take(event) else { continue }
            for posting in entry.postings {
                guard case .wallet(let wallet, let part) = posting.account else { continue }
                let name = "\(wallet) \(posting.asset.name)"
                posted[name] = (posted[name] ?? .zero).adding(posting.amount)
                #expect(posting.balance == keeper.state.balance(wallet, posting.asset.name)[part])
            }
            for movement in entry.movements {
                let name = "\(movement.wallet) \(movement.asset.name)"
                moved[name] = (moved[name] ?? .zero).adding(movement.amount)
            }
            #expect(posted.filter { $0.value != .zero } == moved.filter { $0.value != .zero })
        }
        for line in keeper.state.balanceLines() {
            let held = BalanceRow.Part.allCases.reduce(UInt256.zero) {
                $0.adding(line.balance[$1]) ?? .max
            }
            #expect((posted["\(line.wallet) \(line.asset)"] ?? .zero) == SignedAmount(held))
        }
        #expect(posted.count >= 3)
        #expect(keeper.state.historyDifference() == nil)
    }

    @Test func `a payment of ours names its request, its caller and its fee`() throws {
        var keeper = Bookkeeper()
        var found: Set<Chain> = []
        for event in try GoldenEvents.all() {
            for movement in keeper.take(event)?.movements ?? [] {
                guard let request = movement.request, movement.kind == .sent else { continue }
                let row = try #require(keeper.state.request(request))
                #expect(row.txid == movement.txid)
                #expect(row.request?.caller?.scheme == movement.caller)
                #expect(movement.amount.isNegative)
                // A token's fee is a movement of its own.
                guard movement.asset.isCoin else {
                    #expect(movement.fee == nil)
                    continue
                }
                let fee = try #require(movement.fee)
                #expect(fee != .zero && fee <= movement.amount.magnitude)
                found.insert(movement.asset.chain)
            }
        }
        #expect(found == [.dash, .axe, .icon])
    }

    @Test func `what a chain gives up is reversed, what leaves with a wallet removed`() throws {
        var keeper = Bookkeeper()
        var outpoints: [Outpoint] = []
        for event in try GoldenEvents.all().prefix(7) {
            if case .chainObserved(let data) = event.payload, data.chain == .dash {
                outpoints += data.outputs.map(\.outpoint)
            }
            _ = keeper.take(event)
        }
        var gone = ChainObserved(chain: .dash, network: .sandbox)
        gone.removed = outpoints
        let vanishing = keeper.take(Self.event(7, .chainObserved(gone)))
        let removing = keeper.take(Self.event(8, .walletRemoved(WalletRemoved(wallet: 5))))
        let reversed = try #require(vanishing)
        let removed = try #require(removing)
        let tenCoins = SignedAmount(UInt256(1_000_000_000), isNegative: true)
        #expect(reversed.movements.map(\.kind) == [.reversed])
        #expect(reversed.movements.map(\.amount) == [tenCoins])
        #expect(reversed.movements.map(\.txid) == outpoints.map(\.displayed))
        #expect(removed.movements.map(\.kind) == [.removed])
        #expect(removed.movements.map(\.amount) == [tenCoins])
        #expect(removed.movements.map(\.wallet) == [5])
        let passing = keeper.take(Self.event(9, .timePassed(TimePassed())))
        #expect(passing == nil)
    }

    private static func event(_ position: UInt64, _ payload: Payload) -> Event {
        Event(
            position: Position(position), time: 2_000_000_000_000_000, session: 0, request: nil,
            payload: payload)
    }

    @Test func `amounts with signs add up both ways`() {
        let three = SignedAmount(UInt256(3))
        let five = SignedAmount(UInt256(5))
        #expect(three.adding(five.negated).text(decimals: 0) == "-2")
        #expect(three.negated.adding(five).text(decimals: 0) == "2")
        #expect(three.negated.adding(five.negated).text(decimals: 2) == "-0.08")
        #expect(three.adding(three.negated) == .zero)
        #expect(SignedAmount(.zero, isNegative: true) == .zero)
    }
}

/// A recorded session with payments on all chains, and a helper that folds it.
enum GoldenEvents {
    static func all() throws -> [Event] {
        try Fixture.hexLines("logs/v1/session.hex").map {
            try #require(try EventRecord.decode($0).event())
        }
    }
}
