import DaybookEncoding
import Testing

@testable import Daybook

/// Requests and entries of histories by sender, address, amount, text, period and status.
struct RequestSearchTests {
    private let temporary: TemporaryStore

    init() throws { temporary = try TemporaryStore() }

    private func filter(_ change: (inout RequestFilter) -> Void) -> RequestFilter {
        var filter = RequestFilter()
        change(&filter)
        return filter
    }

    /// The ids of all pages, the newest first; those from the oldest on must be the same.
    private func ids(
        of store: Store, _ filter: RequestFilter, limit: Int = 100
    ) async throws -> [RequestID] {
        var found: [RequestID] = []
        var page = try await store.requests(matching: filter, limit: limit)
        while true {
            #expect(page.requests.count <= limit)
            found += page.requests.map(\.id)
            guard let next = page.next else { break }
            page = try await store.requests(matching: filter, before: next, limit: limit)
        }
        var oldest: [RequestID] = []
        page = try await store.requests(matching: filter, after: nil, limit: limit)
        while true {
            oldest += page.requests.map(\.id)
            guard let next = page.next else { break }
            page = try await store.requests(matching: filter, after: next, limit: limit)
        }
        #expect(oldest == found.reversed())
        return found
    }

    @Test func `each condition finds exactly the requests that it names`() async throws {
        let store = try temporary.open()
        try await store.addFundedWallet(.dash)
        try await store.addFundedWallet(.icon)
        let other = "Xpaoj6HfB2Jzhfs8b4WxnqcKw1ARRNzWLb"
        let paid = try await store.receive(
            "dashwallet://pay=\(Flow.dash)&amount=1.50&sender=Shop&message=Two%20Cups")
        try await store.approve(paid.id)
        temporary.wait(seconds: 100)
        let sent = try await store.receive(Flow.all[5].text)
        let copy = try await store.receive(
            "dash:\(Flow.dash)?amount=0.25&label=Bakery")
        let again = try await store.receive("dash:\(Flow.dash)?amount=0.25&label=Bakery")
        #expect(again.status == .coalesced)
        let wrong = try await store.receive("dashwallet://pay=\(other)&amount=1.5&sender=shop")
        let lend = try await store.receive(
            connect(#"{"id":9,"method":"lend","params":{"note":"Umbrella"}}"#))
        #expect(lend.status == .refused)
        let free = try await store.receive("dash:\(Flow.dash)")
        try await store.approve(free.id, amount: 12_500_000)
        func expect(
            _ wanted: [RequestID], at place: SourceLocation = #_sourceLocation,
            _ change: (inout RequestFilter) -> Void
        ) async throws {
            let found = try await ids(of: store, filter(change), limit: 2)
            #expect(found == wanted.sorted().reversed(), sourceLocation: place)
        }
        for name in ["shop", "SHOP"] { try await expect([paid.id]) { $0.sender = name } }
        try await expect([paid.id, copy.id, again.id, free.id]) { $0.address = Flow.dash }
        try await expect([sent.id]) { $0.address = Flow.key2 }
        for amount in ["1.5", "1.500"] { try await expect([paid.id]) { $0.amountInCoins = amount } }
        try await expect([sent.id]) { $0.amountInCoins = "1" }
        try await expect([free.id]) { $0.amountInCoins = "0.125" }
        try await expect([copy.id, again.id]) { $0.amountInCoins = ".25" }
        try await expect([paid.id]) { $0.text = "two cups" }
        try await expect([paid.id]) { $0.text = "o%20C" }
        try await expect([copy.id, again.id]) { $0.text = "bakery" }
        try await expect([lend.id]) { $0.text = "UMBRELLA" }
        try await expect([wrong.id]) { $0.text = other }
        try await expect([wrong.id]) { $0.text = "no address of Dash" }
        try await expect([paid.id, wrong.id]) { $0.text = "sender=shop" }
        try await expect([paid.id, copy.id, again.id, free.id, wrong.id]) { $0.text = "dash" }
        let transaction = try #require(try await store.request(paid.id).transaction)
        let digits = [transaction, String(transaction.prefix(8)), "0x\(transaction.uppercased())"]
        for digits in digits { try await expect([paid.id]) { $0.text = digits } }
        try await expect([]) { $0.text = String(transaction.prefix(7)) + "q" }
        let time = try await store.request(sent.id).received
        try await expect([paid.id]) { $0.to = time }
        try await expect([sent.id, copy.id, again.id, wrong.id, lend.id, free.id]) {
            $0.from = time
        }
        try await expect([]) { ($0.from, $0.to) = (1, 2) }
        try await expect([wrong.id, lend.id]) { $0.status = [.refused] }
        try await expect([copy.id]) { ($0.status, $0.text) = ([.pending], "Bakery") }
        try await expect([wrong.id]) { ($0.status, $0.text, $0.from) = ([.refused], "shop", time) }
        try await expect([]) { ($0.sender, $0.amountInCoins) = ("shop", "1") }
        try await expect([paid.id]) {
            ($0.sender, $0.amountInCoins, $0.address, $0.text) = ("shop", "1.5", Flow.dash, "cups")
        }
    }

    /// Labels things of a store with two requests that name an address, and many that don't.
    private func label(_ sender: LabelTarget) async throws -> [RequestID] {
        let store = try temporary.open()
        try await store.set("pendingPerSender", to: "1000")
        try await store.set("pendingInTotal", to: "1000")
        let wallet = try await store.addFundedWallet(.dash)
        // This one is given before its sender has asked for anything.
        try await store.set([Label(about: sender, text: "100%41 Corner shop")])
        let paid = try await store.receive(
            "dashwallet://pay=\(Flow.dash)&amount=1.50&sender=Shop&message=Two%20Cups")
        try await store.approve(paid.id)
        try await fill(store, 300)
        let last = try await store.receive("dash:\(Flow.dash)?amount=0.25&label=Bakery")
        let transaction = try #require(try await store.request(paid.id).transaction)
        let labels = [
            ("request:\(last.id)", "rent"), ("tx:\(transaction)", "breakfast"),
            ("address:\(Flow.dash)", "Landlord"), ("address:\(wallet.address)", "my salary"),
        ]
        try await store.set(
            try labels.map { Label(about: try LabelTarget($0.0), text: $0.1) })
        return [paid.id, last.id]
    }

    @Test func `a search finds labels' subjects, until the labels are taken away`() async throws {
        let sender = try LabelTarget("sender:shop")
        let requests = try await label(sender)
        let (paid, last) = (requests[0], requests[1])
        try temporary.storeDerived()
        let reopened = try temporary.open()
        func found(_ text: String) async throws -> Set<RequestID> {
            Set(try await ids(of: reopened, filter { $0.text = text }, limit: 7))
        }
        let all = try await reopened.requests(limit: 1000).requests
        func those(_ isWanted: (WalletRequest) -> Bool) -> Set<RequestID> {
            Set(all.filter(isWanted).map(\.id))
        }
        #expect(try await found("RENT") == [last])
        #expect(try await found("breakfast") == [paid])
        #expect(try await found("corner") == those { $0.sender == "shop" })
        #expect(try await found("100%41") == those { $0.sender == "shop" })
        #expect(try await found("landlord") == those { $0.recipient == Flow.dash })
        #expect(try await found("my salary").isEmpty)
        #expect(all.first { $0.id == paid }?.senderLabel == "100%41 Corner shop")
        #expect(all.first { $0.id == paid }?.recipientLabel == "Landlord")
        let wallet = try #require(try await reopened.wallets().first)
        let funds = try #require(try await reopened.history(of: wallet.id).entries.last?.id)
        for (text, wanted) in [("breakfast", 1), ("corner", 1), ("landlord", 1), ("salary", 1)] {
            let page = try await reopened.history(
                of: wallet.id, matching: filter { $0.text = text })
            #expect(page.entries.count == wanted, "\(text)")
            #expect(text != "salary" || page.entries.map(\.id) == [funds])
        }
        try await reopened.set([Label(about: sender, text: nil)])
        #expect(try await found("corner").isEmpty)
    }

    /// Requests of a few senders, amounts and texts, most of which are refused.
    private func fill(_ store: Store, _ count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                let sender = ["shop", "bakery", "museum"][number % 3]
                let amount = "0.00\(1 + number % 7)"
                let end = "amount=\(amount)&sender=\(sender)"
                let link = number % 2 == 0
                    ? "dash:\(Flow.dash)?\(end)&message=order%20\(number)"
                    : "dashwallet://pay=\(number)&\(end)"
                group.addTask { _ = try await store.receive(link) }
            }
            try await group.waitForAll()
        }
    }

