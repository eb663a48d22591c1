import DaybookCommands
import DaybookEncoding
import DaybookSystem
import Testing

@testable import DaybookPage

/// The tokens that open the page: how often, how long, and who makes them.
struct PageSessionTests {
    private let time = Monitor<UInt64>(0)
    private let session: PageSession

    init() throws {
        session = try PageSession(clock: { [time] in time.change { $0 } })
    }

    @Test func `a token opens once, and the others stay`() throws {
        let tokens = try (1...3).map { _ in try session.newToken(lasting: .seconds(60)) }
        #expect(Set(tokens).count == 3)
        let key = try #require(session.open(with: tokens[1]))
        #expect(session.open(with: tokens[1]) == nil)
        #expect(session.open(with: tokens[2]) == key, "a browser has one session")
        #expect(session.open(with: String(repeating: "0", count: 64)) == nil)
        #expect(session.open(with: "") == nil)
        #expect(session.open(with: tokens[0]) == key)
    }

    @Test func `a token expires, unless it is the printed one`() throws {
        let printed = try session.newToken(lasting: nil)
        let early = try session.newToken(lasting: .seconds(60))
        let late = try session.newToken(lasting: .seconds(60))
        time.change { $0 = 59_999_999 }
        #expect(session.open(with: early) != nil)
        time.change { $0 = 60_000_000 }
        #expect(session.open(with: late) == nil)
        #expect(session.open(with: printed) != nil)
    }

    @Test func `a limited number of tokens waits`() throws {
        let tokens = try (1...PageSession.limit).map { _ in
            try session.newToken(lasting: .seconds(60))
        }
        #expect { try session.newToken(lasting: .seconds(60)) } throws: {
            ($0 as? CommandFailure)?.code == "tooManyTokens"
        }
        #expect(session.open(with: tokens[0]) != nil)
        _ = try session.newToken(lasting: .seconds(60))
        time.change { $0 = 60_000_000 }
        _ = try session.newToken(lasting: .seconds(60))
    }

    @Test func `the socket gives an address that opens the page once, and the page gives none`()
        async throws
    {
        try await PageScene.use { scene in
            let call = #"{"jsonrpc":"2.0","id":1,"method":"page.address"}"#
            let socket = try LineConnection(to: scene.folder.path + "/store.socket")
            let answer = try JSON.parse(socket.call(Array(call.utf8)))
            let address = try #require(answer["result"]?["page"]?.stringValue)
            #expect(address.hasPrefix(scene.origin + "/#") && address != scene.address)
            let body = #"{"token":"\#(address.drop { $0 != "#" }.dropFirst())"}"#
            let opened = try scene.raw("POST", "/session", scene.own, body: body)
            #expect(opened.status == 200)
            #expect(try scene.raw("POST", "/session", scene.own, body: body).status == 403)
            let key = try #require(
                try JSON.parse(Array(opened.body.utf8))["key"]?.stringValue)
            let own = try scene.raw(
                "POST", "/rpc", scene.own + ["Authorization: Bearer \(key)"], body: call)
            #expect(own.body.contains(#""noPage""#) && !own.body.contains("127.0.0.1"))
        }
    }
}
