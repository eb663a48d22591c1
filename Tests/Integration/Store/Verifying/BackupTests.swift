import DaybookLMDB
import DaybookSystem
import Foundation
import TestSupport
import Testing

@testable import Daybook

struct BackupTests {
    @Test func `a backup of an open store is a store that goes on`() async throws {
        let temporary = try TemporaryStore()
        let target = temporary.path + "-backup"
        defer { try? FileManager.default.removeItem(atPath: target) }
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        let made = try await store.checkpoint()
        let secret = target + "/credentials.json"
        try Files.writeAtomically(
            temporary.path + "/credentials.json", Array("{}".utf8), mode: 0o600)
        let backup = try await store.backup(to: target)
        #expect(backup.events == made.size + 1)
        // The store goes on, and its backup stays as it was.
        _ = try await store.receive("dashwallet://request=address&sender=shop")
        let found = try Store.verify(at: target, against: made.note)
        #expect(found.isWhole)
        #expect(found.root == backup.root)
        #expect(try !Files.exists(secret))
        var options = StoreOptions()
        options.scrypt = .cheap
        let copy = try Store(opening: target, frontEnd: "tests", options: options)
        #expect(try await copy.balances() == store.balances())
        let id = try await copy.receive("dashwallet://request=address&sender=shop").id
        #expect(try await copy.approve(id).status == .completed)
        #expect(try await copy.checkpoint().key == made.key)
        try await copy.expectCleanReplay()
    }

    @Test func `a backup has the public keys of a watch-only wallet`() async throws {
        let (temporary, other) = (try TemporaryStore(), try TemporaryStore())
        let target = temporary.path + "-backup"
        defer { try? FileManager.default.removeItem(atPath: target) }
        let cold = try other.open()
        let key = try await cold.watchKey(of: try await cold.addTestWallet(.dash).id)
        let store = try temporary.open()
        let wallet = try await store.watchWallet(key, chain: .dash, label: nil)
        _ = try await store.backup(to: target)
        let copied = try await Store(opening: target, frontEnd: "tests").wallets()
        #expect(copied == [wallet] && copied.first?.problem == nil)
    }

    @Test func `a folder that exists is never a backup's place`() async throws {
        let temporary = try TemporaryStore()
        let target = temporary.path + "-backup"
        defer { try? FileManager.default.removeItem(atPath: target) }
        try Files.createDirectory(target, mode: 0o700)
        #expect { try Store.backup(of: temporary.path, to: target + "/") } throws: {
            ($0 as? DaybookError)?.code == "backupExists"
        }
        #expect { try Store.backup(of: temporary.path, to: temporary.path + "/keys/x") } throws: {
            ($0 as? DaybookError)?.code == "backupInside"
        }
        #expect { try Store.backup(of: temporary.path + "-none", to: target + "/x") } throws: {
            ($0 as? DaybookError)?.code == "storeMissing"
        }
        #expect(try Files.list(target) == [])
    }

    @Test func `of a damaged store there is no backup, and nothing is left of the attempt`()
        async throws
    {
        let temporary = try TemporaryStore()
        let target = temporary.path + "-backup"
        let store = try temporary.open()
        _ = try await store.addTestWallet(.dash)
        _ = consume store
        let environment = try DaybookLMDB.Environment(temporary.path + "/log")
        try environment.write { view in
            let table = try #require(try view.table("events"))
            try view.put(table, [0, 0, 0, 0, 0, 0, 0, 0], [0])
        }
        _ = consume environment
        #expect { try Store.backup(of: temporary.path, to: target) } throws: {
            ($0 as? DaybookError)?.code == "backupNotWhole"
        }
        #expect(try !Files.exists(target))
        #expect(try !Files.exists(target + ".creating"))
    }

    @Test func `a backup that a crash cut off is no store, and the next backup removes it`()
        async throws
    {
        let temporary = try TemporaryStore()
        let target = temporary.path + "-backup"
        defer { try? FileManager.default.removeItem(atPath: target) }
        try Files.createDirectory(target + ".creating", mode: 0o700)
        try Files.writeAtomically(target + ".creating/rest", [1], mode: 0o600)
        #expect(try !Files.exists(target))
        _ = try Store.backup(of: temporary.path, to: target)
        #expect(try !Files.exists(target + ".creating"))
        #expect(try !Files.exists(target + "/rest"))
        #expect(try Store.verify(at: target).isWhole)
    }
}
