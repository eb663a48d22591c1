import DaybookEncoding
import Testing

struct CoinCommandTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    private func coins() throws -> [JSON] {
        try scene.daybook("coin", "list", "my-dash", "--json").objects
    }

    @Test func `coin list has a line for each coin, the largest first`() throws {
        try scene.done("sandbox", "fund", "my-dash", "20")
        let coins = try coins()
        #expect(coins.map { $0["amount"]?.stringValue } == ["20", "10"])
        #expect(coins[0]["frozen"] == .bool(false))
        #expect(coins[0]["spendable"] == .bool(true))
        #expect(coins[0]["address"]?.stringValue?.hasPrefix("X") == true)
        let text = try scene.daybook("coin", "list", "my-dash").lines
        #expect(
            text[0].split(separator: " ")
                == ["coin", "amount", "asset", "address", "block", "state"])
        #expect(text[1].hasSuffix("spendable"))
        try scene.daybook("coin", "list", "my-icon").expectFailure(1, "noCoins", of: "coin list")
    }

    @Test func `a frozen coin is paid by nothing until it is unfrozen`() throws {
        let coin = try #require(try coins()[0]["coin"]?.stringValue)
        let frozen = try scene.daybook("coin", "freeze", coin, "--json").object
        #expect(frozen["frozen"] == .bool(true))
        let balance = try scene.daybook("balance", "--wallet", "my-dash", "--json").object
        #expect(balance["frozen"]?.stringValue == "1000000000")
        #expect(balance["available"]?.stringValue == "0")
        let text = try scene.daybook("balance", "--wallet", "my-dash").lines
        #expect(text[0].split(separator: " ").suffix(2) == ["frozen", "available"])
        #expect(text[1].split(separator: " ").suffix(2) == ["10", "0"])
        let id = try scene.pending("dash:\(Scene.payee)?amount=1")
        try scene.approve(id).expectFailure(1, "insufficientBalance", of: "approve")
        let named = try scene.daybook("prompt", id, "--coins", coin, "--json").object
        #expect(named["prompt"]?["problem"]?.stringValue?.contains("is frozen") == true)
        try scene.approve(id, "--coins", coin).expectFailure(1, "coinUnavailable", of: "approve")
        try scene.done("coin", "unfreeze", coin)
        #expect(try scene.approve(id).status == 0)
        try scene.daybook("coin", "freeze", "abc").expectFailure(2, "usage", of: "coin freeze")
        let other = String(repeating: "0", count: 64) + ":0"
        try scene.daybook("coin", "freeze", other)
            .expectFailure(1, "unknownCoin", of: "coin freeze")
        try scene.expectCleanReplay()
        #expect(try scene.replay("verify", scene.home).status == 0)
    }

    @Test func `all is paid from named coins, as it was shown`() throws {
        try scene.done("sandbox", "fund", "my-dash", "20")
        try scene.done("sandbox", "mine", "6")
        let coins = try coins().compactMap { $0["coin"]?.stringValue }
        let id = try scene.pending("dash:\(Scene.payee)")
        let prompt = try scene.daybook(
            "prompt", id, "--amount", "all", "--coins", coins[1], "--json").object
        let digest = try #require(prompt["prompt"]?["digest"]?.stringValue)
        #expect(prompt["prompt"]?.shown("total") == "10")
        try scene.approve(id, "--amount", "all", "--shown", digest)
            .expectFailure(1, "promptChanged", of: "approve")
        let paid = try scene.approve(
            id, "--amount", "all", "--coins", coins[1], "--shown", digest, "--json")
        #expect(paid.status == 0, "\(paid.error)")
        #expect(try self.coins().compactMap { $0["coin"]?.stringValue } == [coins[0]])
        let everything = try scene.pending("dash:\(Scene.payee)?label=rest")
        #expect(try scene.approve(everything, "--amount", "all").status == 0)
        #expect(try self.coins().isEmpty)
        let fixed = try scene.pending("dash:\(Scene.payee)?amount=1")
        try scene.approve(fixed, "--amount", "all").expectFailure(1, "amountFixed", of: "approve")
        try scene.expectCleanReplay()
        #expect(try scene.replay("verify", scene.home).status == 0)
    }

    @Test func `coins that can't be read are wrong usage`() throws {
        let id = try scene.pending("dash:\(Scene.payee)?amount=1")
        for text in ["", ",", "abc", String(repeating: "0", count: 64)] {
            try scene.daybook("prompt", id, "--coins", text)
                .expectFailure(2, "usage", of: "prompt")
        }
    }
}
