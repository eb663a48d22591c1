import DaybookCrypto
import Foundation
import TestSupport

@testable import Daybook

/// A folder for stores that other processes use too; their clock is the real one.
final class SharedHome: Sendable {
    let folder: String
    var path: String { folder + "/store" }

    init() throws {
        folder = NSTemporaryDirectory() + "daybook-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
    }

    /// A copy of another's store, which nobody has open.
    convenience init(copying other: SharedHome) throws {
        try self.init()
        try FileManager.default.copyItem(atPath: other.path, toPath: path)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func open(
        probe: Probe? = nil, clock: (@Sendable () -> UInt64)? = nil
    ) throws -> Store {
        var options = StoreOptions()
        options.probe = probe
        if let clock { options.clock = clock }
        options.scrypt = .cheap
        return try Store(opening: path, frontEnd: "tests", options: options)
    }

    /// Makes a store with funded wallets of these chains, which nobody has open then.
    static func funded(
        _ chains: [ChainName], times: Int = 1, inDatabase address: String? = nil
    ) async throws -> SharedHome {
        let home = try SharedHome()
        if let address {
            try Store.create(at: home.path, inDatabase: address)
        } else {
            try Store.create(at: home.path)
        }
        let store = try home.open()
        for chain in chains {
            let wallet = try await store.addTestWallet(chain)
            let amount: MinorAmount = chain == .icon ? "10000000000000000000" : "1000000000"
            for _ in 0..<times {
                _ = try await store.fundFromFaucet(wallet.id, amount: amount)
            }
            if chain == .icon {
                _ = try await store.fundFromFaucet(wallet.id, amount: "5000", token: true)
            }
        }
        try await store.mine(6)
        return home
    }
}
