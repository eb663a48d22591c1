import DaybookEncoding
import Testing

struct ReportCommandTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    @Test func `balance has a line for each wallet and asset, in minor units`() throws {
        let balances = try scene.daybook("balance", "--json").objects
        #expect(balances.map { $0["asset"]?.stringValue } == ["DASH", "AXE", "ICX"])
        #expect(balances[0]["confirmed"]?.stringValue == "1000000000")
        #expect(balances[0]["unconfirmed"]?.stringValue == "0")
        #expect(balances[0]["reserved"]?.stringValue == "0")
        #expect(balances[0]["available"]?.stringValue == "1000000000")
        #expect(balances[0]["held"]?.stringValue == "0")
        #expect(balances[2]["available"]?.stringValue == "10000000000000000000")
        let one = try scene.daybook("balance", "--wallet", "my-axe", "--json").object
        #expect(one == balances[1])
        let text = try scene.daybook("balance", "--wallet", "my-icon").lines
        #expect(text.last?.split(separator: " ").map(String.init).dropFirst()
            == ["ICX", "10", "0", "0", "0", "10"])
    }

    @Test func `the balance of the past is the recorded one`() throws {
        #expect(try scene.done("balance", "--at", "1", "--json").output.isEmpty)
        try scene.daybook("balance", "--at", "99999", "--json")
            .expectFailure(1, "unknownPosition", of: "balance")
        let last = try #require(
            try scene.daybook("log", "--json").objects.last?["position"]?.numberLiteral)
        try scene.done("sandbox", "fund", "my-dash", "1")
        let then = try scene.daybook("balance", "--wallet", "my-dash", "--at", last, "--json")
        #expect(try then.object["available"]?.stringValue == "1000000000")
        let now = try scene.daybook("balance", "--wallet", "my-dash", "--json")
        #expect(try now.object["available"]?.stringValue == "1100000000")
    }

    @Test func `log prints every event without loss, or those of a request or session`() throws {
        let id = try scene.pending("dashwallet://request=address&sender=myapp")
        let events = try scene.daybook("log", "--json").objects
        #expect(events.compactMap { $0["position"]?.intValue }
            == Array(0..<Int64(events.count)))
        let received = try #require(events.first { $0["request"]?.numberLiteral == id })
        #expect(received["type"]?.stringValue == "request.received")
        #expect(received["cause"] == .null)
        #expect(received["data"]?["text"]?["$hex"]?.stringValue
            == Hex.encode(Array("dashwallet://request=address&sender=myapp".utf8)))
        #expect(received["at"]?.stringValue?.count == 27)
        let session = try #require(received["session"]?.numberLiteral)
        let ofRequest = try scene.daybook("log", "--request", id, "--json").objects
        #expect(ofRequest == events.filter { $0["request"]?.numberLiteral == id })
        let ofSession = try scene.daybook("log", "--session", session, "--json").objects
        #expect(ofSession == events.filter { $0["session"]?.numberLiteral == session })
        #expect(try scene.daybook("log", "--from", id, "--json").objects[0] == received)
        #expect(try scene.daybook("log", "--from", "99999", "--json").output.isEmpty)
        try scene.daybook("log", "--request", id, "--session", session)
            .expectFailure(2, "usage", of: "log")
    }

    @Test func `log --follow goes on with what is written later`() throws {
        let script = """
            "$0" log --from 1 --follow --json > "$1" & follower=$!
            until [ -s "$1" ]; do kill -0 $follower || exit 1; done
            "$0" open 'dashwallet://request=address&sender=late' > /dev/null
            until grep -q request.accepted "$1"; do kill -0 $follower || exit 1; done
            kill $follower
            """
        let answer = try Programs.run(
            ["/bin/bash", "-c", script, Programs.daybook, scene.path("followed")],
            environment: ["DAYBOOK_HOME": scene.home])
        #expect(answer.error.isEmpty)
    }

    @Test func `sync says how many events it made and how high the chains are`() throws {
        let synced = try scene.daybook("sync", "--json").object
        #expect(synced["events"]?.intValue == 0)
        #expect(synced["tips"]?["dash/sandbox"]?.intValue != nil)
        #expect(synced["tips"]?["icon/sandbox"]?.intValue != nil)
    }

    @Test func `sandbox commands fund, mine and reorganise, and refuse wrong arguments`() throws {
        let funded = try scene.daybook("sandbox", "fund", "my-icon", "2.5", "--token", "--json")
        #expect(try funded.object["amount"]?.stringValue == "2.5")
        #expect(try funded.object["minor"]?.stringValue == "2500000000000000000")
        #expect(try funded.object["txid"]?.stringValue?.hasPrefix("0x") == true)
        let token = try scene.daybook("balance", "--wallet", "my-icon", "--json").objects
        #expect(token.contains { $0["symbol"]?.stringValue == "SBX" })
        let before = try scene.done("sync", "--json").object["tips"]?["axe/sandbox"]?.intValue
        let mined = try scene.done("sandbox", "mine", "3", "--json").object
        let after = mined["tips"]?["axe/sandbox"]?.intValue
        #expect(after == before.map { $0 + 3 })
        try scene.done("sandbox", "reorganise", "dash", "2")
        try scene.done("sandbox", "reorganise", "icon", "1")
        for (words, code) in [
            (["fund", "my-dash", "1", "--token"], "usage"),
            (["fund", "my-dash", "-1"], "invalidAmount"),
            (["fund", "my-dash", "0.123456789"], "amountTooPrecise"),
            (["mine", "0"], "invalidCount"), (["mine", "10001"], "invalidCount"),
            (["reorganise", "doge", "1"], "usage"),
            (["fault", "dash", "explode"], "usage"), (["fault", "dash", "refuse-next"], "usage"),
        ] {
            let answer = try Programs.run(
                [Programs.daybook, "sandbox"] + words,
                environment: ["DAYBOOK_HOME": scene.home])
            answer.expectFailure(2, code, of: "sandbox \(words[0])")
        }
        try scene.daybook("sandbox", "fund", "nobody", "1")
            .expectFailure(1, "unknownWallet", of: "sandbox fund")
        try scene.expectCleanReplay()
    }
}
