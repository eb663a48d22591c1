import DaybookEncoding
import Testing

@testable import Daybook

/// The pages of requests and of a wallet's history, also after the end of a request.
struct ListTests {
    private static let address = "dashwallet://request=address&sender=myapp"

    /// A store with a wallet of each chain, in which a request of each kind was answered.
    private func answered(_ flows: [Flow]) async throws -> (Store, [WalletRequest]) {
        let store = try TemporaryStore().open()
        for chain in Set(flows.map(\.chain)) { try await store.addFundedWallet(chain) }
        var done: [WalletRequest] = []
        for flow in flows {
            done.append(try await store.approve(try await store.receive(flow.text).id))
        }
        return (store, done)
    }

    @Test func `an ended request still shows its content, for all protocols`() async throws {
        let axe = Flow(
            name: "axe", chain: .axe, text: "axewallet://pay=\(Flow.axe)&amount=0.25&sender=shop")
        let (store, done) = try await answered(Flow.all + [axe])
        let page = try await store.requests()
        #expect(page.requests.map(\.id) == done.map(\.id).reversed())
        #expect(page.next == nil)
        let requests = Array(page.requests.reversed())
        #expect(
            requests.map(\.summary) == [
                "pay 1.5 DASH to \(Flow.dash) for myapp (unverified)",
                "pay 1 DASH to \(Flow.dash) for myapp (unverified)",
                "give a receive address of account 0 for myapp (unverified)",
                "give a wallet's address for \(requests[3].sender ?? "") (unverified)",
                "sign a transaction of 0.000000000000000001 ICX to \(Flow.key2) for "
                    + "\(requests[4].sender ?? "") (unverified)",
                "send 1 ICX to \(Flow.key2) for \(requests[5].sender ?? "") (unverified)",
                requests[6].summary,
                "pay 0.25 AXE to \(Flow.axe) for shop (unverified)",
            ])
        #expect(requests.map(\.amount)[0...2] == ["150000000", "100000000", nil])
        #expect(requests[6].asset == Flow.token && requests[6].amount == "100")
        #expect(requests[7].symbol == "AXE" && requests[7].decimals == 8)
        for request in requests {
            let isSent = request.method?.hasPrefix("send") == true
            #expect(request.status == (isSent ? .sent : .completed) && request.wallet != nil)
            let (received, decided) = (request.received, request.decided ?? 0)
            #expect(received > 0 && decided > received && request.ended ?? 0 >= decided)
            let isPayment = request.method.map { ["pay", "sendICX", "sendToken"].contains($0) }
            #expect((isPayment == true) == (request.method == "sign" ? false : request.fee != nil))
        }
    }

    @Test func `requests that were not approved have the times of their end`() async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        try await store.addTestWallet(.dash)
        let rejected = try await store.receive(Self.address)
        try await store.reject(rejected.id)
        let expired = try await store.receive(Self.address)
        temporary.wait(seconds: 1_000_000)
        try await store.receive("nonsense")
        let requests = try await store.requests().requests
        #expect(requests.map(\.status) == [.refused, .expired, .rejected])
        #expect(requests.map { $0.decided != nil } == [false, false, true])
        #expect(requests.allSatisfy { $0.ended != nil })
        #expect(requests[1].id == expired.id && requests[1].decided == nil)
        #expect(requests[0].summary == "a link that no protocol can parse: nonsense")
    }

    @Test(arguments: [1, 3, 7, 100])
    func `pages follow each other without gaps and repeats`(limit: Int) async throws {
        let store = try TemporaryStore().open()
        try await store.addTestWallet(.dash)
        var ids: [RequestID] = []
        for number in 1...23 {
            let request = try await store.receive("\(Self.address)\(number)")
            ids.insert(request.id, at: 0)
            if number % 3 == 0 { try await store.reject(request.id) }
        }
        #expect(try await pages(of: store, nil, limit).map(\.id) == ids)
        let rejected = try await pages(of: store, [.rejected], limit)
        #expect(rejected.count == 7 && rejected.allSatisfy { $0.status == .rejected })
        let open = try await pages(of: store, [.pending], limit)
        #expect(Set(open.map(\.id)).isDisjoint(with: rejected.map(\.id)))
        #expect(open.count + rejected.count == ids.count)
        for status: Set<WalletRequest.Status>? in [nil, [.pending], [.rejected], [.sent]] {
            let newest = try await pages(of: store, status, limit)
            var oldest: [WalletRequest] = []
            var page = try await store.requests(status: status, after: nil, limit: limit)
            while true {
                #expect(page.requests.count <= limit)
                oldest += page.requests
                guard let next = page.next else { break }
                page = try await store.requests(status: status, after: next, limit: limit)
            }
            #expect(oldest == newest.reversed())
        }
    }

    @Test func `a request that waits is in the first page, however many came after it`()
        async throws
    {
        let store = try TemporaryStore().open()
        try await store.addTestWallet(.dash)
        let waiting = try await store.receive(Self.address)
        // All at once, so that they share commits.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...1_100 {
                group.addTask { _ = try await store.receive("nonsense \(number)") }
            }
            try await group.waitForAll()
        }
        let open = try await store.requests(status: [.pending, .signed], limit: 10)
        #expect(open.requests.map(\.id) == [waiting.id] && open.next == nil)
        let oldest = try await store.requests(status: [.pending], after: nil, limit: 10)
        #expect(oldest == open)
        let refused = try await store.requests(status: [.refused], after: waiting.id, limit: 3)
        #expect(refused.requests.count == 3 && refused.next == refused.requests.last?.id)
    }

    private func pages(
        of store: Store, _ status: Set<WalletRequest.Status>?, _ limit: Int
    ) async throws -> [WalletRequest] {
        var page = try await store.requests(status: status, limit: limit)
        var requests = page.requests
        while let next = page.next {
            page = try await store.requests(status: status, before: next, limit: limit)
            #expect(page.requests.count <= limit)
            requests += page.requests
        }
        return requests
    }

    @Test func `the history of a wallet names amounts, receivers and fees`() async throws {
        let store = try TemporaryStore().open()
        let wallet = try await store.addFundedWallet(.dash)
        let request = try await store.receive(Flow.all[0].text)
        try await store.approve(request.id)
        try await store.mine(1)
        let page = try await store.history(of: wallet.id)
        #expect(page.next == nil)
        #expect(page.entries.map(\.kind).last == .received)
        #expect(page.entries.last?.amount == "1000000000")
        #expect(page.entries.map(\.id) == [2, 1])
        let sent = try #require(page.entries.first { $0.kind == .sent })
        let fee = try #require(sent.fee.flatMap { UInt64(exactly: $0) })
        #expect(fee > 0 && sent.amount == "-\(150_000_000 + fee)")
        #expect(sent.symbol == "DASH" && sent.decimals == 8 && sent.height != nil)
        #expect(sent.recipient == Flow.dash && sent.request == request.id)
        #expect(sent.transaction != nil)
        var entries: [HistoryEntry] = []
        var next: UInt64?
        repeat {
            let part = try await store.history(of: wallet.id, before: next, limit: 1)
            #expect(part.entries.count <= 1)
            entries += part.entries
            next = part.next
        } while next != nil
        #expect(entries == page.entries)
        await #expect(throws: DaybookError.self) { try await store.history(of: 0) }
    }

    @Test func `another wallet's history is not in a page`() async throws {
        let store = try TemporaryStore().open()
        let dash = try await store.addFundedWallet(.dash)
        let axe = try await store.addFundedWallet(.axe)
        for wallet in [dash, axe] {
            let page = try await store.history(of: wallet.id, limit: 1)
            #expect(page.entries.allSatisfy { $0.asset == wallet.chain.coin })
            let rest = try await store.history(of: wallet.id, before: page.next)
            #expect(rest.entries.last?.kind == .received)
            #expect(rest.entries.last?.asset == wallet.chain.coin)
        }
    }
}
