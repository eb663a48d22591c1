import DaybookEncoding
import Foundation
import TestSupport
import Testing

/// `daybook serve`: front ends at a Unix socket.
struct ServeTests {
    private let scene: Scene

    init() throws { scene = try Scene() }

    private var payment: JSON {
        .string("dashwallet://pay=\(Scene.payee)&amount=0.25&sender=shop")
    }

    @Test func `a payment is received, shown, approved and delivered through the socket`() throws {
        let server = try Server(scene)
        let client = try server.client()
        let opened = try client.result("request.open", ["url": payment])
        #expect(opened["status"] == .string("pending"))
        let request = try #require(opened["request"])
        let prompt = try client.result("request.prompt", ["request": request])["prompt"]
        #expect(prompt?.shown("amount") == "0.25")
        #expect(prompt?.shown("to") == Scene.payee)
        let done = try client.result(
            "request.approve",
            [
                "request": request, "shown": prompt?["digest"],
                "passphrase": .string(Scene.passphrase),
            ])
        #expect(done["status"] == .string("completed"))
        let callbacks = try client.result("callback.list")["callbacks"]?.arrayValue
        #expect(callbacks?.first?["url"] == done["callback"])
        let delivered = try client.result("callback.delivered", ["request": request])
        #expect(delivered["delivered"] == .bool(true))
        #expect(server.program.end(by: SIGTERM).status == 0)
        try scene.expectCleanReplay()
    }

