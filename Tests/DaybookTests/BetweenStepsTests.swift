import DaybookDomain
import Testing

@testable import Daybook

/// What happens to a wallet between two steps of a request.
struct BetweenStepsTests {
    private var send: String {
        connect(
            #"{"id":1,"method":"sendICX","params":{"from":"\#(Flow.key1)","#
                + #""to":"\#(Flow.key2)","value":"0xde0b6b3a7640000"}}"#)
    }

    @Test func `a wallet stays while a request waits for its chain`() async throws {
        let bench = try Bench()
        let store = try bench.open()
        let wallet = try await store.addTestWallet(.icon)
        let id = try await store.recordOnly(send)
        await #expect(throws: DaybookError.self) { try await store.removeWallet(wallet.id) }
        try await store.resume()
        #expect(try await store.request(id).status == .refused)
        try await store.removeWallet(wallet.id)
    }
}

extension Store {
    /// A link that is recorded, and no more: there a crash may come.
    fileprivate func recordOnly(_ text: String) throws -> UInt64 {
        let received = RequestReceived(text: Array(text.utf8), frontEnd: "tests", key: nil)
        let events = try journal.record { _ in
            [.init(.requestReceived(received), request: .own)]
        }
        return events[0].position
    }
}
