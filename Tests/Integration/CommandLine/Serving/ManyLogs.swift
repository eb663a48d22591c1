import DaybookEncoding
import DaybookSystem
import EventStores
import Foundation
import TestSupport
import Testing

/// A database with logs, and the folder of this machine's logs.
final class ManyLogs {
    let folder: Scene
    /// The way to the database.
    let link: PostgresLink
    var home: String { folder.path("logs") }

    init() throws {
        folder = try Scene(empty: true)
        link = try TemporaryPostgres.shared.get().link(in: folder.path("links"))
        try FileManager.default.createDirectory(
            atPath: folder.path("logs"), withIntermediateDirectories: true)
    }

    func address(of log: String) -> String {
        link.database.replacingOccurrences(of: "?", with: "/\(log)?")
    }

    /// Makes a log to which this machine writes, or another one; returns its id.
    func makeLog(below other: String? = nil) throws -> String {
        let log = Hex.encode(try Entropy.bytes(16))
        let made = try daybook("store", "create", log, below: other)
        #expect(made.status == 0, "\(made.error)")
        return log
    }

    /// Runs a command on a log whose folder is below that of this machine's logs, or of another's.
    ///
    /// `log` stands behind the words of the command, and is an address for those that take one.
    @discardableResult
    func daybook(
        _ words: String..., below other: String? = nil
    ) throws -> ProgramRun {
        let log = words.last ?? ""
        let takesAddress = words.first == "store"
        let command = words.dropLast() + (takesAddress ? [address(of: log)] : [])
        let home = other.map { folder.path($0) } ?? home
        return try Programs.run(
            [Programs.daybook] + command + ["--home", "\(home)/\(log)"])
    }

    func expectCleanReplay(_ log: String) throws {
        let answer = try Programs.run(
            ["\(Programs.folder)/daybook-replay", "replay", address(of: log)])
        #expect(answer.status == 0, "\(answer.error)")
    }

    /// Starts a server of all logs of the database.
    func serve(_ words: String..., socket: String = "socket") throws -> Server {
        try Server(
            ["--logs", "--store", link.database, "--home", home] + words,
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

/// A door through which every call names the same log.
struct LogDoor: Door {
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
