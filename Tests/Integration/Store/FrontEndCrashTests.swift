import DaybookEncoding
import DaybookLog
import Foundation
import Testing

@testable import Daybook

/// A front end that is killed anywhere between a link and its callback, and started again.
struct FrontEndCrashTests {
    static let places = [
        "committing", "request recorded", "asked", "observation recorded", "signed",
        "decision recorded", "broadcast", "answer recorded", "scanned", "changes recorded",
        "delivery recorded",
    ]

    @Test(arguments: Flow.all)
    func `killed at any place, a request is finished once by the next start`(flow: Flow)
        async throws
    {
        let start = try await SharedHome.funded([flow.chain])
        let whole = try SharedHome(copying: start)
        let run = try DriverProcess.run("handle", whole.path, "key", flow.text)
        #expect(run.status == 0, "\(run.lines)")
        #expect(Set(run.places).isSubset(of: Self.places))
        let expected = try await Finished(whole, flow)
        #expect(expected.status == .completed)
        var last = whole
        for number in 1...run.places.count {
            let home = try SharedHome(copying: start)
            let killed = try DriverProcess.run(
                "--kill", "\(number)", "handle", home.path, "key", flow.text)
            #expect(killed.wasKilled && killed.places == Array(run.places.prefix(number)))
            try await finish(home, flow, expected, "killed at \(killed.places)")
            last = home
        }
        let again = try DriverProcess.run("handle", last.path, "key", flow.text)
        #expect(again.status == 0, "\(again.lines)")
        #expect(try await Finished(last, flow) == expected)
    }

    @Test func `a creation killed at any call leaves no store or a whole one`() throws {
        let whole = try SharedHome()
        let run = try DriverProcess.run("create", whole.path)
        var missing = 0
        try #require(run.diskCalls.count > 10)
        for number in 1...run.diskCalls.count {
            let home = try SharedHome()
            let killed = try DriverProcess.run("--kill-at-disk", "\(number)", "create", home.path)
            #expect(killed.wasKilled && killed.diskCalls.count == number)
            let opened = try DriverProcess.run("open", home.path)
            if opened.status != 0 {
                missing += 1
                #expect(
                    opened.code == "storeMissing" || opened.code == "storeHalfCreated",
                    "\(opened.lines)")
                let again = try DriverProcess.run("create", home.path)
                #expect(again.status == 0, "\(number): \(again.lines)")
            }
            #expect(try DriverProcess.run("add", home.path, "icon").status == 0)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: home.path).sorted()
                    == ["keys", "keys.lock", "log", "log.key", "sandbox", "settings.json"])
        }
        #expect((1..<run.diskCalls.count).contains(missing))
    }

    @Test func `a wallet whose adding was killed anywhere is added by the next try`() async throws {
        let start = try await SharedHome.funded([])
        let whole = try SharedHome(copying: start)
        let run = try DriverProcess.run("add", whole.path, "dash")
        let calls = run.diskCalls.count
        #expect(run.places == ["key sealed", "committing", "wallet recorded"])
        try #require(calls > 2)
        let kills =
            (1...calls).map { ("--kill-at-disk", $0) } + (1...3).map { ("--kill", $0) }
        for (option, number) in kills {
            let home = try SharedHome(copying: start)
            let killed = try DriverProcess.run(option, "\(number)", "add", home.path, "dash")
            #expect(killed.wasKilled)
            let again = try DriverProcess.run("add", home.path, "dash")
            if again.status != 0 { #expect(again.code == "walletExists", "\(again.lines)") }
            let store = try home.open()
            #expect(try await store.wallets().count == 1, "\(option) \(number)")
            let request = try await store.receive("dashwallet://request=address&sender=myapp")
            #expect(try await store.approve(request.id).status == .completed)
            try await store.expectCleanReplay()
            let files = try FileManager.default.contentsOfDirectory(atPath: home.path + "/keys")
            #expect(files.count { $0.hasSuffix(".key") } == 1)
        }
    }

    @Test func `a drop of archived events that was killed anywhere goes on with the next try`()
        async throws
    {
        let start = try await SharedHome.funded([.dash])
        let whole = try SharedHome(copying: start)
        let run = try DriverProcess.run("archive", whole.path, whole.path + "/cache/archive")
        #expect(run.status == 0, "\(run.lines)")
        #expect(run.places.contains("archived"))
        let calls = run.diskCalls.count
        try #require(calls > 10)
        let kills = (1...calls).map { ("--kill-at-disk", $0) }
            + (1...run.places.count).map { ("--kill", $0) }
        var dropped: Set<Bool> = []
        for (option, number) in kills {
            let home = try SharedHome(copying: start)
            let archive = home.path + "/cache/archive"
            let killed = try DriverProcess.run(option, "\(number)", "archive", home.path, archive)
            #expect(killed.wasKilled)
            #expect(try Store.verify(at: home.path).problems == [], "\(option) \(number)")
            try dropped.insert(EventLog(readingAt: home.path + "/log").read { $0.archived != nil })
            let again = try DriverProcess.run("archive", home.path, archive)
            #expect(again.status == 0, "\(option) \(number): \(again.lines)")
            #expect(try Store.verify(at: home.path).problems == [], "\(option) \(number)")
            try await home.open().expectCleanReplay()
        }
        #expect(dropped == [false, true])
    }

    /// Starts another process that goes on, and compares what it leaves with a whole run's.
    private func finish(
        _ home: SharedHome, _ flow: Flow, _ expected: Finished, _ place: String
    ) async throws {
        let signed = try await home.open().signedTransactions()
        #expect(signed.count <= 1)
        if !signed.isEmpty {
            // Nothing needs the passphrase any more: going on alone must finish the request.
            let resumed = try DriverProcess.run("resume", home.path)
            #expect(resumed.status == 0, "\(place): \(resumed.lines)")
            #expect(try await Finished(home, flow).status == .completed, "\(place)")
        }
        let next = try DriverProcess.run("handle", home.path, "key", flow.text)
        #expect(next.status == 0, "\(place): \(next.lines)")
        #expect(try await Finished(home, flow) == expected, "\(place)")
        if let before = signed.first {
            #expect(try await home.open().signedTransactions() == [before], "\(place)")
        }
    }
}