    private func filled() async throws {
        let store = try temporary.open()
        try await store.set("pendingPerSender", to: "1000")
        try await store.set("pendingInTotal", to: "1000")
        try await store.addTestWallet(.dash)
        try await fill(store, 330)
        try await compare(store)
    }

    /// Compares what is found with a look at all requests.
    private func compare(_ store: Store) async throws {
        let all = try await store.requests(limit: 1000).requests
        #expect(all.count == 330)
        for limit in [7, 1000] {
            let shop = try await ids(of: store, filter { $0.sender = "shop" }, limit: limit)
            #expect(shop == all.filter { $0.sender == "shop" }.map(\.id) && shop.count == 55)
            let some = try await ids(
                of: store, filter { ($0.sender, $0.amountInCoins) = ("bakery", "0.003") },
                limit: limit)
            let same = all.filter { $0.sender == "bakery" && $0.amount == "300000" }
            #expect(some == same.map(\.id) && !some.isEmpty)
            let text = try await ids(of: store, filter { $0.text = "order 12" }, limit: limit)
            #expect(text.count == 6)
            let refused = try await ids(
                of: store, filter { ($0.text, $0.status) = ("museum", [.refused]) }, limit: limit)
            #expect(refused.count == 55)
            let short = try await ids(of: store, filter { $0.text = "9&" }, limit: limit)
            #expect(short.count == 33)
        }
    }

