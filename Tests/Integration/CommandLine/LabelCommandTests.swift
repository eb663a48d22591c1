import DaybookEncoding
import Testing

struct LabelCommandTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    private static let txid = String(repeating: "ab", count: 32)

    @Test func `a label is given, shown, listed and taken away`() throws {
        let given = try scene.daybook("label", "tx:\(Self.txid)", "May\u{202e} rent", "--json")
        #expect(try given.object["label"]?.stringValue == "May\u{202e} rent")
        #expect(try scene.daybook("label", "tx:\(Self.txid)").output.contains(#"May\u{202E} rent"#))
        let listed = try scene.daybook("label", "--json").objects
        #expect(listed[0]["about"]?.stringValue == "tx:\(Self.txid)")
        #expect(listed.count { $0["about"]?.stringValue?.hasPrefix("wallet:") == true } == 3)
        try scene.done("label", "tx:\(Self.txid)", "")
        #expect(try scene.daybook("label", "tx:\(Self.txid)", "--json").object["label"] == .null)
        try scene.daybook("label", "tx:12", "x").expectFailure(2, "invalidLabel", of: "label")
        try scene.daybook("label", "request:1", "x").expectFailure(1, "unknownRequest", of: "label")
        try scene.expectCleanReplay()
        #expect(try scene.replay("verify", scene.home).status == 0)
    }

    @Test func `requests, histories and coins show their labels`() throws {
        let id = try scene.pending("dash:\(Scene.payee)?amount=1")
        try scene.done("label", "request:\(id)", "rent of May")
        #expect(try scene.daybook("show", id).output.contains("rent of May"))
        #expect(try scene.daybook("requests").output.contains(#""rent of May""#))
        #expect(try scene.approve(id).status == 0)
        let history = try scene.daybook("history", "my-dash", "--json").objects
        #expect(history[0]["label"]?.stringValue == "rent of May")
        #expect(try scene.daybook("history", "my-dash").lines[0].contains(#""rent of May""#))
        let coin = try #require(
            try scene.daybook("coin", "list", "my-axe", "--json").objects[0]["coin"]?.stringValue)
        try scene.done("label", "output:\(coin)", "salary")
        let coins = try scene.daybook("coin", "list", "my-axe").lines
        #expect(coins[0].hasSuffix("label") && coins[1].hasSuffix("salary"))
    }

    @Test func `labels are exported to a new file and imported`() throws {
        try scene.done("label", "tx:\(Self.txid)", "rent")
        let file = scene.path("labels.jsonl")
        let written = try scene.daybook("label", "export", file, "--json").object
        #expect(written["labels"] == .number("3") && written["passedOver"] == .number("1"))
        try scene.daybook("label", "export", file)
            .expectFailure(2, "fileExists", of: "label export")
        let lines = try scene.daybook("label", "export", "-").lines
        #expect(lines.count { $0.hasPrefix("{") } == 3)
        try scene.done("label", "tx:\(Self.txid)", "")
        let read = try scene.daybook("label", "import", file, "--json").object
        #expect(read["labels"] == .number("3") && read["passedOver"] == .number("0"))
        #expect(try scene.daybook("label", "tx:\(Self.txid)").output.contains("rent"))
        try scene.daybook("label", "import", scene.path("none"))
            .expectFailure(2, "unreadableFile", of: "label import")
        try scene.write("bad", "{}\n")
        try scene.daybook("label", "import", scene.path("bad"))
            .expectFailure(2, "invalidLabelFile", of: "label import")
        let piped = try scene.daybook("label", "import", "-", input: lines[0] + "\n")
        #expect(piped.status == 0)
    }
}
