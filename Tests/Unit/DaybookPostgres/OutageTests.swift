import DaybookEncoding
import DaybookLog
import DaybookPostgres
import DaybookSystem
import EventStores
import Testing
import TestSupport

/// A server that goes away while it is used, and comes back.
struct OutageTests {
    private let folder: TemporaryFolder
    private let link: PostgresLink
    private let log: Bytes

    init() throws {
        folder = try TemporaryFolder()
        link = try TemporaryPostgres.shared.get().link(in: folder.path)
        log = try Entropy.bytes(LogLimits.idBytes)
        let database = PostgresDatabase(PostgresPool(link.database))
        try database.prepare()
        try database.create(log: log)
    }

    private func count(_ pool: PostgresPool) throws -> UInt64 {
        try Self.count(pool, log)
    }

    private static func count(
        _ pool: PostgresPool, _ log: Bytes = Bytes(repeating: 1, count: LogLimits.idBytes)
    ) throws -> UInt64 {
        try PostgresEvents(pool, log: log, epoch: nil).count()
    }

    @Test func `a short outage is waited for`() throws {
        let pool = PostgresPool(link.database)
        #expect(try count(pool) == 0)
        try link.cut()
        let thread = WorkThread()
        let answer = Monitor<UInt64?>(nil)
        thread.run { [self] in
            let found = try? count(pool)
            answer.change { $0 = found ?? 999 }
            return {}
        }
        try link.restore()
        #expect(answer.change(when: { $0 != nil }) { $0 } == 0)
    }

    @Test func `in a long outage nobody waits in full but those who found it`() throws {
        let patience: UInt64 = 300_000
        let pool = PostgresPool(link.database, patience: patience)
        #expect(try count(pool) == 0)
        try link.cut()
        let start = Clock.monotonicMicroseconds()
        #expect(throws: LogError.self) { try count(pool) }
        let found = Clock.monotonicMicroseconds()
        #expect(found - start >= patience)
        for _ in 0..<100 { #expect(throws: LogError.self) { try count(pool) } }
        #expect(Clock.monotonicMicroseconds() - found < patience)
        try link.restore()
        // It is tried every second.
        while (try? count(pool)) == nil {}
        #expect(try count(pool) == 0)
    }

    @Test func `threads that fail at the same time agree on the outage`() async {
        await #expect(processExitsWith: .success) {
            let pool = PostgresPool("postgres:///none?host=/nowhere")
            let (threads, ended) = ((0..<8).map { _ in WorkThread() }, Monitor(0))
            for thread in threads {
                thread.run {
                    for _ in 0..<2000 { #expect(throws: LogError.self) { try Self.count(pool) } }
                    return { ended.change { $0 += 1 } }
                }
            }
            ended.change(when: { $0 == threads.count }) { _ in }
        }
    }
}
