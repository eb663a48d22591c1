import DaybookEncoding
import DaybookPostgres
import DaybookSystem
import EventStores
import Testing
import TestSupport

/// Processes that want the same position, as `tools/dev races` lets many more of them.
struct RaceTests {
    @Test func `one process wins each position, and knows it`() throws {
        let server = try TemporaryPostgres.shared.get()
        let pool = PostgresPool(server.database)
        let id = try Entropy.bytes(16)
        let database = PostgresDatabase(pool)
        try database.prepare()
        try database.create(log: id)
        let address = PostgresURL(database: server.database, log: id).description
        let racers = ["a", "b", "c", "d"]
        let won = try Cores.map(racers) { name in
            let run = try ProgramRun(
                ["\(ProgramRun.folder)/daybook-bench", "race", address, name, "300"])
            #expect(run.status == 0, "\(run.output)")
            return Int(run.output.split(separator: "\n").last ?? "") ?? -1
        }
        let events = try PostgresEvents(pool, log: id, epoch: nil).read(from: 0, limit: .max)
        #expect(events.count == 300)
        var counts: [String: Int] = [:]
        for (position, bytes) in events.enumerated() {
            let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
            #expect(words[1] == "\(position)")
            counts[String(words[0]), default: 0] += 1
        }
        #expect(racers.map { counts[$0] ?? 0 } == won)
    }
}
