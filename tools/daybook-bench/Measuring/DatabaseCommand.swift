import DaybookCommands
import DaybookEncoding
import DaybookLog
import DaybookPostgres
import DaybookSystem

extension Command {
    static let database = Command(
        "database", "URL CLIENTS SECONDS", count: 3...3, does: """
            append to a thousand logs in a database, and say how long an append took
            Each append has four events of 250 bytes, to a log chosen at random. Prints how many
            there were in how many nanoseconds of all clients together, the 99th percentile and the
            longest.
            """,
        changes: true
    ) { invocation in
        let clients = Int(clamping: try invocation.number(at: 1, "CLIENTS"))
        let seconds = try invocation.number(at: 2, "SECONDS")
        let load = try AppendLoad(at: invocation.arguments[0], clients: clients)
        let times = try load.run(seconds: seconds).sorted()
        let all = times.reduce(0, +)
        let p99 = times[times.count * 99 / 100]
        try invocation.console.result(
            .record([
                "count": .int(times.count), "nanoseconds": .int(all), "p99": .int(p99),
                "longest": .int(times[times.count - 1]),
            ]),
            "\(times.count) \(all) \(p99) \(times[times.count - 1])")
        return .done
    }
}

/// Clients that append to logs of their own, each on a thread, as fast as they can.
private struct AppendLoad {
    private let pool: PostgresPool
    /// The logs of each client.
    private let logs: [[Bytes]]

    private static let allLogs = 1000

    init(at address: String, clients: Int) throws {
        pool = PostgresPool.shared(try PostgresURL(address).database)
        let database = PostgresDatabase(pool)
        try database.prepare()
        logs = try (0..<clients).map { _ in
            try (0..<Self.allLogs / clients).map { _ in
                let log = try Entropy.bytes(LogLimits.idBytes)
                try database.create(log: log)
                return log
            }
        }
    }

    /// The nanoseconds of each append.
    func run(seconds: UInt64) throws -> [UInt64] {
        let end = Clock.monotonicMicroseconds() + seconds * 1_000_000
        let results = Monitor<[Result<[UInt64], any Error>]>([])
        let threads = logs.map { _ in WorkThread() }
        for (thread, logs) in zip(threads, logs) {
            thread.run { [pool] in
                let result = Result { try Self.append(to: logs, pool, until: end) }
                results.change { $0.append(result) }
                return {}
            }
        }
        let done = results.change(when: { $0.count == threads.count }, { $0 })
        return try done.flatMap { try $0.get() }
    }

    private static func append(
        to logs: [Bytes], _ pool: PostgresPool, until end: UInt64
    ) throws -> [UInt64] {
        let stores = logs.map { PostgresEvents(pool, log: $0, epoch: 1) }
        var counts = stores.map { _ in UInt64(0) }
        let event = Bytes(repeating: 7, count: 250)
        let new = NewEvents(Array(repeating: event, count: 4)) { Bytes(repeating: 7, count: 32) }
        var times: [UInt64] = []
        let clock = ContinuousClock()
        while Clock.monotonicMicroseconds() < end {
            let index = Int.random(in: stores.indices)
            let begin = clock.now
            let answer = try stores[index].append(new, expecting: counts[index], epoch: 1)
            let (seconds, attoseconds) = (clock.now - begin).components
            times.append(UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000))
            guard case .appended(let count) = answer else {
                throw CommandFailure("conflict", .refused, "another client wrote to the log")
            }
            counts[index] = count
        }
        return times
    }
}

extension Command {
    static let race = Command(
        "race", "URL NAME COUNT", count: 3...3, does: """
            race other processes for the next position of a log, and say how often this one won
            URL names the log; NAME tells the processes apart. Each position up to COUNT is tried
            once. Prints the number of positions at which the log took this process's event.
            """,
        changes: true
    ) { invocation in
        let (address, name) = (invocation.arguments[0], invocation.arguments[1])
        let end = try invocation.number(at: 2, "COUNT")
        let url = try PostgresURL(ofLog: address)
        guard let id = url.log else { throw CommandFailure.usage("the address names no log") }
        let log = PostgresEvents(PostgresPool.shared(url.database), log: id, epoch: 1)
        var (next, won) = (UInt64(0), 0)
        while next < end {
            let event = Bytes("\(name) \(next)".utf8)
            let new = NewEvents([event]) { Bytes(repeating: 0, count: 32) }
            switch try log.append(new, expecting: next, epoch: 1) {
            case .appended: (next, won) = (next + 1, won + 1)
            case .conflict(let count): next = max(next + 1, count)
            case .fenced: throw CommandFailure("fenced", .refused, "the log was taken over")
            }
        }
        try invocation.console.result(.record(["won": .int(won)]), "\(won)")
        return .done
    }
}
