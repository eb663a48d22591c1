import DaybookEncoding
import DaybookSystem
import EventStores
import Foundation
import Testing
import TestSupport

/// `store create`, `store take-over`, and `--store` of every command.
struct DatabaseCommandTests {
    private let scene: Scene
    private let server: TemporaryPostgres

    init() throws {
        scene = try Scene(empty: true)
        server = try TemporaryPostgres.shared.get()
    }

    /// Runs a program of ours as a user of a machine, who has a folder of files there.
    private func run(
        _ machine: Int, _ words: String..., program: String = "daybook"
    ) throws -> ProgramRun {
        try Programs.run(
            ["\(Programs.folder)/\(program)"] + words,
            environment: ["XDG_DATA_HOME": scene.path("machine-\(machine)")])
    }

    /// Makes a log to which machine 1 writes, with a funded wallet; returns its address.
    private func makeLog() throws -> String {
        let made = try run(1, "store", "create", server.database, "--json")
        #expect(made.status == 0, "\(made.error)")
        let log = try #require(made.object["store"]?.stringValue)
        let id = try #require(made.object["log"]?.stringValue)
        #expect(id.utf8.count == 32 && log.contains("/\(id)"))
        try scene.write("words", Scene.words)
        let added = try run(
            1, "wallet", "add", "--store", log, "--chain", "dash", "--mnemonic-file",
            scene.path("words"), "--passphrase-file", scene.path("passphrase"))
        #expect(added.status == 0, "\(added.error)")
        #expect(try run(1, "sandbox", "fund", "--store", log, "1", "10").status == 0)
        return log
    }

    @Test func `a payment from its link to its replay, and a second machine that reads`() throws {
        let log = try makeLog()
        let link = "dashwallet://pay=\(Scene.payee)&amount=1.5&sender=myapp"
        #expect(try run(1, "open", "--store", log, link).status == 0)
        let pending = try run(2, "pending", "--store", log, "--json")
        let request = try #require(pending.object["request"]?.numberLiteral)
        let approved = try run(
            1, "approve", request, "--store", log, "--passphrase-file",
            scene.path("passphrase"))
        #expect(approved.status == 0, "\(approved.error)")
        for program in ["replay", "verify"] {
            let answer = try run(3, program, log, "--json", program: "daybook-replay")
            #expect(answer.status == 0, "\(answer.error)")
            #expect(try answer.object["divergences"]?.numberLiteral ?? "0" == "0")
        }
        #expect(try run(2, "verify", "--store", log).status == 0)
        #expect(try run(2, "pending", "--store", log).lines.first == "nothing waits for you")
    }

    @Test func `a machine writes once it has taken the log over, and the last one can't`() throws {
        let log = try makeLog()
        let link = "dashwallet://pay=\(Scene.payee)&amount=1&sender=myapp"
        let refused = try run(2, "open", "--store", log, link)
        #expect(refused.status == 3)
        #expect(refused.error.contains("`daybook store take-over`"))
        let taken = try run(2, "store", "take-over", log, "--json")
        #expect(try taken.object["epoch"]?.numberLiteral == "2")
        #expect(try run(2, "open", "--store", log, link).status == 0)
        let last = try run(1, "open", "--store", log, link)
        #expect(last.status == 3 && last.error.contains("(storeFenced)"), "\(last.error)")
    }

    @Test func `two creations of a log make one`() throws {
        let id = Hex.encode(try Entropy.bytes(16))
        let address = server.database.replacingOccurrences(of: "?", with: "/\(id)?")
        #expect(try run(1, "store", "create", address).status == 0)
        let again = try run(1, "store", "create", address).error
        #expect(again.contains("use that with --store") && again.contains("(storeExists)"))
        let elsewhere = try run(2, "store", "create", address).error
        #expect(elsewhere.contains("`daybook store take-over`"), "\(elsewhere)")
        #expect(elsewhere.contains("(storeExists)"))
        #expect(try run(2, "pending", "--store", address).status == 0)
    }

    @Test func `the logs of a database are listed with their events and their writers`() throws {
        let name = "n" + Hex.encode(try Entropy.bytes(8))
        let empty = try server.makeDatabase(name)
        let unprepared = try run(1, "store", "list", empty)
        #expect(unprepared.status == 3 && unprepared.error.contains("(databaseUnprepared)"))
        var ids: [String] = []
        for _ in 0..<2 {
            let made = try run(1, "store", "create", empty, "--json").object
            ids.append(try #require(made["log"]?.stringValue))
        }
        let first = empty.replacingOccurrences(of: "?", with: "/\(ids[0])?")
        #expect(try run(2, "store", "take-over", first).status == 0)
        #expect(try run(2, "checkpoint", "--store", first).status == 0)
        let logs = try run(3, "store", "list", empty, "--json").objects
        #expect(logs.map { $0["log"]?.stringValue } == ids.sorted())
        let taken = try #require(logs.first { $0["log"] == .string(ids[0]) })
        #expect(taken["writer"]?.numberLiteral == "2")
        #expect(taken["events"]?.intValue ?? 0 > 0)
        let other = try #require(logs.first { $0["log"] == .string(ids[1]) })
        #expect(other["writer"]?.numberLiteral == "1" && other["events"]?.numberLiteral == "0")
        #expect(try run(3, "store", "list", empty).lines.count == 2)
        let named = try run(3, "store", "list", first)
        #expect(named.status == 3 && named.error.contains("(databaseURLInvalid)"))
        let unknown = empty.replacingOccurrences(
            of: "?", with: "/\(String(repeating: "0", count: 32))?")
        #expect(try run(3, "pending", "--store", unknown).error.contains("`daybook store list`"))
    }

    @Test func `a log that is not there, and a folder of another log`() throws {
        let log = try makeLog()
        let id = try #require(log.split(separator: "/").dropFirst(2).first?.prefix(32))
        let unknown = log.replacingOccurrences(
            of: id, with: String(repeating: "0", count: 32))
        let answer = try run(1, "pending", "--store", unknown)
        #expect(answer.status == 3 && answer.error.contains("(storeMissing)"), "\(answer.error)")
        let folder = scene.path("machine-1/daybook-logs/\(id)")
        let other = try run(1, "pending", "--store", unknown, "--home", folder)
        #expect(other.status == 3 && other.error.contains("(storeExists)"), "\(other.error)")
    }
}
