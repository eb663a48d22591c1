import DaybookDomain
import Testing

@testable import Daybook

/// Events that reach a wallet between two steps of a request.
struct BetweenStepsTests {
    private var send: String {
        connect(
            #"{"id":1,"method":"sendICX","params":{"from":"\#(Flow.key1)","#
                + #""to":"\#(Flow.key2)","value":"0xde0b6b3a7640000"}}"#)
    }

    @Test func `a wallet stays while a request waits for its chain`() async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.icon)
        let id = try await store.recordOnly(send)
        await #expect(throws: DaybookError.self) { try await store.removeWallet(wallet.id) }
        try await store.resume()
        #expect(try await store.request(id).status == .refused)
        try await store.removeWallet(wallet.id)
    }

    @Test func `an amount that an ICON network dropped is no longer held back`() async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.icon)
        _ = try await store.fundFromFaucet(wallet.id, amount: "10000000000000000000")
        let request = try await store.receive(send)
        #expect(try await store.approve(request.id).status == .completed)
        #expect(try await store.balances().map(\.reserved) != ["0"])
        temporary.wait(seconds: 900)
        try await store.mine(1)
        let balance = try #require(try await store.balances().first)
        #expect(balance.reserved == "0" && balance.available == "10000000000000000000")
        #expect(try await store.history(of: wallet.id).entries.map(\.kind) == [.received])
        // It is said once, with the time from which on the advice is not refused.
        for _ in 0..<3 {
            let round = try await store.sync()
            #expect(round.events == 0 && round.payments == [])
        }
        let lost = try await store.request(request.id)
        #expect(lost.status == .failed && lost.refusal == "dropped" && lost.wasToldPaid)
        #expect(lost.advice?.contains("not before") == false, "its time is over")
        let again = try await store.receive(send)
        #expect(try await store.approve(again.id).status == .completed)
        try await store.expectCleanReplay()
    }

    @Test func `a payment dropped by an ICON network is paid again after its time`() async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.icon)
        _ = try await store.fundFromFaucet(wallet.id, amount: "10000000000000000000")
        let request = try await store.receive(send)
        try await store.approve(request.id)
        // The chain loses it six minutes later, while another node could still take it.
        temporary.wait(seconds: 400)
        try await store.mine(1)
        var told = 0
        for _ in 0..<3 { told += try await store.sync().payments.count }
        #expect(told == 0, "mine has said it")
        let lost = try await store.request(request.id)
        let advice = try #require(lost.advice)
        #expect(lost.status == .failed && advice.contains("not before 20"), "\(advice)")
        let early = try await store.receive(send)
        #expect(early.prompt?.problem?.contains("earlier attempt") == true)
        temporary.wait(seconds: 600)
        _ = try await store.sync()
        #expect(try await store.request(request.id).advice?.contains("not before") == false)
        let late = try await store.receive(send)
        #expect(late.prompt?.problem == nil)
        #expect(try await store.approve(late.id).status == .completed)
        try await store.expectCleanReplay()
    }

    @Test func `a wallet that went and came back is counted once`() async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let first = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(first.id, amount: "1000000000")
        try await store.removeWallet(first.id)
        #expect(try await store.balances().isEmpty)
        let second = try await store.addTestWallet(.dash)
        _ = try await store.sync()
        let balances = try await store.balances()
        #expect(balances.map(\.wallet) == [second.id])
        #expect(balances.map(\.confirmed) == ["1000000000"])
        #expect(try await store.balances(wallet: first.id).map(\.confirmed) == ["0"])
        try await store.expectCleanReplay()
    }
}

extension Store {
    /// A link that is recorded, and no more: there a crash may come.
    func recordOnly(_ text: String) async throws -> RequestID {
        let received = RequestReceived(text: Array(text.utf8), frontEnd: "tests", key: nil)
        let events = try await journal.record { _, _, _ in
            [.init(.requestReceived(received), request: .own)]
        }
        let own = events.first { if case .requestReceived = $0.payload { true } else { false } }
        return RequestID(try #require(own).position)
    }
}
