import DaybookDomain
import DaybookMigrations
import DaybookReplay
import Foundation
import Testing

@testable import Daybook
@testable import DaybookLog

/// The callbacks that a front end is told to open: none that nobody asked a person about, none of a
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
        let store = try TemporaryStore().open()
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
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        _ = try await store.addTestWallet(.icon)
        let first = try await store.receive(Self.bind(1, "shop"))
        _ = try await store.delivered(try await store.approve(first.id).id)
        let known = try await store.receive(Self.bind(2, "shop"))
        let unknown = try await store.receive(Self.bind(3, "stranger"))
        temporary.wait(seconds: 700)
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

    @Test func `callbacks are listed a page at a time, the oldest first`() async throws {
        let store = try TemporaryStore().open()
        _ = try await store.addTestWallet(.icon)
        var ids: [RequestID] = []
        for number in 1...3 {
            let request = try await store.receive(Self.bind(number, "shop"))
            ids.append(try await store.reject(request.id).id)
        }
        let first = try await store.callbacks(after: nil, limit: 2)
        #expect(first.callbacks.map(\.request) == Array(ids.prefix(2)))
        #expect(first.next == ids[1])
        let last = try await store.callbacks(after: first.next, limit: 2)
        #expect(last.callbacks.map(\.request) == [ids[2]])
        #expect(last.next == nil)
        #expect(try await store.callbacks(after: ids[2]).callbacks.isEmpty)
        #expect(try await store.callbacks() == first.callbacks + last.callbacks)
        // Opened callbacks make room for the others.
        for callback in first.callbacks { try await store.delivered(callback.request) }
        #expect(try await store.callbacks(after: nil, limit: 2) == last)
    }

    // MARK: - What did not come about here

    private static let foreign = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"

    /// A store whose log was altered by somebody who made every hash right.
    static func store(
        after work: (Store) async throws -> Void,
        altering alter: (Payload) -> Payload
    ) async throws -> Store {
        let temporary = try TemporaryStore()
        var records: [EventRecord] = []
        do {
            let store = try temporary.open()
            try await work(store)
            records = try await store.allRecords()
        }
        let log = temporary.path + "/log"
        try FileManager.default.removeItem(atPath: log)
        try LogFolder.create(at: log, id: records[0].logID) { try Migrations.migrate($0) }
        try EventLog(opening: log).write { transaction in
            for record in records {
                guard let event = try record.event() else { continue }
                let altered = Event(
                    position: event.position, time: event.time, session: event.session,
                    request: event.request, payload: alter(event.payload))
                var draft = EventDraft(
                    altered.payload, position: event.position, time: event.time,
                    session: event.session, request: event.request, actor: record.actor)
                draft.cause = record.cause
                _ = try transaction.append(draft)
            }
        }
        return try temporary.open()
    }

    @Test(arguments: [
        nil, "shop://?data=x", "javascript:alert(1)", "file:///etc/passwd", "shop:calc",
        "shop://x\u{1b}]0;x\u{7}",
    ])
    func `a recorded callback is handed out only if it agrees with the request's end`(
        url: String?
    ) async throws {
        let store = try await Self.store { store in
            _ = try await store.addTestWallet(.icon)
            _ = try await store.reject(try await store.receive(Self.bind(1, "shop")).id)
        } altering: { payload in
            guard let url, case .callbackEmitted = payload else { return payload }
            return .callbackEmitted(CallbackEmitted(url: url))
        }
        let id = try #require(try await store.allRecords().first { $0.request != nil }?.requestID)
        let request = try await store.request(id)
        #expect(request.status == .rejected)
        #expect((request.callback != nil) == (url == nil))
        #expect(try await store.callbacks().map(\.url) == (request.callback.map { [$0] } ?? []))
    }

    @Test(arguments: [true, false])
    func `an address in a recorded callback is handed out only if it is the wallet's own`(
        isAltered: Bool
    ) async throws {
        let store = try await Self.store { store in
            _ = try await store.addTestWallet(.dash)
            let request = try await store.receive("dashwallet://request=address&sender=shop")
            #expect(try await store.approve(request.id).callback != nil)
        } altering: { payload in
            guard isAltered else { return payload }
            switch payload {
            case .bindingGranted(let data):
                return .bindingGranted(
                    BindingGranted(
                        caller: data.caller, wallet: data.wallet, kind: data.kind,
                        values: [Self.foreign]))
            case .callbackEmitted(let data):
                let parts = data.url.components(separatedBy: "address=X")
                let rest = parts[1].drop { $0 != "&" }
                return .callbackEmitted(
                    CallbackEmitted(url: parts[0] + "address=" + Self.foreign + rest))
            default: return payload
            }
        }
        #expect(try await store.callbacks().count == (isAltered ? 0 : 1))
    }

    @Test func `a derived row that was altered changes no callback`() async throws {
        let temporary = try TemporaryStore()
        let request: WalletRequest
        do {
            let store = try temporary.open()
            _ = try await store.addTestWallet(.icon)
            request = try await store.approve(try await store.receive(Self.bind(1, "shop")).id)
        }
        try temporary.alterDerived { state in
            #expect(state.requests.update(request.id) { $0.callback = "thief://?data=x" })
        }
        do {
            let again = try temporary.open()
            #expect(try await again.request(request.id).callback == request.callback)
            #expect(try await again.callbacks().map(\.url) == [request.callback])
            #expect(try await again.delivered(request.id).url == request.callback)
        }
        // A process that has not handed it out checks it anew.
        #expect(try await temporary.open().delivered(request.id).url == request.callback)
    }
}
