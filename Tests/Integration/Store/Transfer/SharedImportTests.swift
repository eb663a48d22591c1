import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem
import Testing

@testable import Daybook

/// Imports decide what was read ahead, and append what they have decided.
struct SharedImportTests {
    let scene: TransferScene
    let records: [EventRecord]

    init() async throws {
        scene = try await TransferScene()
        records = try await scene.store.allRecords()
    }

    @Test func `the first event that does not follow is named, whatever is stored`() throws {
        var refusals = 0
        for index in stride(from: 0, to: records.count, by: 3) {
            let record = records[index]
            let changes = Alteration.all(of: record.data)
            let altered = changes.isEmpty
                ? record.altered(time: record.time + 1)
                : record.altered(data: changes[index % changes.count].data)
            var logs = [records, Array(records[...index])]
            logs[0][index] = altered
            for log in logs {
                let whole = try refusal(of: log, after: 0)
                if whole != nil { refusals += 1 }
                let known = commit(before: index % 2 == 0 ? index : index / 2)
                #expect(try refusal(of: log, after: known) == whole, "\(index), \(known)")
            }
        }
        #expect(refusals > records.count / 6)
    }

    @Test func `damage is named, also behind an event that does not follow`() throws {
        let altered = try #require(records.firstIndex { $0.cause != nil })
        var log = records
        log[altered] = log[altered].altered(time: log[altered].time + 1)
        _ = try scene.write("damaged.daybook", records: log)
        var bytes = try scene.bytes("damaged.daybook")
        bytes[bytes.count - 1] ^= 1
        let damaged = try scene.write("damaged.daybook", bytes)
        let other = try stored(0)
        #expect(throws: ExportError.self) { try prove(damaged, for: other.log) }
    }

    @Test func `a log that ends before its last payment is signed is refused`() throws {
        let prepared = try #require(records.firstIndex { $0.type == "transaction.prepared" })
        let found = try refusal(of: Array(records[...prepared]), after: 0)
        #expect(found?.hasPrefix("importDiverges \(prepared)") == true, "\(found ?? "taken")")
    }

    @Test func `a file that is another one than was proven is refused`() throws {
        let proven = try scene.write("proven.daybook", records: records)
        let other = try stored(0)
        let export = try prove(proven, for: other.log)
        // The same but for the last event: its bytes are not hashed while they are read again.
        var bytes = try scene.bytes("proven.daybook")
        let last = try #require(records.last)
        let altered = last.altered(time: last.time + 1).bytes
        let found = try #require(
            bytes.indices.last { Bytes(bytes[$0...].prefix(altered.count)) == last.bytes })
        bytes.replaceSubrange(found..<(found + altered.count), with: altered)
        let importer = Importer(log: other.log, probe: nil, work: LongWork())
        let path = try scene.write("other.daybook", bytes)
        #expect(throws: ProvenExport.changed) {
            try importer.run(batches(of: path, isProven: true), export)
        }
        #expect(try other.log.read { $0.count } == 0)
        #expect(try importer.run(batches(of: proven, isProven: true), export) == last.position + 1)
    }

    /// The position of the last input up to an event that begins a commit.
    private func commit(before index: Int) -> Int {
        records[...index].lastIndex {
            $0.cause == nil && !$0.type.hasPrefix("signature.")
        } ?? 0
    }

    /// A new store with the first of the scene's events.
    private func stored(_ count: Int) throws -> (store: OtherStore, log: EventLog) {
        let store = try OtherStore()
        let log = try EventLog(opening: store.home.path + "/log")
        if count == 0 { return (store, log) }
        let part = try scene.write("part.daybook", records: Array(records[..<count]))
        let export = try prove(part, for: log)
        _ = try Importer(log: log, probe: nil, work: LongWork())
            .run(batches(of: part, isProven: true), export)
        return (store, log)
    }

    private func prove(_ path: String, for log: EventLog) throws -> ProvenExport {
        let rules = ImportRules(decide: StoreParts.decide, now: .max, work: LongWork())
        return try log.read { snapshot in
            try ProvenExport(for: log, snapshot, rules, batches(of: path))
        }
    }

    private func batches(
        of path: String, isProven: Bool = false
    ) throws -> sending ExportBatches {
        ExportBatches(try #require(try ExportFile(path)).reader(isProven: isProven))
    }

    /// The refusal of a log's import, by a store that has its first events.
    private func refusal(of log: [EventRecord], after known: Int) throws -> String? {
        let path = try scene.write("refused.daybook", records: log)
        let other = try stored(known)
        do {
            _ = try prove(path, for: other.log)
            return nil
        } catch let error as DaybookError {
            return "\(error.code) \(error.position ?? 0) \(error.message)"
        }
    }
}
