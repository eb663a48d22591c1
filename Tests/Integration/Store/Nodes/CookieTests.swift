import Foundation
import NodeServer
import Testing

@testable import Daybook

/// Nodes whose user and password stand in a file that each start of the node writes anew.
struct CookieTests {
    private let server: NodeServer
    private let temporary: TemporaryStore
    private let cookie: String

    init() throws {
        server = try NodeServer(.dash, user: "__cookie__", password: "first")
        server.mine(2)
        temporary = try TemporaryStore()
        cookie = temporary.path + "-cookie"
        try write("first")
    }

    private func write(_ password: String) throws {
        try Data("__cookie__:\(password)".utf8).write(to: URL(fileURLWithPath: cookie))
        try protect(0o600)
    }

    private func protect(_ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: cookie)
    }

    private func remove() throws { try FileManager.default.removeItem(atPath: cookie) }

    @Test func `the restart of a node is no wrong password`() async throws {
        defer { try? remove() }
        let store = try temporary.open()
        _ = try await store.addTestWallet(.dash, network: .regtest)
        try await store.setNode(.dash, .regtest, url: server.url, cookieFile: cookie)
        _ = try await store.sync()
        server.settings.password = "second"
        try write("second")
        server.mine()
        #expect(try await store.sync().events > 0)
    }

    @Test func `a cookie that all may read is refused, one of a group is not`() async throws {
        defer { try? remove() }
        let store = try temporary.open()
        for mode in [0o644, 0o604, 0o602, 0o620, 0o666] {
            try protect(mode)
            await #expect(throws: DaybookError.self, "\(String(mode, radix: 8))") {
                try await store.setNode(.dash, .regtest, url: server.url, cookieFile: cookie)
            }
        }
        for mode in [0o400, 0o640] {
            try protect(mode)
            try await store.setNode(.dash, .regtest, url: server.url, cookieFile: cookie)
            #expect(try await store.checkNodes(.dash, .regtest)[0].problem == nil)
        }
        // A node that shares its cookie from its next start on is not asked any more.
        server.settings.password = "second"
        try protect(0o600)
        try write("second")
        try protect(0o644)
        let problem = try await store.checkNodes(.dash, .regtest)[0].problem
        #expect(problem?.message.contains("may be read by all users") == true)
    }

    @Test func `the password is not copied, only where it stands`() async throws {
        defer { try? remove() }
        let store = try temporary.open()
        try await store.setNode(.dash, .regtest, url: server.url, cookieFile: cookie)
        let kept = try String(contentsOfFile: temporary.path + "/credentials.json", encoding: .utf8)
        #expect(!kept.contains("first"))
        #expect(kept.contains("-cookie"))
        #expect(try await store.checkNodes(.dash, .regtest)[0].isOK)
    }

    @Test func `a cookie that is gone says that the node has stopped, and names it`()
        async throws
    {
        let store = try temporary.open()
        _ = try await store.addTestWallet(.dash, network: .regtest)
        try await store.setNode(.dash, .regtest, url: server.url, cookieFile: cookie)
        try remove()
        do {
            _ = try await store.sync()
            Issue.record("it is taken for a node without a password")
        } catch {
            #expect(error.code == "nodeUnreachable")
            #expect(error.message.hasPrefix("dash regtest at \(server.url): the node's cookie"))
        }
    }

    @Test func `a cookie that does not open is a wrong password after all`() async throws {
        defer { try? remove() }
        let store = try temporary.open()
        try await store.setNode(.dash, .regtest, url: server.url, cookieFile: cookie)
        server.settings.password = "third"
        #expect(try await store.checkNodes(.dash, .regtest)[0].problem?.code == "nodeWrongPassword")
    }

    @Test func `a file that is no cookie is not taken for one`() async throws {
        defer { try? remove() }
        try Data("nothing".utf8).write(to: URL(fileURLWithPath: cookie))
        let store = try temporary.open()
        await #expect { try await store.setNode(
            .dash, .regtest, url: server.url, cookieFile: cookie)
        } throws: { ($0 as? DaybookError)?.code == "invalidLogin" }
    }
}
