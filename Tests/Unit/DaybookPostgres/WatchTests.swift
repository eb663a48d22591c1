import DaybookEncoding
import DaybookLog
import DaybookPostgres
import DaybookSystem
import EventStores
import Testing

/// Watches of many logs of one database.
struct WatchTests {
    @Test func `an event wakes the watch of its log, and of no other`() throws {
        let address = try TemporaryPostgres.shared.get().database
        let (reading, writing) = (PostgresPool(address), PostgresPool(address))
        let database = PostgresDatabase(writing)
        try database.prepare()
        let ids = try (0..<3).map { _ in try Entropy.bytes(LogLimits.idBytes) }
        for id in ids { try database.create(log: id) }
        let calls = Monitor([0, 0, 0])
        let watches = ids.enumerated().map { index, id in
            PostgresEvents(reading, log: id, epoch: nil).watch { _ in
                calls.change { $0[index] += 1 }
            }
        }
        // The first look knows no earlier head, and so wakes all.
        calls.change(when: { $0.allSatisfy { $0 > 0 } }) { _ in }
        let before = calls.change { $0 }
        let log = PostgresEvents(writing, log: ids[1], epoch: 1)
        for position in 0..<UInt64(3) {
            let woken = calls.change { $0[1] }
            let new = NewEvents([[7]]) { Bytes(repeating: 0, count: TreeHash.length) }
            _ = try log.append(new, expecting: position, epoch: 1)
            calls.change(when: { $0[1] > woken }) { _ in }
        }
        #expect(calls.change { [$0[0], $0[2]] } == [before[0], before[2]])
        _ = watches
    }
}