    @Test func `another client learns that a wallet is unlocked, until when and for how much`()
        throws
    {
        let server = try Server(scene)
        let (client, other) = (try server.client(), try server.client())
        _ = try other.result("subscribe")
        let wallet = try #require(
            try client.result("wallet.list")["wallets"]?.arrayValue?.first?["wallet"])
        let unlocked = try client.result(
            "unlock",
            [
                "wallet": wallet, "passphrase": .string(Scene.passphrase), "seconds": .int(60),
                "limit": .string("1.5"),
            ])
        let changes = JSON.array([.record(["what": .string("wallet"), "wallet": wallet])])
        #expect(try other.notification("changed")["changes"] == changes)
        let shown = try other.result("wallet.list")["wallets"]?.arrayValue?.first?["unlocked"]
        let expected = JSON.record([
            "until": unlocked["until"], "remaining": .string("1.5"), "minor": .string("150000000"),
            "symbol": .string("DASH"),
        ])
        #expect(shown == expected)
        _ = try client.result("lock", ["wallet": wallet])
        #expect(try other.notification("changed")["changes"] == changes)
        let locked = try other.result("wallet.list")["wallets"]?.arrayValue?.first
        #expect(locked != nil && locked?["unlocked"] == nil)
    }

    @Test func `an approval with another digest or passphrase says so by code and number`() throws {
        let server = try Server(scene)
        let client = try server.client()
        let opened = try client.result("request.open", ["url": payment])
        let request = try #require(opened["request"])
        let changed = try client.call(
            "request.approve",
            [
                "request": request, "shown": .string(String(repeating: "0", count: 64)),
                "passphrase": .string(Scene.passphrase),
            ])
        #expect(changed["error"]?["code"] == .int(-32001))
        #expect(changed["error"]?["data"]?["code"] == .string("promptChanged"))
        let wrong = try client.call(
            "request.approve",
            [
                "request": request, "shown": opened["prompt"]?["digest"],
                "passphrase": .string("wrong"),
            ])
        #expect(wrong["error"]?["code"] == .int(-32004))
        #expect(wrong["error"]?["data"]?["code"] == .string("wrongPassphrase"))
    }

    @Test(arguments: [
        ("{", -32700), ("\u{0}", -32700), ("[1]", -32600), ("1", -32600),
        (#"{"jsonrpc":"1.0","id":1,"method":"info"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1}"#, -32600),
        (#"{"jsonrpc":"2.0","id":{},"method":"info"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1,"id":2,"method":"info"}"#, -32700),
        (#"{"jsonrpc":"2.0","id":1,"method":"nothing"}"#, -32601),
        (#"{"jsonrpc":"2.0","id":1,"method":"wallet.address","params":[1]}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"wallet.address"}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"wallet.address","params":{"walet":1}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"request.show","params":{"request":-1}}"#, -32602),
        (String(repeating: "[", count: 40) + String(repeating: "]", count: 40), -32600),
        (String(repeating: "x", count: 1 << 20) + "y", -32600),
    ])
    func `a wrong line gets its error and the connection goes on`(
        _ line: String, _ number: Int
    ) throws {
        let server = try Server(scene)
        let client = try server.client()
        try client.send(line)
        #expect(try client.answer()["error"]?["code"] == .int(number))
        #expect(try client.result("info")["events"] != nil)
    }

    @Test func `a silent client, a greedy one and half a line hold nobody up`() throws {
        let server = try Server(scene)
        let silent = try server.client()
        try silent.send(Array(#"{"jsonrpc":"2.0","#.utf8))
        let greedy = try server.client()
        // It asks for far more than a socket's buffer holds, and reads none of it.
        for _ in 0..<31 { try greedy.begin("log.read", ["from": .int(0), "limit": .int(1000)]) }
        let client = try server.client()
        for _ in 0..<20 { #expect(try client.result("info")["log"] != nil) }
        for _ in 0..<31 { #expect(try greedy.answer()["result"] != nil) }
        try silent.send(#""id":7,"method":"info"}"#)
        #expect(try silent.answer()["id"] == .int(7))
    }

    @Test func `answers that are asked for before SIGTERM still come`() throws {
        let server = try Server(scene)
        let client = try server.client()
        let opened = try client.result("request.open", ["url": payment])
        try client.begin(
            "request.approve",
            [
                "request": opened["request"], "shown": opened["prompt"]?["digest"],
                "passphrase": .string(Scene.passphrase),
            ])
        // The step is told before the key is stretched, which takes longer than a signal.
        while try client.notification("progress")["step"] != .string("unlocking") {}
        #expect(server.program.end(by: SIGTERM).status == 0)
        #expect(try client.answer()["result"]?["status"] == .string("completed"))
        #expect(try client.line() == nil)
        try scene.expectCleanReplay()
    }

    @Test func `no file, answer or message has a passphrase`() throws {
        let server = try Server(scene)
        let client = try server.client()
        let secret = "a secret that nobody may find"
        let opened = try client.result("request.open", ["url": payment])
        let refused = try client.call(
            "request.approve",
            [
                "request": opened["request"], "shown": opened["prompt"]?["digest"],
                "passphrase": .string(secret),
            ])
        #expect(!refused.text().contains(secret))
        let unknown = try client.call("wallet.address", ["passphrase": .string(secret)])
        #expect(!unknown.text().contains(secret))
        let ended = server.program.end(by: SIGTERM)
        #expect(!(ended.output + ended.error).contains(secret))
        let files = try #require(FileManager.default.enumerator(atPath: scene.home))
        for case let name as String in files {
            let bytes = FileManager.default.contents(atPath: "\(scene.home)/\(name)") ?? Data()
            #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)")
        }
    }

    /// The short form of `tools/dev clients`, and its control, which keeps clients.
    @Test(arguments: [false, true])
    func `clients that come, ask and vanish leave nothing in the server's memory`(
        areKept: Bool
    ) throws {
        let run = try ProgramRun(
            [Repository.path("tools/dev"), "clients", "--short", ProgramRun.folder]
                + (areKept ? ["--plant"] : []))
        #expect((run.status == 0) == !areKept, "\(run.output)")
        #expect(run.output.contains("events, 0 divergences"), "\(run.output)")
        #expect(run.output.contains("the memory grew by") == areKept, "\(run.output)")
    }
}
