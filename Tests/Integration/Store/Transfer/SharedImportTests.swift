import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem
import Testing

@testable import Daybook

/// Imports that cores share: each decides a part again, and takes in what is before it.
struct SharedImportTests {
    let scene: TransferScene
    let records: [EventRecord]

    init() async throws {
        scene = try await TransferScene()
        records = try await scene.store.allRecords()
    }

    @Test func `a log that is decided in parts is taken, wherever it is cut`() throws {
        for cut in records.indices {
            let parts = parts(of: records, UInt64(cut))
            #expect(try parts.map { try $0.get() } == [0, 0])
        }
    }

    @Test func `the first part that refuses a log says what the whole says`() throws {
        var refusals = 0
        for (index, record) in records.enumerated() {
            let changes = Alteration.all(of: record.data)
            let altered = changes.isEmpty
                ? record.altered(time: record.time + 1)
                : record.altered(data: changes[index % changes.count].data)
            var logs = [records, Array(records[...index])]
            logs[0][index] = altered
            for log in logs {
                let whole = refusal([decided(log, 0..<(.max))])
                if whole != nil { refusals += 1 }
                for cut in Set([1, index / 2, index, index + 1, index + 3]) {
                    #expect(refusal(parts(of: log, UInt64(cut))) == whole, "\(index), \(cut)")
                }
            }
        }
        #expect(refusals > records.count / 2)
    }

    @Test func `a payment is refused that is not signed in the part that has it`() throws {
        let prepared = try #require(records.firstIndex { $0.type == "transaction.prepared" })
        let log = Array(records[...prepared])
        let found = try #require(refusal([decided(log, 0..<(.max))]))
        #expect(found.contains("importDiverges"))
        // What comes next is another part's: a clock in the place of the signature.
        let time = EventRecord(
            logID: log[0].logID, position: UInt64(log.count), stream: "session/0", revision: 1,
            type: "time.passed", version: 1, time: log[prepared].time, session: 0, request: nil,
            cause: nil, actor: "tests", data: .record([:]))
        #expect(refusal(parts(of: log + [time], UInt64(log.count))) == found)
    }

    @Test func `a file that is another one than was proven is refused`() throws {
        let proven = try scene.write("proven.daybook", records: records)
        let last = try #require(records.last)
        let other = try scene.write(
            "other.daybook", records: records.dropLast() + [last.altered(time: last.time + 1)])
        let store = try OtherStore()
        let log = try EventLog(opening: store.home.path + "/log", by: StateFold())
        let rules = ImportRules(decide: StoreParts.decide, now: .max, work: LongWork())
        try log.read { snapshot in
            @Sendable func batches(of path: String) throws -> sending ExportBatches {
                ExportBatches(try #require(try ExportFile(path)).reader())
            }
            let export = try ProvenExport(for: log, snapshot, rules, batches(of: proven))
            let decide = { (path: String) in
                try rules.decideAgain(export, after: snapshot) { try batches(of: path) }
            }
            #expect(try decide(proven) == 0)
            #expect(throws: ProvenExport.changed) { try decide(other) }
        }
    }

    private func parts(
        of log: [EventRecord], _ cut: UInt64
    ) -> [Result<UInt64, any Error>] {
        [decided(log, 0..<cut), decided(log, cut..<(.max))]
    }

    /// How many events of a part nobody knows.
    private func decided(
        _ log: [EventRecord], _ part: Range<UInt64>
    ) -> Result<UInt64, any Error> {
        Result {
            let rules = ImportRules(decide: StoreParts.decide, now: .max, work: LongWork())
            var deciding = try DecidingAgain(
                rules, part, in: State(), events: UInt64(log.count))
            for record in log {
                let event: Event?
                do {
                    event = try record.event()
                } catch {
                    throw DaybookError(
                        "eventInvalid", .refused, "\(error)", position: record.id)
                }
                guard try deciding.take(record, event) else { return deciding.notChecked }
            }
            try deciding.finish()
            return deciding.notChecked
        }
    }

    /// What the first of some parts that refuses says, and where.
    private func refusal(_ parts: [Result<UInt64, any Error>]) -> String? {
        for part in parts {
            guard case .failure(let error) = part else { continue }
            guard let error = error as? DaybookError else { return "\(error)" }
            return "\(error.code) \(error.position ?? 0) \(error.message)"
        }
        return nil
    }
}
