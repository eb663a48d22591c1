import Foundation
import Testing

@testable import Daybook

/// Apps that flood, imitate, repeat and pester: the user's queue stays the user's.
struct HostileCallerTests {
    private static let address = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"

    private static func pay(_ duffs: Int, _ sender: String) -> String {
        "dashwallet://pay=\(address)&amount=0.\(String(format: "%08d", duffs))&sender=\(sender)"
    }

    private func settle(_ temporary: TemporaryStore, _ settings: String) throws {
        try Data(settings.utf8).write(to: URL(filePath: temporary.path + "/settings.json"))
    }

    @Test func `a flood of one sender is bounded, and the user turns it away at once`()
        async throws
    {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        var refused = 0
        for number in 0..<40 {
            let request = try await store.receive(Self.pay(10_000 + number, "flood"))
            guard request.status == .refused else { continue }
            #expect(request.refusal == "tooManyFromSender")
            #expect(request.callback == nil)
            refused += 1
        }
        #expect(refused == 24)
        let shop = try await store.receive(Self.pay(50_000, "shop"))
        #expect(shop.status == .pending)
        #expect(try await store.pending().count == 17)
        #expect(try await store.rejectAll(from: "FLOOD").allSatisfy { $0.status == .rejected })
        #expect(try await store.pending().map(\.id) == [shop.id])
        #expect(try await store.approve(shop.id).status == .completed)
        #expect(try await store.callbacks().map(\.request) == [shop.id])
        try await store.expectCleanReplay()
    }

    @Test func `a flood under many names leaves room for senders that were approved before`()
        async throws
    {
        let temporary = try TemporaryStore()
        try settle(temporary, #"{"pendingInTotal":20}"#)
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        _ = try await store.approve(try await store.receive(Self.pay(50_000, "shop")).id)
        let flood = try await (0..<40).asyncMap { number in
            try await store.receive(Self.pay(10_000, "name\(number)")).refusal?.rawValue
        }
        let most = Array(repeating: String?.none, count: 20)
        #expect(flood == most + Array(repeating: "tooManyRequests", count: 20))
        #expect(try await store.receive(Self.pay(60_000, "shop")).status == .pending)
        try await store.expectCleanReplay()
    }

    @Test func `a blocked sender is refused by name, whatever it asks, and told nothing`()
        async throws
    {
        let temporary = try TemporaryStore()
        try settle(temporary, #"{"blockedSenders":["Evil"]}"#)
        let store = try temporary.open()
        _ = try await store.addTestWallet(.dash)
        for text in [Self.pay(10_000, "evil"), "dashwallet://request=address&sender=EVIL"] {
            let request = try await store.receive(text)
            #expect(request.status == .refused)
            #expect(request.refusal == "senderBlocked")
        }
        #expect(try await store.callbacks().isEmpty)
        #expect(try await store.receive(Self.pay(10_000, "shop")).status == .pending)
        try await store.expectCleanReplay()
    }

    @Test(arguments: [
        #"{"blockedSenders":"evil"}"#, #"{"blockedSenders":[1]}"#, #"{"blockedSenders":["a b"]}"#,
        #"{"pendingPerSender":0}"#, #"{"pendingInTotal":-1}"#, #"{"pendingInTotal":"many"}"#,
    ])
    func `settings of the limits that make no sense are named`(settings: String) throws {
        let temporary = try TemporaryStore()
        try settle(temporary, settings)
        let error = #expect(throws: DaybookError.self) { try temporary.open() }
        #expect(error?.code == "settingsInvalid")
        let name = try #require(settings.split(separator: "\"").dropFirst().first)
        #expect(error?.message.contains(name) == true)
    }

    @Test func `a sender that looks like one the user knows is shown with a warning`()
        async throws
    {
        let store = try TemporaryStore().open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        _ = try await store.approve(try await store.receive(Self.pay(50_000, "myshop1")).id)
        let alike = try await store.receive(Self.pay(50_000, "my-shopl"))
        #expect(
            alike.prompt?.warnings.first
                == PromptText.Warning(
                    code: "similarSender",
                    text: "You approved a sender with a similar name before: myshop1"))
        #expect(try await store.approve(alike.id).status == .completed)
        try await store.expectCleanReplay()
    }

    @Test func `a URL that comes again asks again, and says that it was answered`() async throws {
        let store = try TemporaryStore().open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        let first = try await store.receive(Self.pay(50_000, "shop"))
        _ = try await store.approve(first.id)
        let again = try await store.receive(Self.pay(50_000, "shop"))
        #expect(again.status == .pending)
        #expect(
            again.prompt?.warnings.first?.text
                == "The same request was already answered: request \(first.id).")
        #expect(try await store.receive(Self.pay(50_000, "shop")).coalescedInto == again.id)
        try await store.expectCleanReplay()
    }

    @Test func `requests that come while the wallet is locked wait, and are approved later`()
        async throws
    {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        let first = try await store.receive(Self.pay(50_000, "shop"))
        for _ in 0..<3 {
            await #expect(throws: DaybookError.self) {
                try await store.approve(
                    first.id, shown: try #require(first.prompt),
                    unlockedBy: Passphrase("not this one"))
            }
        }
        let second = try await store.receive(Self.pay(60_000, "shop"))
        #expect(second.status == .pending)
        let error = await #expect(throws: DaybookError.self) {
            try await store.approve(second.id)
        }
        #expect(error?.code == "lockedOut")
        #expect(try await store.reject(second.id).status == .rejected)
        temporary.wait(seconds: 61)
        #expect(try await store.approve(first.id).status == .completed)
        try await store.expectCleanReplay()
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async throws
        -> [Value]
    {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
