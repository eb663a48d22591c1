import DaybookDomain
import DaybookReplay
import Foundation
import Testing

@testable import Daybook
@testable import DaybookLog

/// Which callbacks a front end is told to open: none that nobody asked a person about, none of a
/// scheme that may not be opened, and none that only a derived row has.
struct CallbackTests {
    /// ICONex Connect's shortest request.
    private static func bind(_ id: Int, _ sender: String) -> String {
        let data = Data(#"{"id":\#(id),"method":"bind"}"#.utf8).base64EncodedString()
            .replacing("=", with: "%3D")
        return "iconex://?data=\(data)&caller=\(sender)://"
    }

    @Test func `bad links under many names have no callback opened, but for a sender one knows`()
        async throws
    {
        let store = try Bench().open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        _ = try await store.addTestWallet(.icon)
        let known = try await store.receive(Self.bind(1, "shop"))
        _ = try await store.delivered(try await store.approve(known.id).id)
        for number in 0..<500 {
            let request = try await store.receive("iconex://?data=e30%3D&caller=name\(number)://")
            #expect(request.status == .refused)
            #expect(request.callback?.hasPrefix("name\(number)://?data=") == true)
        }
        #expect(try await store.callbacks().isEmpty)
        let own = try await store.receive("iconex://?data=e30%3D&caller=shop://")
        #expect(try await store.callbacks().map(\.request) == [own.id])
        #expect(try await store.callbacks().first?.url == own.callback)
        #expect(try await store.delivered(own.id).isDelivered)
        #expect(try await store.callbacks().isEmpty)
        try await store.expectCleanReplay()
    }

    @Test func `a request that expired is told to a sender one knows, and a no to everybody`()
        async throws
    {
        let bench = try Bench()
        let store = try bench.open()
        _ = try await store.addTestWallet(.icon)
        let first = try await store.receive(Self.bind(1, "shop"))
        _ = try await store.delivered(try await store.approve(first.id).id)
        let known = try await store.receive(Self.bind(2, "shop"))
        let unknown = try await store.receive(Self.bind(3, "stranger"))
        bench.wait(seconds: 700)
        #expect(try await store.pending().isEmpty)
        #expect(try await store.callbacks().map(\.request) == [known.id])
        let expired = try await store.request(unknown.id)
        #expect(expired.status == .expired)
        #expect(expired.callback?.hasPrefix("stranger://?data=") == true)
        _ = try await store.delivered(unknown.id)
        let other = try await store.receive(Self.bind(4, "stranger"))
        let refused = try await store.reject(other.id)
        #expect(try await store.callbacks().map(\.request) == [known.id, refused.id])
        try await store.expectCleanReplay()
    }

    // MARK: - What did not come about here

    /// A store whose log has a rejected request with this callback.
    private static func store(withCallback url: String, in bench: Bench) throws -> Store {
        let payloads: [Payload] = [
            .sessionStarted(
                SessionStarted(
                    frontEnd: "elsewhere", engine: Engine.current, libraries: [],
                    settings: Settings())),
            .requestReceived(RequestReceived(text: [1], frontEnd: "elsewhere", key: nil)),
            .requestRejected(RequestRejected()),
            .callbackEmitted(CallbackEmitted(url: url)),
        ]
        try EventLog(opening: bench.path + "/log").write { transaction in
            var state = State(transaction.rows)
            for (position, payload) in payloads.enumerated() {
                let request: UInt64? = position == 0 ? nil : 1
                let place = UInt64(position)
                _ = try transaction.append(
                    Recording.draft(
                        payload, position: place, time: 1, session: 0, request: request,
                        actor: "elsewhere"))
                state.evolve(
                    Event(
                        position: place, time: 1, session: 0, request: request, payload: payload))
            }
            state.save()
        }
        return try bench.open()
    }

    @Test(arguments: [
        ("shop://callback=payack", true), ("javascript:alert(1)", false),
        ("file:///etc/passwd", false), ("vscode://file/etc/passwd", false), ("shop:calc", false),
        ("shop://x\u{1b}]0;x\u{7}", false),
    ])
    func `a recorded callback is handed out only if it may be opened`(
        url: String, mayBeOpened: Bool
    ) async throws {
        let store = try Self.store(withCallback: url, in: try Bench())
        #expect(try await store.callbacks().map(\.url) == (mayBeOpened ? [url] : []))
        #expect(try await store.request(1).callback == (mayBeOpened ? url : nil))
    }

    @Test func `a derived row that was altered changes no callback`() async throws {
        let bench = try Bench()
        let request: WalletRequest
        do {
            let store = try bench.open()
            _ = try await store.addTestWallet(.icon)
            request = try await store.approve(try await store.receive(Self.bind(1, "shop")).id)
            try await store.close()
        }
        try EventLog(opening: bench.path + "/log").write { transaction in
            var state = State(transaction.rows)
            var row = try #require(state.request(request.id))
            row.callback = "thief://?data=x"
            state.put(Key.request(request.id), row)
            state.save()
        }
        let again = try bench.open()
        #expect(try await again.request(request.id).callback == request.callback)
        #expect(try await again.callbacks().map(\.url) == [request.callback])
    }
}
