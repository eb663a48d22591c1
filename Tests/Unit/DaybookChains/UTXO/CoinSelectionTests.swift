import DaybookChains
import DaybookEncoding
import Testing
import TestSupport

struct CoinSelectionTests {
    private let parameters = UTXOParameters.of(.dash, .sandbox)!
    private let payment = Script.p2pkh(Bytes(repeating: 1, count: 20)).bytes
    private let change = Script.p2pkh(Bytes(repeating: 2, count: 20)).bytes

    @Test func `the smallest coin that pays alone is taken`() throws {
        let coins = [coin(1, 1_000_000), coin(2, 50_000), coin(3, 20_000), coin(4, 10_000)]
        let selection = try select(coins, 15_000)
        #expect(selection.inputs == [coins[2]])
        #expect(selection.fee == 226)
        #expect(selection.change?.amount == 20_000 - 15_000 - 226)
        #expect(selection.change?.script == change)
        #expect(selection.payment == UTXOTransaction.Output(amount: 15_000, script: payment))
    }

    @Test func `the largest coins are taken where none pays alone`() throws {
        let coins = [coin(1, 10_000), coin(2, 30_000), coin(3, 20_000), coin(4, 5_000)]
        let selection = try select(coins, 40_000)
        #expect(Set(selection.inputs) == [coins[1], coins[2]])
        #expect(selection.fee == 374)
        #expect(selection.change?.amount == 10_000 - 374)
    }

    @Test func `any order of the candidates, and doubles among them, give the same selection`()
        throws {
        var generator = Seeded(7)
        let coins = (0..<40).map { index in
            coin(UInt8(index), 1000 + generator.next() % 3 * 100, confirmations: index % 8)
        }
        let expected = try select(coins, 20_000)
        for _ in 0..<50 {
            let shuffled = coins.shuffled(using: &generator)
            #expect(try select(shuffled + shuffled.prefix(5), 20_000) == expected)
        }
    }

    @Test func `coins that can be locked go first, then those in a block, then the others`()
        throws {
        let loose = coin(1, 100_000, confirmations: 0)
        let shallow = coin(2, 100_000, confirmations: 5)
        let deep = coin(3, 100_000, confirmations: 6)
        let locked = coin(4, 100_000, confirmations: 0, isLocked: true)
        #expect(try select([loose, shallow, deep], 50_000).inputs == [deep])
        #expect(try select([loose, shallow, locked], 50_000).inputs == [locked])
        #expect(try select([loose, shallow], 50_000).inputs == [shallow])
        #expect(try select([loose], 50_000).inputs == [loose])
        #expect(Set(try select([loose, shallow, deep], 250_000).inputs) == [loose, shallow, deep])
    }

    @Test func `change that were dust goes to the fee`() throws {
        let least = try select([coin(1, 10_000 + 226 + 546)], 10_000)
        #expect(least.change?.amount == 546)
        #expect(least.fee == 226)
        let none = try select([coin(1, 10_000 + 226 + 545)], 10_000)
        #expect(none.change == nil)
        #expect(none.fee == 226 + 545)
    }

