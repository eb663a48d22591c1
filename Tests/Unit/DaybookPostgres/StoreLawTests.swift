import DaybookEncoding
import DaybookLog
import DaybookPostgres
import DaybookSystem
import EventStores
import Testing

/// The laws of the stores of events, over each store.
struct StoreLawTests {
    @Test(arguments: StoreKind.allCases, StoreLaw.all)
    func `each store keeps each law`(kind: StoreKind, law: StoreLaw) throws {
        let store = try kind.make(log: try Entropy.bytes(16))
        try law.check(store.writer, store)
    }

    @Test func `the same events have the same bytes and root in each store`() throws {
        let id = try Entropy.bytes(16)
        let found = try StoreKind.allCases.map { kind in
            let store = try kind.make(log: id)
            let log = try EventLog(of: store.writer, derivedAt: nil)
            for number in 0..<40 {
                try log.write { transaction in
                    for part in 0...number % 3 {
                        _ = try transaction.append(Self.draft(number, part))
                    }
                }
            }
            return try log.read { log in
                Found(
                    root: try log.head().root.bytes,
                    events: try log.bytes(from: 0, limit: .max))
            }
        }
        #expect(found[0] == found[1])
        #expect(found[0] == found[2])
        #expect(found[0].events.count == 79)
    }

    private struct Found: Equatable {
        let root: Bytes
        let events: [Bytes]
    }

    private static func draft(_ number: Int, _ part: Int) -> EventDraft {
        EventDraft(
            stream: "stream/\(part)", type: "sample", time: UInt64(number), session: .own,
            request: nil, cause: nil, actor: "test", data: .record(["part": .unsigned(7)]))
    }
}
