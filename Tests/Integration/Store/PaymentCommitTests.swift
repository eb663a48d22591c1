import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookNodes
import DaybookReplay
import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Daybook

/// How often a payment waits for the log's disk.
struct PaymentCommitTests {
    private static let parties = #""from":"\#(Flow.key1)","to":"\#(Flow.key2)""#

    static let payments =
        Flow.all.filter { $0.pays != nil } + [
            Flow(
                name: "Axe", chain: .axe,
                text: "axewallet://pay=\(Flow.axe)&amount=1.5&sender=myapp"),
            Flow(name: "BIP 21", chain: .dash, text: "dash:\(Flow.dash)?amount=0.25"),
            Flow(
                name: "sendICX with a message", chain: .icon,
                text: connect(
                    #"{"id":4,"method":"sendICX","params":{\#(parties),"value":"0x1","#
                        + #""dataType":"message","data":"0x686f6c61"}}"#)),
            Flow(name: "icx_sendTransaction", chain: .icon, text: secondForm),
        ]

    private static var secondForm: String {
        let raw = #""version":"0x3",\#(parties),"value":"0x1","stepLimit":"0x186a0","#
            + #""timestamp":"0x\#(String(1_800_000_000_000_000, radix: 16))","nid":"0x3","#
            + #""nonce":"0x1""#
        let json = #"{"redirect":"app://back","payload":{"jsonrpc":"2.0","#
            + #""method":"icx_sendTransaction","id":1,"params":{\#(raw)}}}"#
        return "iconex://JSON-RPC?data=\(Base64.encode(Array(json.utf8)))"
    }

    @Test(arguments: payments)
    func `a payment is four commits, each before the step that it protects, and a scan`(flow: Flow)
        async throws
    {
        let commits = Mutex(0)
        let store = try await funded(flow.chain) { place in
            if place == "committing" { commits.withLock { $0 += 1 } }
        }
        func taken() -> Int { commits.withLock { count in defer { count = 0 }; return count } }
        let before = try await store.allRecords().count
        _ = taken()

        // The request and its judgement, before the prompt is shown; on ICON the request, before
        // the node is asked, and then the node's answer and the judgement.
        let request = try await store.receive(flow.text)
        try #require(request.status == .pending, "\(request.reason ?? "")")
        #expect(taken() == (flow.chain == .icon ? 2 : 1))
        // The decision and the signed bytes, before they are sent; then what the chain says to
        // them and the callback, before that is handed out. The results of a scan protect nothing.
        let done = try await store.approve(request.id)
        #expect(done.status == .completed)
        let isScanned = flow.chain != .icon
        // With `req-IS`, the caller is told once the payment is locked.
        let isTold = done.callback != nil
        let waitsForLock = flow.text.contains("req-IS")
        #expect(taken() == (isScanned ? 3 : 2))
        // Its delivery.
        if done.callback != nil { _ = try await store.delivered(request.id) }
        #expect(taken() == (done.callback == nil ? 0 : 1))
        // Nothing was put off.
        #expect(try await store.sync().events == 0)

        let received =
            flow.chain == .icon
            ? [["request.received", "request.deferred"], ["chain.observed", "request.accepted"]]
            : [["request.received", "request.accepted"]]
        let made = try await store.commits(from: before)
        #expect(
            made == received + [
                ["decision.made", "transaction.prepared", "signature.made", "transaction.signed"],
                ["broadcast.answered", "transaction.sent"]
                    + (isTold && !waitsForLock ? ["callback.emitted"] : []),
            ]
                + (isScanned
                    ? [
                        ["chain.observed", "transaction.locked"]
                            + (waitsForLock ? ["callback.emitted"] : [])
                    ] : [])
                + (isTold ? [["callback.delivered"]] : []))
        try await store.expectCleanReplay()
    }

    /// The commits of a payment, with what each comes before, as the documents name them.
    private static let commits = [
        ("1", "the prompt is shown"), ("2", "the transaction is sent"),
        ("3", "the callback is handed out"), ("scan", ""), ("4", ""),
    ]

    @Test func `each commit of a payment changes the tables that the documents name`()
        async throws
    {
        let store = try await funded(.dash) { _ in }
        let before = try await store.allRecords().count
        let request = try await store.receive(Flow.all[0].text)
        _ = try await store.approve(request.id)
        _ = try await store.delivered(request.id)

        var state = State()
        var tables: [Set<String>] = []
        var events: [[String]] = []
        var time: UInt64 = 0
        for (position, record) in try await store.allRecords().enumerated() {
            let rows = Set(Self.rows(of: state))
            if let event = try record.event() { state.evolve(event) }
            guard position >= before else { continue }
            // The events of one commit have one time.
            if record.time != time {
                tables.append([])
                events.append([])
            }
            time = record.time
            events[events.count - 1].append(record.type)
            let changed = rows.symmetricDifference(Self.rows(of: state))
            tables[tables.count - 1].formUnion(changed.map { row in
                String(decoding: row.key.prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self)
            })
        }
        #expect(tables.count == Self.commits.count)
        let rows = Self.commits.indices.map { index in
            let (name, before) = Self.commits[index]
            let cells = [events[index], tables[index].sorted()].map { names in
                names.map { "`\($0)`" }.joined(separator: ", ")
            }
            return "| \(name) | \(before) | \(cells[0]) | \(cells[1]) |"
        }
        try MadeText("commits of a payment", in: "docs/ARCHITECTURE.md").expect(
            [
                "| commit | before | its events | tables of the state that change |",
                "|---|---|---|---|",
            ] + rows)
    }

    private static func rows(of state: State) -> [Row] {
        state.rows.scan(prefix: [], after: nil, limit: .max)
    }

    @Test func `payments at once take no more commits than one after the other`() async throws {
        let counts = Mutex<[String: Int]>([:])
        let store = try TemporaryStore().open(probe: { place in
            counts.withLock { $0[place, default: 0] += 1 }
        })
        var payments: [(request: RequestID, wallet: WalletID)] = []
        // Of names that are alike, approving one would change the others' prompts.
        for (number, name) in zip(1..., ["bakery", "museum", "florist", "cinema"]) {
            let key = String(repeating: "0", count: 63) + "\(number)"
            let wallet = try await store.addWallet(
                .hexKey(Passphrase(key)), chain: .dash, sealedBy: Passphrase("correct horse")
            ).wallet.id
            _ = try await store.fundFromFaucet(wallet, amount: "1000000000")
            let text = "dashwallet://pay=\(Flow.dash)&amount=0.\(number)&sender=\(name)"
            payments.append((try await store.receive(text).id, wallet))
        }
        counts.withLock { $0 = [:] }
        let approvals = payments.map { payment in
            Task { try await store.approve(payment.request, wallet: payment.wallet).status }
        }
        for approval in approvals { #expect(try await approval.value == .completed) }
        let found = counts.withLock { $0 }
        // Another payment's approval does not overtake a scan.
        #expect(found["scanned"] == found["changes recorded"])
        // Three for each, as one after the other, or fewer where they meet.
        #expect(found["committing", default: 0] <= 12)
        #expect(try await store.sync().events == 0)
        try await store.expectCleanReplay()
    }

    /// A chain that takes a transaction and then says nothing, or does not know it any more.
    private struct Forgetful: ReplacedNode {
        let embedded: any ChainClient
        let isSilent: Bool
        let hasTaken: @Sendable (Bool?) -> Bool

        func observe(_ question: ChainQuery, progress: ChainProgress?)
            async throws(ChainFailure) -> ChainSnapshot
        {
            guard hasTaken(nil) else {
                return try await embedded.observe(question, progress: progress)
            }
            if isSilent { throw ChainFailure(.noAnswer, "it is silent") }
            return ChainSnapshot(chain: .icon, network: .sandbox)
        }

        func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
            _ = hasTaken(true)
            return await embedded.broadcast(bytes, txid: txid)
        }
    }

    @Test(arguments: [true, false])
    func `a chain's answer to a payment is recorded also if the scan fails`(isSilent: Bool)
        async throws
    {
        let flow = try #require(Flow.all.first { $0.name == "sendICX" })
        let temporary = try TemporaryStore()
        let hasTaken = Mutex(false)
        let store = try temporary.open { parts in
            parts.client = { _, _, embedded in
                Forgetful(embedded: embedded, isSilent: isSilent) { taken in
                    hasTaken.withLock { has in
                        if let taken { has = taken }
                        return has
                    }
                }
            }
        }
        try await store.addFundedWallet(flow.chain)
        try await store.mine(6)
        let done = try await store.approve(try await store.receive(flow.text).id)
        #expect(done.status == .completed && done.callback != nil)
        let types = try await store.allRecords().filter { $0.requestID == done.id }.map(\.type)
        #expect(types.count { $0 == "broadcast.answered" } == 1)
        #expect(types.suffix(3) == ["broadcast.answered", "transaction.sent", "callback.emitted"])
        hasTaken.withLock { $0 = false }
        #expect(try await flow.arrived(in: store).isEmpty)
        try await store.mine(1)
        #expect(try await flow.arrived(in: store) == [flow.pays])
        try await store.expectCleanReplay()
    }

    private func funded(_ chain: ChainName, _ probe: @escaping Probe) async throws -> Store {
        let store = try TemporaryStore().open(probe: probe)
        try await store.addFundedWallet(chain)
        try await store.mine(6)
        return store
    }
}

extension Store {
    /// The types of the events from a position on, by commit: each commit has one time.
    fileprivate func commits(from position: Int) throws -> [[String]] {
        let records = try allRecords().dropFirst(position)
        return records.reduce(into: []) { commits, record in
            if records.first?.position != record.position,
                records[Int(record.position) - 1].time == record.time
            {
                commits[commits.count - 1].append(record.type)
            } else {
                commits.append([record.type])
            }
        }
    }
}