/// All that a request leaves, but for what depends on the time at which it was made.
private struct Finished: Equatable {
    let status: WalletRequest.Status?
    /// The types of its events, sorted: which came first of two that a look brings is open.
    let events: [String]
    let callbacks: [String]
    let undelivered: [Callback]
    let arrived: [String]
    let balances: [Balance]

    /// Looks at a store after a block more, and replays it.
    init(_ home: SharedHome, _ flow: Flow) async throws {
        let copy = try SharedHome(copying: home)
        let store = try copy.open()
        try await store.mine(1)
        let records = try await store.allRecords()
        let received = records.filter { $0.type == "request.received" }
        #expect(received.count <= 1)
        let request = try await received.first.asyncMap {
            try await store.request(RequestID($0.position))
        }
        status = request?.status
        let own = records.filter { $0.request == received.first?.position && $0.request != nil }
        events = own.map(\.type).sorted()
        callbacks = own.filter { $0.type == "callback.emitted" }.map {
            let url = $0.data["url"]?.textValue ?? ""
            // ICON's hash and signature are of the time too.
            return flow.chain == .icon && url.utf8.count > 120 ? "\(url.utf8.count)" : url
        }
        undelivered = try await store.callbacks()
        arrived = try await flow.arrived(in: store)
        balances = try await store.balances()
        #expect(Set(events).count == events.count, "an event of a request comes once")
        #expect(callbacks.count <= 1)
        #expect(arrived == (status == .completed ? flow.pays.map { [$0] } ?? [] : arrived))
        try await store.expectCleanReplay()
    }
}

extension Optional {
    fileprivate func asyncMap<Value>(_ body: (Wrapped) async throws -> Value) async rethrows
        -> Value?
    {
        if let self { try await body(self) } else { nil }
    }
}

extension Store {
    /// The bytes of every transaction that was ever signed for a request.
    fileprivate func signedTransactions() throws -> [Bytes] {
        try allRecords().filter { $0.type == "transaction.signed" }
            .compactMap { $0.data["bytes"]?.bytesValue }
    }
}
