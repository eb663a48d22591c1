import DaybookEncoding
import DaybookSystem
import EventStores
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

/// A door through which every call names the same log.
private struct LogDoor: Door {
    let name = "one of many logs"
    private let door: any Door
    private let log: String

    init(_ door: any Door, _ log: String) {
        (self.door, self.log) = (door, log)
    }

    func answer(_ request: JSON) throws -> JSON {
        let members = (request.objectValue ?? []).map { member in
            guard member.name == "params" else { return member }
            let params = (member.value.objectValue ?? []) + [
                .init(name: "log", value: .string(log))
            ]
            return .init(name: "params", value: .object(params))
        }
        return try door.answer(.object(members))
    }
}

/// A database with logs, and the folder of this machine's logs.
final class ManyLogs {
    let folder: Scene
    let server: TemporaryPostgres
    var home: String { folder.path("logs") }

    init() throws {
        folder = try Scene(empty: true)
        server = try TemporaryPostgres.shared.get()
        try FileManager.default.createDirectory(
            atPath: folder.path("logs"), withIntermediateDirectories: true)
    }

    func address(of log: String) -> String {
        server.database.replacingOccurrences(of: "?", with: "/\(log)?")
    }

    /// Makes a log to which this machine writes; returns its id.
    func makeLog() throws -> String {
        let log = Hex.encode(try Entropy.bytes(16))
        let made = try Call.run(
            ["\(Call.folder)/daybook", "store", "create", address(of: log), "--home"]
                + ["\(home)/\(log)"])
        #expect(made.status == 0, "\(made.error)")
        return log
    }

    func expectCleanReplay(_ log: String) throws {
        let answer = try Call.run(
            ["\(Call.folder)/daybook-replay", "replay", address(of: log)])
        #expect(answer.status == 0, "\(answer.error)")
    }

    /// Starts a server of all logs of the database.
    func serve(_ words: String..., socket: String = "socket") throws -> Server {
        try Server(
            ["--logs", "--store", server.database, "--home", home] + words,
            at: folder.path(socket))
    }

    /// Adds a funded wallet to a log.
    func addWallet(_ client: SocketClient, _ log: String) throws -> JSON? {
        let wallet = try client.result(
            "wallet.add",
            [
                "log": .string(log), "chain": .string("dash"), "new": .bool(true),
                "passphrase": .string(Scene.passphrase),
            ])["wallet"]
        _ = try client.result(
            "sandbox.fund",
            ["log": .string(log), "wallet": wallet, "amount": .string("10")])
        return wallet
    }

    /// Receives and approves a payment; returns the approved request.
    func pay(_ client: SocketClient, _ log: String, from wallet: JSON?) throws -> JSON {
        let url = "dashwallet://pay=\(Scene.payee)&amount=0.25&sender=shop"
        let opened = try client.result(
            "request.open", ["log": .string(log), "url": .string(url)])
        return try client.result(
            "request.approve",
            [
                "log": .string(log), "request": opened["request"], "wallet": wallet,
                "shown": opened["prompt"]?["digest"],
                "passphrase": .string(Scene.passphrase),
            ])
    }
}