    @Test func `a coin that pays the amount and the fee of one output exactly is enough`() throws {
        let selection = try select([coin(1, 10_192)], 10_000)
        #expect(selection.change == nil)
        #expect(selection.fee == 192)
        #expect(throws: CoinSelectionError.insufficient(available: 10_191, needed: 10_192)) {
            try select([coin(1, 10_191)], 10_000)
        }
    }

    @Test func `the fee follows the rate, rounded up, and is never below the least`() throws {
        #expect(try select([coin(1, 100_000)], 10_000, rate: 5001).fee == 1131)
        #expect(try select([coin(1, 100_000)], 10_000, rate: 0).fee == 226)
    }

    @Test func `coins that must be spent are, and others only for the missing amount`() throws {
        let coins = [coin(1, 1_000_000), coin(2, 50_000), coin(3, 20_000, confirmations: 0)]
        let (large, middle, small) = (coins[0], coins[1], coins[2])
        func spent(_ required: [Coin], _ target: UInt64) throws -> Set<Coin> {
            Set(try select(coins, target, required: required).inputs)
        }
        #expect(try spent([large], 10_000) == [large])
        #expect(try spent([small], 10_000) == [small])
        #expect(try spent([small, large], 10_000) == [small, large])
        // The smallest coin that pays the rest, then the largest.
        #expect(try spent([small], 40_000) == [small, middle])
        #expect(try spent([middle], 1_010_000) == [large, middle])
        #expect(try spent([small], 1_060_000) == [large, middle, small])
        #expect(
            throws: CoinSelectionError.insufficient(available: 1_070_000, needed: 1_070_488)
        ) {
            try select(coins, 1_070_000, required: [small])
        }
        #expect(try select(coins, 10_000, required: [small]).fee == 226)
    }

    @Test func `coins that could be a masternode's collateral are spent last`() throws {
        let masternode = coin(1, 1000 * Duffs.perCoin)
        let evonode = coin(2, 4000 * Duffs.perCoin)
        let small = [coin(3, 50_000_000), coin(4, 30_000_000), coin(5, 30_000_000)]
        let shallow = coin(6, 95_000_000, confirmations: 0)
        let all = [masternode, evonode] + small
        #expect(Set(try select(all, 90_000_000).inputs) == Set(small))
        #expect(try select(all, 120_000_000).inputs == [masternode])
        #expect(try select([masternode, evonode, shallow], 90_000_000).inputs == [shallow])
        #expect(try select([masternode, shallow], 90_000_000, required: [masternode]).inputs
            == [masternode])
        // Any other amount is a coin like all others; on Axe, so are 4000.
        let other = coin(7, 1000 * Duffs.perCoin + 1)
        #expect(try select([other, evonode], 90_000_000).inputs == [other])
        let axe = try #require(UTXOParameters.of(.axe, .sandbox))
        let onAxe = try CoinSelection.select(
            candidates: CoinsByAmount([masternode, evonode]), target: 90_000_000,
            script: payment, feeRatePerKilobyte: 1000, changeScript: change, parameters: axe)
        #expect(onAxe.inputs == [evonode])
    }

    @Test func `a large coin is not broken where a few small ones pay`() throws {
        let large = coin(1, 20_000_000)
        let small = (2...5).map { coin($0, 500_000) }
        #expect(Set(try select([large] + small, 1_900_000).inputs) == Set(small))
        #expect(try select([large] + small, 2_100_000).inputs == [large])
        // Ten times what is missing is not large, and eleven coins are not few.
        func eleven(of amount: UInt64) -> [Coin] { (2...12).map { coin($0, amount) } }
        #expect(try select([large] + eleven(of: 200_000), 2_100_000).inputs == [large])
        #expect(try select([large] + eleven(of: 100_000), 1_050_000).inputs == [large])
    }

    @Test func `coins that depend on too many unconfirmed transactions are passed over`() throws {
        let deep = coin(1, 100_000, confirmations: 0)
        let fresh = coin(2, 200_000, confirmations: 0)
        func chain(_ count: Int, descendants: Int = 1, size: UInt64 = 226) -> MempoolPackage {
            MempoolPackage(
                (0..<count).map {
                    .init(
                        TransactionID(Bytes(repeating: UInt8($0), count: 32))!, size: size,
                        descendants: descendants, descendantSize: size * UInt64(descendants))
                })
        }
        func spent(_ package: MempoolPackage, _ target: UInt64 = 50_000) throws -> [Coin] {
            try select([deep, fresh], target) { $0 == deep ? package : chain(1) }.inputs
        }
        #expect(try spent(chain(24)) == [deep])
        #expect(try spent(chain(25)) == [fresh])
        #expect(try spent(chain(1, descendants: 24)) == [deep])
        #expect(try spent(chain(1, descendants: 25)) == [fresh])
        #expect(try spent(chain(1, size: 100_774)) == [deep])
        #expect(try spent(chain(1, size: 100_775)) == [fresh])
        #expect(throws: CoinSelectionError.insufficient(available: 200_000, needed: 250_192)) {
            try spent(chain(25), 250_000)
        }
        #expect(throws: CoinSelectionError.chainTooLong) {
            try select([deep, fresh], 50_000, required: [deep]) { _ in chain(25) }
        }
    }

    @Test func `coins of two chains count together`() throws {
        let coins = [coin(1, 60_000, confirmations: 0), coin(2, 60_000, confirmations: 0)]
        func chain(_ numbers: Range<UInt8>) -> MempoolPackage {
            MempoolPackage(
                numbers.map {
                    .init(
                        TransactionID(Bytes(repeating: $0, count: 32))!, size: 226,
                        descendants: 1, descendantSize: 226)
                })
        }
        #expect(try select(coins, 100_000) { _ in chain(0..<24) }.inputs.count == 2)
        #expect(throws: CoinSelectionError.self) {
            try select(coins, 100_000) { $0 == coins[0] ? chain(0..<13) : chain(13..<25) }
        }
    }

    @Test func `a coin that has to be spent and can't be is refused`() {
        let unripe = coin(1, 100_000, confirmations: 99, isCoinbase: true)
        for coins in [[], [unripe]] {
            #expect(throws: CoinSelectionError.unspendable(unripe.outpoint)) {
                try select(coins + [coin(2, 50_000)], 10_000, required: [unripe])
            }
        }
    }

    @Test func `coins that can't be signed for, or not yet, are passed over`() throws {
        let unripe = coin(1, 100_000, confirmations: 99, isCoinbase: true)
        let ripe = coin(2, 100_000, confirmations: 100, isCoinbase: true)
        let alien = Coin(
            outpoint: ripe.outpoint, amount: 100_000,
            script: Script.p2sh(Bytes(repeating: 3, count: 20)).bytes, confirmations: 10)
        #expect(try select([unripe, ripe], 50_000).inputs == [ripe])
        #expect(throws: CoinSelectionError.insufficient(available: 0, needed: 50_192)) {
            try select([unripe, alien], 50_000)
        }
    }

    @Test func `amounts that no node takes are refused`() {
        let coins = [coin(1, Duffs.maximum)]
        #expect(throws: CoinSelectionError.dust(minimum: 546)) { try select(coins, 545) }
        #expect(throws: CoinSelectionError.amountOutOfRange) {
            try select(coins, Duffs.maximum + 1)
        }
        #expect(throws: CoinSelectionError.amountOutOfRange) { try select(coins, UInt64.max) }
        #expect(
            throws: CoinSelectionError.insufficient(
                available: Duffs.maximum, needed: Duffs.maximum + 192)
        ) {
            try select(coins, Duffs.maximum)
        }
    }

    @Test func `a transaction of more than 99 999 bytes is refused`() throws {
        let coins = (0..<700).map { index in
            Coin(
                outpoint: Outpoint(.zero, UInt32(index)), amount: 1000, script: payment,
                confirmations: 10)
        }
        // 675 inputs and one output make 99 946 bytes; one input more is too much.
        let most = UInt64(675 * 1000 - 99_946)
        let selection = try select(coins, most)
        #expect(selection.inputs.count == 675)
        #expect(selection.fee == 99_946)
        #expect(throws: CoinSelectionError.tooLarge(payable: most)) {
            try select(coins, most + 1)
        }
    }

    @Test func `a fee that must be a mistake is refused`() {
        #expect(throws: CoinSelectionError.rateTooHigh(asked: 1_000_001, highest: 1_000_000)) {
            try select([coin(1, Duffs.perCoin)], 10_000, rate: 1_000_001)
        }
        let coins = (0..<100).map { index in coin(UInt8(index), 10_000_000) }
        #expect(throws: CoinSelectionError.feeTooHigh(13_694_000)) {
            try select(coins, 900_000_000, rate: 1_000_000)
        }
    }

    @Test func `the highest rate that is paid can be set`() throws {
        let coins = [coin(1, Duffs.perCoin)]
        #expect(try select(coins, 10_000, rate: 2_000_000, highest: 2_000_000).fee == 452_000)
        #expect(throws: CoinSelectionError.rateTooHigh(asked: 2001, highest: 2000)) {
            try select(coins, 10_000, rate: 2001, highest: 2000)
        }
    }

    @Test func `a refusal says why in words`() {
        let errors: [(CoinSelectionError, String)] = [
            (.insufficient(available: 5, needed: 738), "738 duffs are needed, 5 can be spent"),
            (.dust(minimum: 546), "the amount is below the least of 546 duffs"),
            (.amountOutOfRange, "the amount is above 21 million coins"),
            (
                .unspendable(Outpoint(.zero, 3)),
                "\(String(repeating: "0", count: 64)):3 has to be spent and can't be"
            ),
            (.chainTooLong, "too many transactions that no block has depend on each other"),
            (.tooLarge(payable: 5), "the transaction would be larger than 99999 bytes"),
            (
                .rateTooHigh(asked: 7, highest: 6),
                "the node asks for 7 duffs for 1000 bytes; at most 6 are paid"
            ),
            (.feeTooHigh(10_000_001), "the fee is 10000001 duffs; nodes relay at most 10000000"),
        ]
        for (error, text) in errors { #expect(error.description == text) }
    }

    private func select(
        _ coins: [Coin], _ target: UInt64, rate: UInt64 = 1000,
        highest: UInt64 = UTXOFees.highestRate, required: [Coin] = [],
        package: (Coin) -> MempoolPackage = { _ in MempoolPackage() }
    ) throws -> CoinSelection {
        try CoinSelection.select(
            candidates: CoinsByAmount(coins), required: required, target: target,
            script: payment, feeRatePerKilobyte: rate, highestRate: highest,
            changeScript: change, parameters: parameters, package: package)
    }

    private func coin(
        _ number: UInt8, _ amount: UInt64, confirmations: Int = 10, isCoinbase: Bool = false,
        isLocked: Bool = false
    ) -> Coin {
        Coin(
            outpoint: Outpoint(TransactionID(Bytes(repeating: number, count: 32))!, 0),
            amount: amount, script: payment, confirmations: confirmations,
            isCoinbase: isCoinbase, isLocked: isLocked)
    }
}
