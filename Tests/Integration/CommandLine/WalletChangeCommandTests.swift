import DaybookEncoding
import Testing

/// `wallet rename` and `wallet remove`, also while requests wait.
struct WalletChangeCommandTests {
    private let scene: Scene

    init() throws { scene = try Scene() }

    private func labels() throws -> [String?] {
        try scene.done("wallet", "list", "--json").objects.map { $0["label"]?.stringValue }
    }

    @Test func `a wallet is renamed by its label or its number, and '' takes the label away`()
        throws
    {
        let renamed = try scene.done("wallet", "rename", "my-dash", "spending", "--json").object
        let id = try #require(renamed["wallet"]?.numberLiteral)
        #expect(try labels() == ["spending", "my-axe", "my-icon"])
        let again = try scene.done("wallet", "rename", id, "savings")
        #expect(again.output == "wallet \(id) is now savings\n")
        #expect(try scene.done("wallet", "rename", id, "").output == "wallet \(id) has no label\n")
        #expect(try labels() == [nil, "my-axe", "my-icon"])
        try scene.expectCleanReplay()
    }

    @Test(arguments: ["rename", "remove"])
    func `a wrong name or number changes no wallet`(command: String) throws {
        let before = try scene.done("wallet", "list", "--json").output
        let label = command == "rename" ? ["new"] : []
        for name in ["my-dsh", "9999", ""] {
            let answer = try Programs.run(
                [Programs.daybook, "wallet", command, name] + label,
                environment: ["DAYBOOK_HOME": scene.home])
            answer.expectFailure(1, "unknownWallet", of: "wallet \(command)")
        }
        let long = String(repeating: "x", count: 65)
        try scene.daybook("wallet", "rename", "my-dash", long)
            .expectFailure(2, "invalidWallet", of: "wallet rename")
        #expect(try scene.done("wallet", "list", "--json").output == before)
    }

    @Test func `a prompt that was shown before its wallet was renamed can't be approved`() throws {
        let request = try scene.pending("dashwallet://request=address&sender=shop")
        let prompt = try scene.done("prompt", request, "--json").object["prompt"]
        let shown = try #require(prompt?["digest"]?.stringValue)
        try scene.done("wallet", "rename", "my-dash", "spending")
        try scene.approve(request, "--shown", shown)
            .expectFailure(1, "promptChanged", of: "approve")
        #expect(try scene.approve(request).status == 0)
        try scene.expectCleanReplay()
    }

    @Test func `a removed wallet is gone, keeps its history, and answers no request that waits`()
        throws
    {
        let request = try scene.pending("dashwallet://request=address&sender=shop")
        let id = try scene.done("wallet", "list", "--json").objects[0]["wallet"]?.numberLiteral
        let removed = try scene.done("wallet", "remove", "my-dash", "--json").object
        #expect(removed["wallet"]?.numberLiteral == id)
        #expect(try labels() == ["my-axe", "my-icon"])
        try scene.daybook("wallet", "remove", "my-dash")
            .expectFailure(1, "unknownWallet", of: "wallet remove")
        try scene.approve(request).expectFailure(1, "wrongWallet", of: "approve")
        try scene.done("reject", request)
        try scene.daybook("open", "dashwallet://request=address&sender=shop")
            .expectFailure(1, "noWallet", of: "open")
        try scene.expectCleanReplay()
    }

    @Test func `a wallet with a payment in flight is not removed`() throws {
        try scene.done(
            "node", "set", "dash", "regtest", "http://127.0.0.1:1")
        let request = try scene.pending(
            "dashwallet://pay=\(Scene.payee)&amount=1&sender=shop")
        try scene.done("sandbox", "fault", "dash", "lose-next")
        _ = try scene.approve(request)
        try scene.daybook("wallet", "remove", "my-dash")
            .expectFailure(1, "walletBusy", of: "wallet remove")
        #expect(try labels().contains("my-dash"))
    }
}
