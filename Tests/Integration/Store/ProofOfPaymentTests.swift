import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookReplay
import Foundation
import Testing

@testable import Daybook
@testable import DaybookLog

/// `pop` and `req-pop` of a payment URI, from the link to the URL that the front end opens.
struct ProofOfPaymentTests {
    private static let start = "dash:\(Flow.dash)?amount=1.5&"

    private static func funded(_ temporary: TemporaryStore) async throws -> Store {
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        return store
    }

    @Test(arguments: [
        ("pop=shop%3A", "shop:onchain="), ("req-pop=shop%3A%3F", "shop:?onchain="),
        ("pop=shop%3Abody%3Fpop%3D", "shop:body?pop=onchain="),
    ])
    func `the caller's app is opened with the transaction that was sent`(
        query: String, prefix: String
    ) async throws {
        let store = try await Self.funded(try TemporaryStore())
        let request = try await store.receive(Self.start + query)
        #expect(request.prompt?["sender"] == "shop")
        #expect(request.prompt?["senderStatus"] == "unverified, never seen before")
        #expect(
            request.prompt?["proof"] == "The sender gets the whole transaction once it is sent.")
        let paid = try await store.approve(request.id)
        #expect(paid.status == .completed)
        let url = try #require(paid.callback)
        #expect(url.hasPrefix(prefix))
        let bytes = try #require(Hex.decode(url.dropFirst(prefix.count)))
        let transaction = try UTXOTransaction.parse(bytes)
        #expect(Hex.encode(transaction.txid.displayed) == paid.transaction)
        #expect(try await store.callbacks().map(\.url) == [url])
        #expect(try await store.delivered(request.id).url == url)
        try await store.expectCleanReplay()
        #expect(try AuditTests.violations(try await store.allRecords()) == [])
    }

    @Test func `a web address is never opened: the payment is made without, or not at all`()
        async throws
    {
        let store = try await Self.funded(try TemporaryStore())
        let refused = try await store.receive(Self.start + "req-pop=https%3Aevilwebsite.com")
        #expect(refused.status == .refused && refused.refusal == "proofUnavailable")
        #expect(
            refused.reason == "the proof of payment that the link requires can't be sent ('pop')")
        #expect(refused.callback == nil)
        let request = try await store.receive(Self.start + "pop=https%3Aiwantyouripaddress.com")
        #expect(
            request.prompt?["proof"]
                == "The sender gets none: the URL that the link names may not be opened.")
        let paid = try await store.approve(request.id)
        #expect(paid.status == .completed && paid.callback == nil)
        #expect(try await store.callbacks().isEmpty)
        try await store.expectCleanReplay()
    }

    @Test(arguments: [nil, "shop:onchain=0100", "shop:?onchain=", "thief:onchain="])
    func `a recorded proof is handed out only if it is the transaction that was signed`(
        altered: String?
    ) async throws {
        let store = try await CallbackTests.store { store in
            let wallet = try await store.addTestWallet(.dash)
            _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
            let request = try await store.receive(Self.start + "pop=shop%3A")
            #expect(try await store.approve(request.id).callback != nil)
        } altering: { payload in
            guard let altered, case .callbackEmitted(let data) = payload else { return payload }
            let digits = data.url.drop { $0 != "=" }.dropFirst()
            let url = altered.hasSuffix("=") ? altered + digits : altered
            return .callbackEmitted(CallbackEmitted(url: url))
        }
        #expect(try await store.callbacks().count == (altered == nil ? 1 : 0))
        let found = try AuditTests.violations(try await store.allRecords())
        #expect(found.map(\.rule) == (altered == nil ? [] : [.givenWithoutDecision]))
    }
}
