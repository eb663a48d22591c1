import Daybook
import DaybookCalls
import DaybookEncoding
import DaybookSystem
import DaybookTesting
import Testing

/// The methods on a store in memory, whose clock the test sets.
struct FrontTests {
    private let test: TestStore
    private let front: Front

    init() async throws {
        test = try TestStore()
        try await test.addWallet(.dash)
        front = Front(of: test.store)
    }

    private func answer(
        _ method: String, _ params: KeyValuePairs<String, JSON?> = [:]
    ) async throws -> JSON {
        let call = JSON.record([
            "jsonrpc": .string("2.0"), "id": .int(1), "method": .string(method),
            "params": .record(params),
        ])
        let answer = await front.answer(WipedBytes(copying: Array(call.text().utf8)))
        return try JSON.parse(try #require(answer).unprotected())
    }

    private func result(
        _ method: String, _ params: KeyValuePairs<String, JSON?> = [:]
    ) async throws -> JSON {
        let answer = try await answer(method, params)
        return try #require(answer["result"], "\(method): \(answer.text())")
    }

    /// Opens a link; returns the request, and the digest of its prompt.
    private func open(_ link: String) async throws -> (request: JSON?, digest: JSON?) {
        let opened = try await result("request.open", ["url": .string(link)])
        return (opened["request"], opened["prompt"]?["digest"])
    }

    private func approve(
        _ shown: (request: JSON?, digest: JSON?), with passphrase: String? = nil
    ) async throws -> JSON {
        try await answer(
            "request.approve",
            [
                "request": shown.request, "shown": shown.digest,
                "passphrase": passphrase.map(JSON.string),
            ])
    }

    private static let address = "dashwallet://request=address&sender=shop"

    @Test func `an approved request has its callback, which is delivered once`() async throws {
        let done = try await approve(try await open(Self.address), with: TestStore.passphrase)
        #expect(done["result"]?["status"] == .string("completed"))
        let callbacks = try await result("callback.list")["callbacks"]?.arrayValue
        #expect(callbacks?.map { $0["url"] } == [done["result"]?["callback"]])
        for _ in 0..<2 {
            _ = try await result("callback.delivered", ["request": done["result"]?["request"]])
        }
        #expect(try await test.store.callbacks().isEmpty)
    }

    @Test func `a request expires while it is shown`() async throws {
        let shown = try await open(Self.address)
        test.clock.advance(seconds: 3600)
        let late = try await approve(shown, with: TestStore.passphrase)
        #expect(late["error"]?["data"]?["code"] == .string("expired"))
        let waiting = try await result("request.list", ["status": .array([.string("pending")])])
        #expect(waiting["requests"] == .array([]))
        let request = try await result("request.show", ["request": shown.request])
        #expect(request["status"] == .string("expired"))
    }

    @Test func `a wallet that too many passphrases have locked opens again with time`()
        async throws
    {
        _ = try await test.store.set("expirySeconds", to: "86400")
        let shown = try await open(Self.address)
        var code: JSON?
        for _ in 0..<12 where code != .string("lockedOut") {
            code = try await approve(shown, with: "wrong")["error"]?["data"]?["code"]
        }
        #expect(code == .string("lockedOut"))
        let right = try await approve(shown, with: TestStore.passphrase)
        #expect(right["error"]?["data"]?["code"] == .string("lockedOut"))
        test.clock.advance(seconds: 7200)
        let done = try await approve(shown, with: TestStore.passphrase)
        #expect(done["result"]?["status"] == .string("completed"), "\(done.text())")
    }

    @Test func `an unlocked wallet needs its passphrase again when the time is over`()
        async throws
    {
        let wallet = try #require(try await test.store.wallets().first)
        let payment = "dashwallet://pay=\(wallet.address)&amount=1&sender="
        _ = try await result(
            "unlock",
            [
                "wallet": .int(Int(wallet.id.number)), "passphrase": .string(TestStore.passphrase),
                "seconds": .int(600), "limit": .string("5"),
            ])
        let first = try await approve(try await open(payment + "shop"))
        #expect(first["result"]?["status"] == .string("completed"), "\(first.text())")
        test.clock.advance(seconds: 590)
        let second = try await open(payment + "other")
        test.clock.advance(seconds: 20)
        let late = try await approve(second)
        #expect(late["error"]?["data"]?["code"] == .string("passphraseMissing"))
    }
}
