import DaybookDomain
import DaybookEncoding
import Testing

@testable import Daybook

/// Prices of a store: recorded one by one or from a table.
struct PriceTests {
    private let temporary: TemporaryStore
    private let store: Store

    init() throws {
        temporary = try TemporaryStore()
        store = try temporary.open()
    }

    private func set(
        _ price: String, _ asset: String = "DASH", _ currency: String = "EUR",
        at time: Timestamp? = 5
    ) async throws {
        try await store.set([
            AssetPrice(asset: asset, currency: currency, price: price, time: time)
        ])
    }

    private func rows() async throws -> [String] {
        try await store.events(from: 0, limit: 1000).filter { $0.type == "price.set" }
            .map { _ in "event" }
    }

    @Test func `a price is recorded once, and another one for the same time is refused`()
        async throws
    {
        try await set("24.30")
        try await set("024.3")
        #expect(try await rows().count == 1)
        #expect(await errorCode { try await set("24.31") } == .priceConflict)
        try await set("24.31", at: 6)
        try await set("24.31", "AXE")
        try await set("24.31", "dash", "usd")
        #expect(await errorCode { try await set("24.3", "DASH", "USD") } == .priceConflict)
        #expect(try await rows().count == 4)
        try await set("1", at: nil)
        #expect(try await store.verify().isWhole)
    }

    @Test(arguments: [
        ("0", "DASH", "EUR", DaybookError.Code.invalidPrice), ("-1", "DASH", "EUR", .invalidPrice),
        ("0.000", "DASH", "EUR", .invalidPrice), ("1e3", "DASH", "EUR", .invalidPrice),
        ("1,5", "DASH", "EUR", .invalidPrice), ("", "DASH", "EUR", .invalidPrice),
        ("1000000000000000000", "DASH", "EUR", .invalidPrice),
        ("1", "BTC", "EUR", .unknownAsset), ("1", "", "EUR", .unknownAsset),
        ("1", "cx0000000000000000000000000000000000000001", "EUR", .unknownAsset),
        ("1", "DASH", "EU", .invalidCurrency), ("1", "DASH", "EURO", .invalidCurrency),
        ("1", "DASH", "E1R", .invalidCurrency), ("1", "DASH", "€", .invalidCurrency),
    ])
    func `a price that is none is refused`(
        _ price: String, _ asset: String, _ currency: String, _ expected: DaybookError.Code
    ) async throws {
        #expect(await errorCode { try await set(price, asset, currency) } == expected)
        #expect(try await rows().isEmpty)
    }

    @Test func `a token's price is found by its contract and by its symbol`() async throws {
        try await store.addFundedWallet(.icon)
        try await set("2", Flow.token)
        try await set("2", "SBX")
        #expect(try await rows().count == 1)
        #expect(await errorCode { try await set("3", "SBX") } == .priceConflict)
    }

    @Test func `a history says what an amount was worth, in the currency that is asked for`()
        async throws
    {
        let wallet = try await store.addFundedWallet(.dash)
        let funds = try #require(try await store.history(of: wallet.id).entries.last)
        #expect(funds.worth == nil && funds.worthCurrency == nil)
        let time = min(funds.blockTime ?? funds.time, funds.time) - 1
        try await set("24.31", at: time)
        try await set("30", "DASH", "USD", at: time)
        let amount = funds.amount.magnitude
        func expected(_ hundredths: UInt64) throws -> String {
            DecimalAmount.format(
                try #require(amount.multiplied(by: UInt256(hundredths))), decimals: 10)
        }
        for (currency, price) in [(nil, 2431), ("eur", 2431), ("USD", 3000)]
            as [(String?, UInt64)]
        {
            let entry = try await store.history(of: wallet.id, in: currency).entries.last
            #expect(try entry?.worth == expected(price))
            #expect(entry?.worthCurrency == currency?.uppercased() ?? "EUR")
        }
        #expect(try await store.history(of: wallet.id, in: "CHF").entries.last?.worth == nil)
        #expect(
            await errorCode { _ = try await store.history(of: wallet.id, in: "EURO") }
                == .invalidCurrency)
        let request = try await store.receive(Flow.all[0].text)
        try await store.approve(request.id)
        let paid = try #require(try await store.history(of: wallet.id).entries.first)
        #expect(paid.worth?.hasPrefix("-") == true)
    }

