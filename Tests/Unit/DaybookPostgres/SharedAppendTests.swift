import DaybookEncoding
import DaybookLog
import DaybookPostgres
import DaybookSystem
import EventStores
import Testing

/// Appends of more threads than commit at a time, which share transactions.
struct SharedAppendTests {
    private let server: TemporaryPostgres
    private let pool: PostgresPool

    init() throws {
        server = try TemporaryPostgres.shared.get()
        pool = PostgresPool(server.database)
        try PostgresDatabase(pool).prepare()
    }

    @Test func `an append that fails leaves those that share its transaction unharmed`() throws {
        let (whole, damaged) = (try logs(20), try logs(4))
        for log in damaged {
            let id = "'\\x\(Hex.encode(log))'"
            try server.run("INSERT INTO daybook.events VALUES (\(id), 9, 'left over')")
        }
        let counts = appended(to: whole + damaged, 20)
        for count in counts.prefix(whole.count) { #expect(try count.get() == 20) }
        for (log, count) in zip(damaged, counts.suffix(damaged.count)) {
            let error = #expect(throws: LogError.self) { try count.get() }
            #expect(error?.code == "databaseFailed")
            #expect(try PostgresEvents(pool, log: log, epoch: nil).count() == 9)
        }
    }

    @Test func `nothing is lost or doubled while connections end`() throws {
        let database = try server.makeDatabase("ending")
        let pool = PostgresPool(database)
        try PostgresDatabase(pool).prepare()
        let logs = try logs(16, in: pool)
        let done = Monitor<[Result<UInt64, any Error>]?>(nil)
        let thread = WorkThread()
        thread.run { [self] in
            let counts = appended(to: logs, 60, in: pool)
            done.change { $0 = counts }
            return {}
        }
        var ended = 0
        while done.change({ $0 == nil }) {
            let answer = try server.run(
                """
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE datname = 'ending'
                """)
            ended += Int(answer.prefix { $0.isNumber }) ?? 0
        }
        for count in done.change({ $0 }) ?? [] { #expect(try count.get() == 60) }
        for log in logs {
            let events = try PostgresEvents(pool, log: log, epoch: nil).read(from: 0, limit: .max)
            #expect(events == (0..<60).map { Bytes("\($0)".utf8) })
        }
        #expect(ended > 0)
    }

    private func logs(_ count: Int, in other: PostgresPool? = nil) throws -> [Bytes] {
        try (0..<count).map { _ in
            let id = try Entropy.bytes(16)
            try PostgresDatabase(other ?? pool).create(log: id)
            return id
        }
    }

    /// How many events each log has after a thread of its own has appended so many.
    private func appended(
        to logs: [Bytes], _ count: UInt64, in other: PostgresPool? = nil
    ) -> [Result<UInt64, any Error>] {
        let pool = other ?? pool
        let done = Monitor<[Int: Result<UInt64, any Error>]>([:])
        let threads = logs.map { _ in WorkThread() }
        for (index, thread) in threads.enumerated() {
            thread.run {
                let result = Result {
                    let log = PostgresEvents(pool, log: logs[index], epoch: 1)
                    for number in 0..<count {
                        let new = NewEvents([Bytes("\(number)".utf8)]) {
                            Bytes(repeating: 0, count: 32)
                        }
                        let answer = try log.append(new, expecting: number, epoch: 1)
                        #expect(answer == .appended(count: number + 1))
                    }
                    return try log.count()
                }
                done.change { $0[index] = result }
                return {}
            }
        }
        let results = done.change(when: { $0.count == logs.count }, { $0 })
        return logs.indices.compactMap { results[$0] }
    }
}
