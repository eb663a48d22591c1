import DaybookEncoding
import DaybookLog
import DaybookPostgres
import DaybookSystem
import EventStores
import Testing
import TestSupport

/// Processes that want the same position, as `tools/dev races` lets many more of them.
struct RaceTests {
    @Test func `more threads than connections share them`() throws {
        let server = try TemporaryPostgres.shared.get()
        let pool = PostgresPool(server.database)
        let database = PostgresDatabase(pool)
        try database.prepare()
        let threads = (0..<40).map { _ in WorkThread() }
        let done = Monitor<[Result<UInt64, any Error>]>([])
        for thread in threads {
            thread.run {
                let result = Result {
                    let id = try Entropy.bytes(16)
                    try database.create(log: id)
                    let log = PostgresEvents(pool, log: id, epoch: 1)
                    for count in 0..<UInt64(20) {
                        _ = try log.append(Self.event("own"), expecting: count, epoch: 1)
                    }
                    return try log.count()
                }
                done.change { $0.append(result) }
                return {}
            }
        }
        let counts = try done.change(when: { $0.count == 40 }, { $0 }).map { try $0.get() }
        #expect(counts == Array(repeating: 20, count: 40))
    }

    @Test func `turns that lock their logs read while all connections are in use`() throws {
        let pool = PostgresPool(try TemporaryPostgres.shared.get().database)
        let database = PostgresDatabase(pool)
        try database.prepare()
        let writers = 16
        let locked = Monitor(0)
        let done = Monitor<[Result<[Bytes], any Error>]>([])
        let threads = (0..<writers).map { _ in WorkThread() }
        for thread in threads {
            thread.run {
                let result = Result {
                    let id = try Entropy.bytes(16)
                    try database.create(log: id)
                    let log = PostgresEvents(pool, log: id, epoch: 1)
                    let rival = PostgresEvents(pool, log: id, epoch: 1)
                    var attempts = 0
                    return try log.turn { view -> ([Bytes], NewEvents) in
                        attempts += 1
                        if attempts <= 8 {
                            _ = try rival.append(
                                Self.event("rival"), expecting: view.count, epoch: 1)
                            return ([], Self.event("slow"))
                        }
                        locked.change { $0 += 1 }
                        locked.change(when: { $0 == writers }) { _ in }
                        let events = try view.events(from: 0, limit: 9, byteLimit: .max)
                        return (events, Self.event("slow"))
                    }
                }
                done.change { $0.append(result) }
                return {}
            }
        }
        for result in done.change(when: { $0.count == writers }, { $0 }) {
            #expect(try result.get() == Array(repeating: Bytes("rival".utf8), count: 8))
        }
    }

    private static func event(_ name: String) -> NewEvents {
        NewEvents([Bytes(name.utf8)]) { Bytes(repeating: 0, count: 32) }
    }

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
