import DaybookEncoding
import DaybookLog
import DaybookPostgres
import DaybookSystem
import EventStores
import Foundation
import Synchronization
import Testing

@testable import Daybook

/// A store whose log lies in a database does what a store in a folder does.
struct DatabaseStoreTests {
    private let home: DatabaseHome

    init() throws { home = try DatabaseHome() }

    @Test(arguments: Flow.all)
    func `each request is answered`(flow: Flow) async throws {
        let store = try home.open(1)
        try await store.addFundedWallet(flow.chain)
        try await store.mine(6)
        let request = try await store.receive(flow.text)
        let done = try await store.approve(request.id)
        #expect(done.status == .completed)
        #expect(done.callback != nil)
        try await store.expectCleanReplay()
    }

    @Test func `it is verified, examined, rebuilt and backed up`() async throws {
        do {
            let store = try home.open(1)
            try await store.addFundedWallet(.dash)
            _ = try await store.receive(Flow.all[0].text)
        }
        #expect(try Store.verify(at: home.path(1)).problems == [])
        let findings = try Store.examine(at: home.path(1))
        #expect(findings.allSatisfy { $0.status != .problem }, "\(findings)")
        try Store.rebuildDerived(at: home.path(1))
        let backup = try Store.backup(of: home.path(1), to: home.path(9))
        let (copy, store) = (
            try Store(opening: home.path(9), frontEnd: "tests"), try home.open(1))
        #expect(try await copy.allRecords().map(\.bytes) == store.allRecords().map(\.bytes))
        #expect(try await backup.events == store.info().events)
        #expect(try await copy.liveDigest() == store.liveDigest())
    }

    @Test func `its log moves to a folder and into another database and back`() async throws {
        let store = try home.open(1)
        try await store.addFundedWallet(.dash)
        try await store.approve(store.receive(Flow.all[0].text).id)
        let file = home.folder.path + "/log.daybook"
        _ = try await store.export(to: file)
        let folder = home.path(7)
        try Store.create(at: folder)
        let inFolder = try Store(opening: folder, frontEnd: "tests")
        _ = try await inFolder.import(from: file)
        let id = try await store.logID
        let server = try TemporaryPostgres.shared.get()
        let other = try server.makeDatabase("d\(id)")
            .replacingOccurrences(of: "?", with: "/\(id)?")
        let address = try Store.create(at: home.path(8), inDatabase: other)
        let moved = try Store(
            opening: .postgres(address, folder: home.path(8)), frontEnd: "tests")
        _ = try await moved.import(from: file)
        for copy in [inFolder, moved] {
            #expect(try await copy.allRecords().map(\.bytes) == store.allRecords().map(\.bytes))
            #expect(try await copy.liveDigest() == store.liveDigest())
            try await copy.expectCleanReplay()
        }
    }

    @Test func `a server of many logs stores what it has computed of a small log`() async throws {
        let home = home
        try await home.open(1).addTestWallet(.dash)
        let tables = home.path(1) + "/derived/data.mdb"
        #expect(try !Files.exists(tables))
        let logs = OpenLogs(OpenLogs.Limits(), on: TaskThreads(4)) { _ in
            OpenLogs.Opened(store: try home.open(1), isWriter: true) { false }
        }
        #expect(try await logs.use("a").store.wallets().count == 1)
        await logs.stop()
        #expect(try Files.exists(tables))
        #expect(try await home.open(1).wallets().count == 1)
    }

    @Test func `calls wait for the database on a thread of their store's own`() async throws {
        let threads = Mutex<[Int: Set<pthread_t>]>([:])
        let homes = [home, try DatabaseHome()]
        let stores = try homes.enumerated().map { index, home in
            try home.open(1) { place in
                guard place == "request recorded" else { return }
                threads.withLock { _ = $0[index, default: []].insert(pthread_self()) }
            }
        }
        for number in 1...5 {
            for store in stores { _ = try await store.receive("dashwallet://nothing=\(number)") }
        }
        let found = threads.withLock { $0 }
        #expect(found[0]?.count == 1 && found[1]?.count == 1 && found[0] != found[1])
    }

    @Test func `a log of another id is refused, and the error says what to do`() async throws {
        let file = home.folder.path + "/log.daybook"
        let folder = home.path(7)
        try Store.create(at: folder)
        let other = try Store(opening: folder, frontEnd: "tests")
        try await other.addFundedWallet(.dash)
        _ = try await other.export(to: file)
        let store = try home.open(1)
        await #expect { _ = try await store.import(from: file) } throws: {
            ($0 as? DaybookError)?.code == .databaseLogDiffers
        }
        #expect(try await store.info().events == 0)
    }

    @Test func `a subscriber sees the events of another process`() async throws {
        let (writer, reader) = (try home.open(1), try home.open(2))
        var changes = reader.changes().makeAsyncIterator()
        let wallet = try await writer.addTestWallet(.dash)
        var found: StoreChange?
        while let change = try await changes.next() {
            found = change
            if change.changes.contains(where: { $0.what == .wallet }) { break }
        }
        #expect(found?.changes.contains(.init(.wallet, wallet: wallet.id)) == true)
        #expect(try await reader.wallets().map(\.id) == [wallet.id])
    }

    @Test(arguments: [
        "UPDATE daybook.events SET bytes = bytes || '\\x00'::bytea WHERE log_id = ID",
        "UPDATE daybook.logs SET root = sha256('other') WHERE log_id = ID",
        "DELETE FROM daybook.events WHERE log_id = ID AND position = 0",
        "DELETE FROM daybook.events WHERE log_id = ID AND position = 1",
    ])
    func `a change in the database is found when it is read`(sql: String) async throws {
        let wallet = try await { try await home.open(1).addTestWallet(.dash) }()
        #expect(wallet.id.number == 1)
        let id = try Store.logID(ofAddress: home.address)
        try TemporaryPostgres.shared.get().run(sql.replacing("ID", with: "'\\x\(id)'"))
        await #expect { try await home.open(2).wallets() } throws: {
            ($0 as? DaybookError)?.code == .storeDamaged
        }
    }
}
