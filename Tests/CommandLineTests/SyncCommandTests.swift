import DaybookEncoding
import Foundation
import NodeServer
import Testing

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
        let following = try Running(
            ["\(Call.folder)/daybook", "sync", "--follow", "--interval", "1", "--json"],
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
        let scene = try Scene(empty: true)
        try scene.done("init")
        let words = try scene.write("words", Scene.words)
        try scene.done(
            "wallet", "add", "--chain", "dash", "--network", "regtest", "--mnemonic-file", words,
            "--passphrase-file", scene.path("passphrase"))
        let server = try NodeServer(.dash)
        server.mine(3)
        try scene.done("node", "set", "dash", "regtest", server.url)
        #expect(try scene.done("sync", "--json").object["more"] == nil)
        _ = EndlessPayments(of: server)
        let bounded = try scene.done("sync", "--json").object
        #expect(bounded["more"] == .bool(true))
        #expect(try #require(bounded["events"]?.intValue) > 0)
        let text = try scene.done("sync")
        #expect(text.lines.last == "there is more to ask about: sync again")
        let following = try Running(
            ["\(Call.folder)/daybook", "sync", "--follow", "--json"],
            environment: ["DAYBOOK_HOME": scene.home])
        #expect(try following.object()["more"] == .bool(true))
        #expect(following.end(by: SIGTERM).status == 0)
        server.behave()
        #expect(try scene.done("sync", "--json").object["more"] == nil)
    }
}
