import DaybookDomain
import DaybookChains
import NodeServer
import Synchronization
import Testing

@testable import Daybook

/// A wallet that a node has seen before, and a store that has not.
struct FirstSyncTests {
    /// Pays the last address of each gap, receiving and change, and syncs, so that the gap moves.
    private func use(_ store: Store, _ server: NodeServer, _ rounds: Int) async throws -> UInt64 {
        var sum: UInt64 = 0
        for round in 1...UInt64(rounds) {
            for address in try await store.lastAddresses() {
                _ = try server.fund(address, 10_000 + round)
                sum += 10_000 + round
            }
            server.mine()
            _ = try await store.sync()
        }
        return sum
    }

    @Test(arguments: [ChainName.dash, .axe])
    func `a payment at the end of every gap is found by the first sync, which tells how far it is`(
        chain: ChainName
    ) async throws {
        let server = try NodeServer(chain == .dash ? .dash : .axe)
        server.mine(3)
        let old = try TemporaryStore()
        let store = try old.open()
        let wallet = try await store.addTestWallet(chain, network: .regtest)
        try await store.setNode(chain, .regtest, url: server.url)
        let sum = try await use(store, server, 3)
        #expect(try await store.balances(wallet: wallet.id).map(\.confirmed) == ["\(sum)"])

        let new = try TemporaryStore()
        let fresh = try new.open()
        let same = try await fresh.addTestWallet(chain, network: .regtest)
        try await fresh.setNode(chain, .regtest, url: server.url)
        let told = Mutex<[(done: Int, all: Int)]>([])
        _ = try await fresh.sync { _, _, done, all in told.withLock { $0.append((done, all)) } }
        #expect(try await fresh.balances(wallet: same.id).map(\.confirmed) == ["\(sum)"])
        let steps = told.withLock { $0 }
        #expect(steps.count > 3 && steps.allSatisfy { $0.done <= $0.all })
        #expect(try await fresh.address(of: same.id) == store.address(of: wallet.id))
        #expect(try await fresh.sync().events == 0)
        try await fresh.expectCleanReplay()
    }
}

extension Store {
    /// The last derived address of each branch of the first wallet.
    fileprivate func lastAddresses() throws -> [String] {
        try journal.read { state in
            guard let wallet = state.wallets().first else { return [] }
            return wallet.row.wallet.branches.compactMap { branch in
                guard let row = state.branches[BranchKey(wallet.id, branch)] else {
                    return nil
                }
                let last = state.addresses[AddressKey(wallet.id, branch, UInt32(row.derived - 1))]
                return last?.text
            }
        }
    }
}
