import DaybookEncoding
import DaybookSystem
import Foundation
import Testing

/// `daybook serve --logs`: all logs of a database in one process.
struct ManyLogsTests {
    private let scene: ManyLogs

    init() throws { scene = try ManyLogs() }

    @Test func `two clients use two logs through one server, and each log replays`() throws {
        let logs = try [scene.makeLog(), scene.makeLog()]
        let server = try scene.serve()
        let clients = try [server.client(), server.client()]
        for (client, log) in zip(clients, logs) {
            let wallet = try scene.addWallet(client, log)
            let done = try scene.pay(client, log, from: wallet)
            #expect(done["status"] == .string("completed"))
        }
        for log in logs {
            let info = try clients[0].result("info", ["log": .string(log)])
            #expect(info["log"] == .string(log))
            #expect(info["home"] == .string("\(scene.home)/\(log)"))
            #expect(try clients[1].result("wallet.list", ["log": .string(log)])["wallets"] != nil)
            #expect(
                try clients[1].result("callback.list", ["log": .string(log)])["callbacks"]?
                    .arrayValue?.count == 1)
        }
        #expect(server.program.end(by: SIGTERM).status == 0)
        for log in logs { try scene.expectCleanReplay(log) }
    }

    @Test func `all methods answer for one of many logs`() throws {
        let log = try scene.makeLog()
        let server = try scene.serve()
        _ = try ConformanceStep.perform(through: LogDoor(try SocketDoor(server), log))
        #expect(server.program.end(by: SIGTERM).status == 0)
        try scene.expectCleanReplay(log)
    }

    @Test func `a call that names no log, no id or no log of the database is answered by code`()
        throws
    {
        let log = try scene.makeLog()
        let server = try scene.serve()
        let client = try server.client()
        let unknown = String(repeating: "0", count: 32)
        for (named, code) in [
            (nil, "logUnnamed"), ("x", "usage"), ("../\(log.dropFirst(3))", "usage"),
            (unknown, "storeMissing"),
        ] {
            let answer = try client.call("wallet.list", ["log": named.map(JSON.string)])
            #expect(answer["error"]?["data"]?["code"] == .string(code), "\(answer.text())")
        }
        #expect(try Files.list(scene.home) == [log])
        #expect(
            try client.result("wallet.list", ["log": .string(log.uppercased())])["wallets"]
                == .array([]))
    }
}
