import DaybookEncoding
import Foundation
import NodeServer
import Testing
import TestSupport

struct SyncCommandTests {
    @Test(arguments: [SIGINT, SIGTERM])
    func `sync --follow tells what comes, a failure once, and ends cleanly`(signal: Int32) throws {
        let scene = try Scene(empty: true)
        try scene.done("init")
        let key = try scene.write("key", String(repeating: "0", count: 63) + "1")
        try scene.done(
            "wallet", "add", "--chain", "icon", "--network", "regtest", "--key-file", key,
            "--passphrase-file", scene.path("passphrase"))
        let server = try NodeServer(.icon)
        server.mine()
        try scene.done("node", "set", "icon", "regtest", server.url)
        let following = try RunningProgram(
            [Programs.daybook, "sync", "--follow", "--interval", "1", "--json"],
            environment: ["DAYBOOK_HOME": scene.home])
        let first = try following.object()
        #expect(try #require(first["events"]?.intValue) > 0)
        #expect(first["problems"] == .array([]))
        server.misbehave(.closes)
        let failed = try following.object()
        #expect(failed["problems"]?.arrayValue?.map { $0["code"] } == [.string("nodeNoAnswer")])
        server.behave()
        try server.fund(Scene.icon, loop: UInt256(5))
        let recovered = try following.object()
        #expect(try #require(recovered["events"]?.intValue) > 0)
        #expect(recovered["problems"] == .array([]))
        let answer = following.end(by: signal)
        #expect(answer.status == 0)
        #expect(answer.error.isEmpty, "\(answer.error)")
        #expect(
            try scene.done("balance", "--json").objects.map { $0["confirmed"] } == [.string("5")])
        try scene.expectCleanReplay()
    }

    @Test func `sync says that there is more when a look was bounded, and goes on the next time`()
        throws
    {
        let (scene, server) = try Self.dash()
        try scene.done("node", "set", "dash", "regtest", server.url)
        #expect(try scene.done("sync", "--json").object["more"] == nil)
        _ = EndlessPayments(of: server)
        let bounded = try scene.done("sync", "--json").object
        #expect(bounded["more"] == .bool(true))
        #expect(try #require(bounded["events"]?.intValue) > 0)
        let text = try scene.done("sync")
        #expect(text.lines.last == "there is more to ask about: sync again")
        let following = try RunningProgram(
            [Programs.daybook, "sync", "--follow", "--json"],
            environment: ["DAYBOOK_HOME": scene.home])
        #expect(try following.object()["more"] == .bool(true))
        #expect(following.end(by: SIGTERM).status == 0)
        server.behave()
        #expect(try scene.done("sync", "--json").object["more"] == nil)
    }

    @Test func `a chain whose node is down does not hide what the others brought`() throws {
        let scene = try Scene(empty: true)
        try scene.done("init")
        let words = try scene.write("words", Scene.words)
        for chain in ["dash", "axe"] {
            try scene.done(
                "wallet", "add", "--chain", chain, "--network", "regtest", "--mnemonic-file", words,
                "--passphrase-file", scene.path("passphrase"))
        }
        let server = try NodeServer(.axe)
        server.mine(3)
        try scene.done("node", "set", "dash", "regtest", "http://127.0.0.1:1")
        try scene.done("node", "set", "axe", "regtest", server.url)
        let address = try scene.done("wallet", "list", "--json").objects[1]["address"]
        try server.fund(try #require(address?.stringValue), 300_000_000)
        server.mine(6)
        let first = try scene.daybook("sync", "--json")
        first.expectFailure(5, "nodeUnreachable", of: "sync")
        #expect(try first.objects.count == 2)
        let round = try first.objects[0]
        #expect(try #require(round["events"]?.intValue) > 0)
        #expect(round["problems"]?.arrayValue?.map { $0["chain"] } == [.string("dash")])
        #expect(try first.objects[1]["error"]?["code"] == .string("nodeUnreachable"))
        // A payment that no node had is sent, and told, while the other chain's node is down.
        server.misbehave(.closes, on: "sendrawtransaction")
        let request = try scene.done(
            "open", "axewallet://pay=yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf&amount=1&sender=myapp",
            "--json").object
        let number = try #require(request["request"]?.intValue)
        let approved = try scene.daybook(
            "approve", "\(number)", "--yes", "--passphrase-file", scene.path("passphrase"))
        approved.expectFailure(5, "sendUnanswered", of: "approve")
        server.behave()
        let second = try scene.daybook("sync")
        second.expectFailure(5, "nodeUnreachable", of: "sync")
        #expect(second.error.contains("dash regtest at http://127.0.0.1:1/: "))
        #expect(second.output.contains("request \(number)"), "\(second.output)")
        try scene.expectCleanReplay()
    }

    @Test func `of two nodes the one that is down is named, and the other serves`() throws {
        let (scene, server) = try Self.dash()
        let down = "http://127.0.0.1:1/"
        let set = try scene.done("node", "set", "dash", "regtest", down, server.url, "--json")
        #expect(try set.objects.map { $0["url"] } == [.string(down), .string(server.url)])
        #expect(try set.objects.map { $0["ok"] } == [.bool(false), .bool(true)])
        let round = try scene.done("sync", "--json")
        #expect(try round.object["passedOver"]?.arrayValue?.map { $0["url"] } == [.string(down)])
        #expect(try round.object["problems"] == nil)
        #expect(round.error.contains("dash regtest: passed over \(down): "), "\(round.error)")
        try scene.done("node", "remove", "dash", "regtest", down)
        #expect(try scene.done("sync").error.isEmpty)
        try scene.done("node", "set", "--also", "dash", "regtest", down)
        #expect(
            try scene.done("node", "list", "--json").objects.map { $0["url"] }
                == [.string(server.url), .string(down)])
        // The one that serves is compared with another one that answers.
        #expect(
            try scene.done("sync").error.contains("dash regtest: passed over \(down): "))
    }

    /// A store with a wallet of Dash on regtest, and a node of three blocks that it does not use.
    private static func dash() throws -> (Scene, NodeServer) {
        let scene = try Scene(empty: true)
        try scene.done("init")
        let words = try scene.write("words", Scene.words)
        try scene.done(
            "wallet", "add", "--chain", "dash", "--network", "regtest", "--mnemonic-file", words,
            "--passphrase-file", scene.path("passphrase"))
        let server = try NodeServer(.dash)
        server.mine(3)
        return (scene, server)
    }
}
