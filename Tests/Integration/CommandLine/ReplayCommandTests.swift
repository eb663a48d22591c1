import DaybookEncoding
import DaybookLog
import DaybookMigrations
import DaybookReplay
import DaybookSystem
import Testing

struct ReplayCommandTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    @Test func `replay counts events and compares outcomes, whole or in part`() throws {
        let id = try scene.pending("dashwallet://pay=\(Scene.payee)&amount=1&sender=myapp")
        #expect(try scene.approve(id).status == 0)
        let events = try scene.daybook("log", "--json").objects
        let whole = try scene.replay("replay", scene.home, "--json").object
        #expect(whole["events"]?.intValue == Int64(events.count))
        let inputs = events.count { $0["cause"] == .null }
        #expect(whole["inputs"]?.intValue == Int64(inputs))
        #expect(whole["outcomes"]?.intValue == Int64(events.count - inputs))
        #expect(whole["divergences"] == .array([]))
        #expect(whole["digest"]?.stringValue?.count == 64)
        #expect(try scene.replay("replay", scene.home + "/log", "--json").object == whole)
        let request = try scene.replay("replay", scene.home, "--request", id, "--json").object
        #expect(request["events"]?.intValue
            == Int64(events.count { $0["request"]?.numberLiteral == id }))
        let session = try scene.replay("replay", scene.home, "--session", "0", "--json").object
        #expect(session["events"]?.intValue
            == Int64(events.count { $0["session"]?.numberLiteral == "0" }))
        let until = try scene.replay("replay", scene.home, "--until", id, "--json").object
        #expect(until["events"]?.numberLiteral == UInt64(id).map { String($0 + 1) })
        let text = try scene.replay("replay", scene.home)
        #expect(text.lines[0] == "replay: \(events.count) events, 0 divergences")
    }

    @Test func `a digest is the same in any time zone and language`() throws {
        let here = try scene.replay("replay", scene.home, "--json")
        let there = try Programs.run(
            ["\(Programs.folder)/daybook-replay", "replay", scene.home, "--json"],
            environment: ["TZ": "Asia/Kolkata", "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8"])
        #expect(there.output == here.output)
    }

    @Test func `an outcome that does not follow is found, named and status 1`() throws {
        let position = try forge()
        let json = try scene.replay("replay", scene.home, "--json")
        json.expectFailure(1, "divergence", of: "replay")
        let divergence = try #require(try json.object["divergences"]?.arrayValue?.first)
        #expect(divergence["position"]?.intValue == Int64(position))
        #expect(divergence["field"]?.stringValue == "type")
        #expect(divergence["recorded"]?.stringValue == "request.expired")
        #expect(divergence["produced"]?.stringValue == "nothing")
        let text = try scene.replay("replay", scene.home)
        #expect(text.status == 1)
        #expect(text.lines[0].hasSuffix(" 1 divergences"))
        #expect(text.lines[1].hasPrefix("event \(position), type: "))
        let before = String(position - 1)
        #expect(try scene.replay("replay", scene.home, "--until", before).status == 0)
    }

    /// Writes an outcome into the log that nothing leads to.
    private func forge() throws -> UInt64 {
        let log = try Migrations.openLog(at: scene.home + "/log")
        return try log.write { transaction in
            let draft = EventDraft(
                stream: "session/0", type: "request.expired", time: transaction.lastTime,
                session: .at(0), cause: transaction.count - 1, actor: "daybook", data: .record([:]))
            return try transaction.append(draft).position
        }
    }

    @Test func `state says what the wallets held, what waited and who knew what`() throws {
        let id = try scene.pending("dashwallet://request=address&sender=myapp")
        let accepted = try #require(UInt64(id)) + 1
        let then = try scene.replay("state", scene.home, "--at", String(accepted), "--json").object
        #expect(then["at"]?.intValue == Int64(accepted))
        #expect(then["pending"] == .array([.number(id)]))
        #expect(then["bindings"] == .array([]))
        #expect(then["digest"]?.stringValue?.count == 64)
        let balances = try scene.daybook("balance", "--json").objects
        #expect(then["balances"] == .array(balances))
        #expect(try scene.approve(id).status == 0)
        let last = try #require(
            try scene.daybook("log", "--json").objects.last?["position"]?.numberLiteral)
        let now = try scene.replay("state", scene.home, "--at", last, "--json").object
        #expect(now["pending"] == .array([]))
        let bindings = try scene.daybook("bindings", "--json").objects
        #expect(now["bindings"] == .array(bindings))
        let whole = try scene.replay("replay", scene.home, "--json").object
        #expect(now["digest"] == whole["digest"])
        #expect(try scene.replay("state", scene.home, "--at", last).output.contains("DASH"))
    }

    @Test func `absent sources are named`() throws {
        try scene.replay("state", scene.home, "--at", "99999")
            .expectFailure(1, "unknownPosition", of: "state")
        // No log has this position.
        try scene.replay("state", scene.home, "--at", "18446744073709551615")
            .expectFailure(2, "usage", of: "state")
        try scene.replay("state", scene.home).expectFailure(2, "usage", of: "state")
        try scene.replay("replay", scene.home, "--until", "99999", "--json")
            .expectFailure(1, "unknownPosition", of: "replay")
        try scene.replay("replay", scene.home, "--request", "1")
            .expectFailure(1, "unknownRequest", of: "replay")
        try scene.replay("replay", scene.home, "--session", "1")
            .expectFailure(1, "unknownSession", of: "replay")
        try scene.replay("replay", scene.home, "--session", "0", "--request", "1")
            .expectFailure(2, "usage", of: "replay")
        try scene.replay("replay", "/nowhere").expectFailure(3, "storeMissing", of: "replay")
        try scene.replay("replay").expectFailure(2, "usage", of: "replay")
        try scene.replay("nonsense", scene.home)
            .expectFailure(2, "unknownCommand", of: "arguments")
    }

    @Test func `a store can be replayed without its keys, while it is written to`() throws {
        try Files.removeTree(scene.home + "/keys")
        let script = """
            for i in 1 2 3 4 5 6 7 8; do
                "$0" open "dashwallet://request=address&sender=app$i" > /dev/null || exit 9
            done & writer=$!
            for i in 1 2 3 4 5 6 7 8; do "$1" replay "$2" > /dev/null || exit 8; done
            wait $writer
            """
        let answer = try Programs.run(
            [
                "/bin/bash", "-c", script, Programs.daybook,
                "\(Programs.folder)/daybook-replay", scene.home,
            ], environment: ["DAYBOOK_HOME": scene.home])
        #expect(answer.status == 0, "\(answer.error)")
    }
}