    // MARK: - Lists and corrections

    private func listed(
        _ asset: String? = nil, _ currency: String? = nil, limit: Int = 100
    ) async throws -> [String] {
        var found: [String] = []
        var page = try await store.prices(of: asset, in: currency, limit: limit)
        while true {
            #expect(page.prices.count <= limit)
            found += page.prices.map { price in
                let time = price.time?.microseconds ?? 0
                return "\(price.asset) \(price.currency) \(price.price) \(time)"
            }
            guard let next = page.next else { return found }
            page = try await store.prices(of: asset, in: currency, after: next, limit: limit)
        }
    }

    @Test func `prices are listed by asset, currency and time, a page at a time`() async throws {
        #expect(try await listed() == [])
        try await set("3", "DASH", "USD", at: 1)
        try await set("2", at: 8)
        try await set("1", at: 7)
        try await set("4", "AXE", at: 9)
        let all = ["AXE EUR 4 9", "DASH EUR 1 7", "DASH EUR 2 8", "DASH USD 3 1"]
        for limit in 1...5 { #expect(try await listed(limit: limit) == all) }
        for limit in 1...3 {
            #expect(try await listed("dash", limit: limit) == Array(all[1...]))
            #expect(try await listed(nil, "eur", limit: limit) == Array(all[...2]))
            #expect(try await listed("DASH", "EUR", limit: limit) == Array(all[1...2]))
        }
        #expect(try await listed("ICX") == [])
        #expect(await errorCode { _ = try await listed("BTC") } == .unknownAsset)
        #expect(await errorCode { _ = try await listed(nil, "EURO") } == .invalidCurrency)
    }

    @Test func `a wrong price is withdrawn or replaced, and the log keeps both`() async throws {
        try await set("24.3")
        #expect(
            await errorCode { try await store.withdrawPrice(of: "DASH", in: "EUR", at: 6) }
                == .unknownPrice)
        try await store.withdrawPrice(of: "dash", in: "eur", at: 5)
        #expect(try await listed() == [])
        #expect(
            await errorCode { try await store.withdrawPrice(of: "DASH", in: "EUR", at: 5) }
                == .unknownPrice)
        try await set("24.4")
        let right = AssetPrice(asset: "DASH", currency: "EUR", price: "24.5", time: 5)
        try await store.set([right], replacing: true)
        try await store.set([right], replacing: true)
        #expect(try await listed() == ["DASH EUR 24.5 5"])
        let types = try await store.events(from: 0, limit: 1000).map(\.type)
            .filter { $0.hasPrefix("price.") }
        #expect(
            types == [
                "price.set", "price.withdrawn", "price.set", "price.withdrawn", "price.set",
            ])
        #expect(try await store.verify().isWhole)
    }

    @Test func `a table replaces prices in one commit, and names no moment twice`() async throws {
        #expect(try await take(Self.head + "DASH,EUR,24,2026-01-31\nDASH,EUR,25,2026-02-01") == 2)
        let wrong = Array((Self.head + "DASH,EUR,1,2026-01-31\nDASH,EUR,2,2026-01-31").utf8)
        #expect(
            await errorCode { _ = try await store.importPrices(wrong, replacing: true) }
                == .priceConflict)
        let right = Array((Self.head + "DASH,EUR,26,2026-01-31\nDASH,EUR,25,2026-02-01").utf8)
        #expect(try await store.importPrices(right, replacing: true) == 2)
        #expect(try await store.prices().prices.map(\.price) == ["26", "25"])
        let events = try await store.events(from: 0, limit: 1000).suffix(2)
        #expect(events.map(\.type) == ["price.withdrawn", "price.set"])
        #expect(Set(events.map(\.time)).count == 1)
    }

    // MARK: - Tables

    private static let head = "asset,currency,price,at\n"

    private func take(_ table: String) async throws -> Int {
        try await store.importPrices(Array(table.utf8))
    }

    @Test func `a table's prices are taken in, in any order of its columns`() async throws {
        let table = """
            \u{feff}at,note,"price",currency,asset\r
            2026-01-31,"a ""note"",
            of two lines",24.30,EUR,DASH\r
            2026-02-01T12:00:00Z,,"24.4", eur ,dash\r
            \r
            2026-02-01 12:00:00,,24.40,EUR,DASH
            """
        #expect(try await take(table) == 3)
        #expect(await errorCode { try await set("9", at: 1_769_817_600_000_000) } == .priceConflict)
        #expect(try await rows().count == 1)
        #expect(try await take(table) == 3)
        #expect(try await rows().count == 1)
    }

    @Test(arguments: [
        ("DASH,EUR,0,2026-02-01", "line 3: ", DaybookError.Code.invalidPrice),
        ("DASH,EUR,1e2,2026-02-01", "line 3: ", .invalidPrice),
        ("BTC,EUR,1,2026-02-01", "line 3: ", .unknownAsset),
        ("DASH,EURO,1,2026-02-01", "line 3: ", .invalidCurrency),
        ("DASH,EUR,1,2026-02-30", "line 3: ", .invalidTime),
        ("DASH,EUR,1,01.02.2026", "line 3: ", .invalidTime),
        ("DASH,EUR,1", "line 3 of the file has 3 cells", .invalidPriceFile),
        ("DASH,EUR,25,2026-01-31", "line 3: ", .priceConflict),
        ("\"DASH,EUR,1,2026-02-01", "without an end", .invalidPriceFile),
        ("\"DASH\"x,EUR,1,2026-02-01", "line 3 of the file has a letter", .invalidPriceFile),
        ("=cmd|' /C calc'!A0,EUR,1,2026-02-01", "line 3: ", .unknownAsset),
    ])
    func `a bad line refuses the whole table`(
        _ line: String, _ message: String, _ expected: DaybookError.Code
    ) async throws {
        do {
            _ = try await take(Self.head + "DASH,EUR,24,2026-01-31\n" + line + "\n")
            Issue.record("it was taken in")
        } catch {
            let error = try #require(error as? DaybookError)
            #expect(error.code == expected && error.message.contains(message), "\(error)")
        }
        #expect(try await rows().isEmpty)
    }

    @Test(arguments: ["", "\n\n", "asset;currency;price;at\n", "asset,currency,price\n",
        "asset,asset,currency,price,at\n", "DASH,EUR,1,2026-02-01\n"])
    func `a table names its columns`(_ table: String) async throws {
        #expect(await errorCode { _ = try await take(table) } == .invalidPriceFile)
    }

    @Test func `a table of many prices is one commit, and one that is too large is refused`()
        async throws
    {
        let lines = (1...9000).map { second in
            "DASH,EUR,\(second).5,\(Timestamp.seconds(UInt64(second) * 1_000_000))"
        }
        #expect(try await take(Self.head + lines.joined(separator: "\n")) == 9000)
        let events = try await store.events(from: 0, limit: 1000).filter { $0.type == "price.set" }
        #expect(events.count > 1 && Set(events.map(\.time)).count == 1)
        let large = [UInt8](repeating: 0x0a, count: Store.largestPriceFile + 1)
        #expect(await errorCode { _ = try await store.importPrices(large) } == .fileTooLarge)
        #expect(try await store.verify().isWhole)
    }
}
