import DaybookEncoding
import DaybookSystem
import Foundation
import Testing

/// `daybook serve --logs` where a log, the database or a client is not as it should be.
struct ManyLogsFailureTests {
    private let scene: ManyLogs

    init() throws { scene = try ManyLogs() }

    private func code(_ answer: JSON) -> String? { answer["error"]?["data"]?["code"]?.stringValue }

    @Test func `a log of another machine is read without a folder, and written once taken over`()
        throws
    {
        let log = try scene.makeLog(below: "other")
        let server = try scene.serve()
        let (client, watcher) = (try server.client(), try server.client())
        let named = JSON.string(log)
        _ = try watcher.result("subscribe", ["log": named])
        #expect(try client.result("wallet.list", ["log": named])["wallets"] == .array([]))
        let link = JSON.string("dashwallet://request=address&sender=shop")
        let key = String(repeating: "1", count: 64)
        for (method, params): (String, KeyValuePairs<String, JSON?>) in [
            ("request.open", ["log": named, "url": link]),
            (
                "wallet.add",
                [
                    "log": named, "chain": .string("icon"), "key": .string(key),
                    "passphrase": .string(Scene.passphrase),
                ]
            ),
            ("log.checkpoint", ["log": named]),
            (
                "node.set",
                [
                    "log": named, "chain": .string("dash"), "network": .string("testnet"),
                    "url": .string("http://127.0.0.1:1"),
                ]
            ),
        ] {
            #expect(code(try client.call(method, params)) == "storeFenced", "\(method)")
        }
        #expect(try Files.list(scene.home) == [])
        #expect(try scene.daybook("store", "take-over", log).status == 0)
        let opened = try client.result("request.open", ["log": named, "url": link])
        #expect(opened["request"] != nil)
        // The subscriber begins again, on the log as it was opened now.
        #expect(try watcher.notification("dropped")["position"] == .int(-1))
        _ = try watcher.result("subscribe", ["log": named, "after": .int(-1)])
        #expect(try watcher.notification("changed")["changes"]?.arrayValue?.isEmpty == false)
        #expect(server.program.end(by: SIGTERM).status == 0)
        try scene.expectCleanReplay(log)
    }

    @Test func `a log that another machine took over is read, and no more written`() throws {
        let log = try scene.makeLog()
        let server = try scene.serve()
        let client = try server.client()
        let named = JSON.string(log)
        let link = JSON.string("dashwallet://request=address&sender=shop")
        #expect(try client.result("request.open", ["log": named, "url": link])["request"] != nil)
        #expect(try scene.daybook("store", "take-over", log, below: "other").status == 0)
        let refused = try client.call("request.open", ["log": named, "url": link])
        #expect(code(refused) == "storeFenced")
        #expect(try scene.daybook("open", "dash:?amount=1", log, below: "other").status == 1)
        let listed = try client.result("request.list", ["log": named])["requests"]
        #expect(listed?.arrayValue?.count == 2)
    }

    @Test func `a subscription tells what another process wrote to its log, and to no other`()
        throws
    {
        let logs = try (0..<3).map { _ in try scene.makeLog() }
        let server = try scene.serve()
        let client = try server.client()
        let numbers = try logs.map { log in
            try client.result("subscribe", ["log": .string(log)])["subscription"]
        }
        for index in [2, 0] {
            #expect(try scene.daybook("open", "dash:?amount=1", logs[index]).status == 1)
            let change = try client.notification("changed")
            #expect(change["subscription"] == numbers[index])
        }
        let ended = try client.result("unsubscribe", ["subscription": numbers[1]])
        #expect(ended["subscription"] == numbers[1])
    }

    @Test func `a client that names all logs, and many that are not there, costs a bound`() throws {
        let logs = try (0..<12).map { _ in try scene.makeLog(below: "other") }
        let server = try scene.serve("--open-logs", "3")
        let client = try server.client()
        for log in logs { _ = try client.result("info", ["log": .string(log)]) }
        let before = try server.program.resources()
        for round in 0..<300 {
            try client.begin("info", ["log": .string(logs[round % logs.count])])
            try client.begin("info", ["log": .string(Hex.encode(try Entropy.bytes(16)))])
            for _ in 0..<2 { _ = try client.answer() }
        }
        let after = try server.program.resources()
        #expect(after.files <= before.files + 16 && after.threads <= before.threads + 16)
        #expect(after.kilobytes < before.kilobytes + 8192)
        #expect(try Files.list(scene.home) == [])
        #expect(try #require(try scene.link.connections()) <= 16)
    }

    @Test func `subscriptions keep logs open until they end, and leave room for calls`() throws {
        let logs = try (0..<4).map { _ in try scene.makeLog() }
        let server = try scene.serve("--open-logs", "2")
        let (watcher, client) = (try server.client(), try server.client())
        let subscribed = try watcher.result("subscribe", ["log": .string(logs[0])])
        #expect(code(try watcher.call("subscribe", ["log": .string(logs[1])])) == nil)
        let late = try watcher.call("subscribe", ["log": .string(logs[2])])
        #expect(code(late) == "tooManyLogs", "\(late.text())")
        _ = try watcher.result("unsubscribe", ["subscription": subscribed["subscription"]])
        for log in logs { _ = try client.result("info", ["log": .string(log)]) }
    }

