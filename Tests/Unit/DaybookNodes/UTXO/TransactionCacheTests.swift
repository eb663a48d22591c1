import DaybookChains
@testable import DaybookNodes
import Testing

struct TransactionCacheTests {
    private static func transaction(_ number: UInt8) -> UTXOTransaction {
        UTXOTransaction(
            inputs: [.init(Outpoint(TransactionID(hashing: [number]), 0))],
            outputs: [.init(amount: 1, script: [number])])
    }

    @Test func `the cache has so many bytes at most`() async {
        let (first, second) = (Self.transaction(1), Self.transaction(2))
        let size = first.serialized().count
        let cache = TransactionCache(bytes: 2 * size)
        for transaction in [first, second, first] {
            await cache.keep(transaction, transaction.txid)
        }
        #expect(await cache.transaction(first.txid) == first)
        #expect(await cache.transaction(second.txid) == second)
        let third = Self.transaction(3)
        await cache.keep(third, third.txid)
        #expect(await cache.transaction(first.txid) == nil)
        #expect(await cache.transaction(third.txid) == third)
        let small = TransactionCache(bytes: size - 1)
        await small.keep(first, first.txid)
        #expect(await small.transaction(first.txid) == nil)
    }
}
