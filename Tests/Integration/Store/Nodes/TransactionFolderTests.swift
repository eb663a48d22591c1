import Foundation
import NodeServer
import Testing

@testable import Daybook

/// Nodes' answers are asked for once, and never believed because they lie in a file.
struct TransactionFolderTests {
    private let server: NodeServer
    private let temporary: TemporaryStore
    private var folder: String { temporary.path + "/cache/transactions" }

    init() async throws {
        server = try NodeServer(.dash)
        server.mine(3)
        temporary = try TemporaryStore()
        _ = try server.fund(try await Self.store(in: temporary, server).address, 300_000_000)
        _ = try await temporary.open().sync()
    }

    private static func store(
        in temporary: TemporaryStore, _ server: NodeServer
    ) async throws -> Wallet {
        let store = try temporary.open()
        try await store.setNode(.dash, .regtest, url: server.url)
        return try await store.addTestWallet(.dash, network: .regtest)
    }

    /// How many transactions a new store asks for that has this one's cache folder.
    private func questions() async throws -> Int {
        let fresh = try TemporaryStore()
        _ = try await Self.store(in: fresh, server)
        if FileManager.default.fileExists(atPath: temporary.path + "/cache") {
            try FileManager.default.copyItem(
                atPath: temporary.path + "/cache", toPath: fresh.path + "/cache")
        }
        server.forgetRequests()
        let store = try fresh.open()
        _ = try await store.sync()
        #expect(try await store.balances().map(\.confirmed) == ["300000000"])
        // One question is about the time of the block, which is no part of a transaction.
        return server.requests.count { $0.method == "getrawtransaction" } - 1
    }

    @Test func `a transaction that a node gave before is not asked for again`() async throws {
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
        #expect(try await questions() == 0)
    }

    @Test(arguments: ["", "00", "damaged"])
    func `a file that was altered costs a question and nothing else`(text: String) async throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        #expect(try await questions() == 1)
    }

    @Test func `a folder that is gone costs a question and nothing else`() async throws {
        try FileManager.default.removeItem(atPath: temporary.path + "/cache")
        #expect(try await questions() == 1)
    }

    @Test func `the folder stays within its limits`() throws {
        let path = temporary.path + "/small"
        let small = TransactionFolder(path: path, limits: .init(files: 10, bytes: 1 << 20))
        for number in 0..<40 { small.keep([1, 2, 3], of: String(format: "%064d", number)) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count <= 10)
        let short = TransactionFolder(path: path, limits: .init(files: 100, bytes: 300))
        for number in 100..<140 {
            short.keep(Array(repeating: 1, count: 50), of: String(format: "%064d", number))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count <= 11)
    }
}