    @Test func `calls wait for a database that is away for a moment`() throws {
        let logs = try [scene.makeLog(), scene.makeLog()]
        let server = try scene.serve()
        let client = try server.client()
        _ = try client.result("info", ["log": .string(logs[0])])
        try scene.link.cut()
        // One of them is open, the other is not.
        for log in logs { try client.begin("wallet.list", ["log": .string(log)]) }
        #expect(code(try client.call("wallet.list")) == "logUnnamed")
        try scene.link.restore()
        for _ in logs { #expect(try client.answer()["result"]?["wallets"] == .array([])) }
    }

    @Test func `a database that is away at the start is named, and nothing is made`() throws {
        try scene.link.cut()
        let home = scene.folder.path("new")
        let answer = try Programs.run([
            Programs.daybook, "serve", "--logs", "--store", scene.link.database, "--home",
            home, "--socket", scene.folder.path("socket"),
        ])
        #expect(answer.status == 5 && answer.error.contains("(databaseUnreachable)"))
        #expect(try !Files.exists(home) && !Files.exists(scene.folder.path("socket")))
        try scene.link.restore()
    }

    @Test func `calls in progress on several logs are answered before SIGTERM ends the server`()
        throws
    {
        let logs = try (0..<3).map { _ in try scene.makeLog() }
        let server = try scene.serve()
        let clients = try logs.map { log in
            let client = try server.client()
            let wallet = try scene.addWallet(client, log)
            let url = "dashwallet://pay=\(Scene.payee)&amount=0.25&sender=shop"
            let opened = try client.result(
                "request.open", ["log": .string(log), "url": .string(url)])
            try client.begin(
                "request.approve",
                [
                    "log": .string(log), "request": opened["request"], "wallet": wallet,
                    "shown": opened["prompt"]?["digest"],
                    "passphrase": .string(Scene.passphrase),
                ])
            for step in ["askingNode", "unlocking"] {
                #expect(try client.notification("progress")["step"] == .string(step))
            }
            return client
        }
        #expect(server.program.end(by: SIGTERM).status == 0)
        for client in clients {
            #expect(try client.answer()["result"]?["status"] == .string("completed"))
            #expect(try client.line() == nil)
        }
        for log in logs { try scene.expectCleanReplay(log) }
    }

    @Test func `the rest of a payment's work is done when its log is opened again`() throws {
        let log = try scene.makeLog()
        let server = try scene.serve()
        let client = try server.client()
        let wallet = try scene.addWallet(client, log)
        #expect(try scene.daybook("sandbox", "fault", "dash", "lose-next", log).status == 0)
        let done = try scene.pay(client, log, from: wallet)
        #expect(done["status"] == .string("signed"), "\(done.text())")
        #expect(server.program.end(by: SIGTERM).status == 0)
        #expect(try scene.daybook("sandbox", "fault", "dash", "none", log).status == 0)
        let next = try scene.serve()
        let watcher = try next.client()
        _ = try watcher.result("subscribe", ["log": .string(log)])
        // The work may be done before the subscription begins: no change is told then.
        let show = ["log": .string(log), "request": done["request"]] as KeyValuePairs<String, JSON?>
        while try watcher.result("request.show", show)["status"] != .string("completed") {
            _ = try watcher.notification("changed")
        }
    }

    @Test(arguments: [
        (["--logs"], "usage"), (["--logs", "--store", "LOG"], "databaseURLInvalid"),
        (["--logs", "--store", "DATABASE", "--page"], "usage"),
        (["--logs", "--store", "DATABASE", "--open-logs", "0"], "usage"),
        (["--logs", "--store", "DATABASE", "--open-logs", "100001"], "usage"),
        (["--store", "LOG", "--open-logs", "3"], "usage"),
        (["--store", "DATABASE"], "databaseURLInvalid"),
        (["--logs", "--store", "DATABASE", "--home", "STORE"], "usage"),
    ])
    func `options that make no sense together are refused`(_ words: [String], _ code: String)
        throws {
        let log = try scene.makeLog()
        let names = [
            "LOG": scene.address(of: log), "DATABASE": scene.link.database,
            "STORE": "\(scene.home)/\(log)",
        ]
        let answer = try Programs.run(
            [Programs.daybook, "serve", "--socket", scene.folder.path("socket")]
                + words.map { names[$0] ?? $0 }, environment: ["DAYBOOK_HOME": scene.home])
        #expect(answer.status == (code == "usage" ? 2 : 3))
        #expect(answer.error.contains("(\(code))"), "\(answer.error)")
    }

    @Test func `a server of one log takes its id and no other`() throws {
        let scene = try Scene()
        let server = try Server(scene)
        let client = try server.client()
        let own = try client.result("info")["log"]
        #expect(try client.result("wallet.list", ["log": own]) == client.result("wallet.list"))
        let other = JSON.string(String(repeating: "0", count: 32))
        for method in ["wallet.list", "subscribe", "unsubscribe"] {
            let answer = try client.call(method, ["log": other, "subscription": nil])
            #expect(code(answer) == (method == "unsubscribe" ? "usage" : "logNotServed"))
        }
        #expect(code(try client.call("wallet.list", ["log": .int(1)])) == "usage")
    }
}