    @Test func `a search finds the same requests as a scan of all, also after reopening`()
        async throws
    {
        try await filled()
        try temporary.storeDerived()
        let store = try temporary.open()
        try await compare(store)
        #expect(try await store.verify().problems.isEmpty)
    }

    @Test(arguments: [
        ("amount", "1,5", "'1,5' is not a decimal amount such as 1.5"),
        ("amount", "-1", "'-1' is not a decimal amount such as 1.5"),
        ("address", "bc1qxy", "'bc1qxy' is no address of Dash, Axe or ICON"),
        ("period", "", "the period ends before it begins, or when it begins"),
        ("text", "", "the text to look for is empty"),
        ("text", "10 MB", "the text to look for has at most 1024 bytes"),
        ("sender", "", "a sender's name is empty"),
    ])
    func `a condition that makes no sense is named`(
        field: String, value: String, message: String
    ) async throws {
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash)
        let wrong = filter {
            switch field {
            case "amount": $0.amountInCoins = value
            case "address": $0.address = value
            case "period": ($0.from, $0.to) = (5, 5)
            case "sender": $0.sender = value
            default: $0.text = value.isEmpty ? "" : String(repeating: "x", count: 10_000_000)
            }
        }
        let code = "invalid\(field.prefix(1).uppercased())\(field.dropFirst())"
        let error = await expectCode(code) { try await store.requests(matching: wrong) }
        #expect(error?.message == message && error?.kind == .usage)
        _ = await expectCode(code) { try await store.history(of: wallet.id, matching: wrong) }
    }

    @Test func `a history is searched by its entries and by their requests`() async throws {
        let address = try await paid()
        try temporary.storeDerived()
        try await searchHistory(of: try temporary.open(), paidTo: address)
    }

    /// Makes two payments from a wallet, and returns the address that got its coins.
    private func paid() async throws -> String {
        let store = try temporary.open()
        let address = try await store.addFundedWallet(.dash).address
        for link in [
            "dashwallet://pay=\(Flow.dash)&amount=1.5&sender=shop&message=Two%20Cups",
            "dash:\(Flow.dash)?amount=0.25&label=Bakery",
        ] {
            try await store.approve(try await store.receive(link).id)
            try await store.mine(1)
            temporary.wait(seconds: 100)
        }
        try await searchHistory(of: store, paidTo: address)
        return address
    }

    private func searchHistory(of store: Store, paidTo address: String) async throws {
        let wallet = try #require(try await store.wallets().first)
        let all = try await store.history(of: wallet.id).entries
        let paying = all.filter { $0.request != nil }
        #expect(paying.count == 2 && all.count == 3)
        func expect(
            _ wanted: [HistoryEntry], at place: SourceLocation = #_sourceLocation,
            _ change: (inout RequestFilter) -> Void
        ) async throws {
            var found: [UInt64] = []
            var page = try await store.history(of: wallet.id, matching: filter(change), limit: 1)
            while true {
                found += page.entries.map(\.id)
                guard let next = page.next else { break }
                page = try await store.history(
                    of: wallet.id, matching: filter(change), before: next, limit: 1)
            }
            #expect(found == wanted.map(\.id), sourceLocation: place)
        }
        let (second, first, funds) = (all[0], all[1], all[2])
        try await expect(all) { $0.status = nil }
        try await expect([first]) { $0.sender = "shop" }
        try await expect([second, first]) { $0.address = Flow.dash }
        try await expect([first]) { $0.amountInCoins = "1.5" }
        try await expect([first]) { $0.text = "cups" }
        try await expect([second]) { ($0.text, $0.amountInCoins) = ("bakery", "0.25") }
        try await expect([]) { ($0.text, $0.amountInCoins) = ("bakery", "1.5") }
        try await expect([first]) {
            $0.amountInCoins = String(first.amount.inCoins(decimals: 8).drop { $0 == "-" })
        }
        try await expect([first]) { $0.text = first.transaction }
        try await expect([funds]) { $0.address = address }
        try await expect([second]) { $0.from = second.time }
        try await expect([first, funds]) { $0.to = second.time }
        try await expect([second, first]) { $0.status = [.sent, .completed] }
        try await expect([]) { $0.status = [.refused] }
    }
}
