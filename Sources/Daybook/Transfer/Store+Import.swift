import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

extension Store {
    /// Takes in the events of an exported log that this store lacks.
    ///
    /// The store is one without events, which becomes that log, or one of the same log that has
    /// the beginning of it. All of the file is proven before anything is written, and every event
    /// is decided again: one that does not follow from the events before it, to the byte, or that
    /// breaks a rule of the audit, is refused with its position, and the store stays as it is.
    /// Only events of types that this program does not know are taken in unchecked, and counted.
    /// Then events are appended byte for byte, in steps. An import that was cut off can be repeated
    /// and goes on.
    /// Nothing is sent or asked: what the log says is still to be done is done by the next call
    /// that does such things, with the bytes that were signed before. For example:
    ///
    ///     try Store.create(at: home)
    ///     let store = try Store(opening: home, frontEnd: "my-app")
    ///     let summary = try await store.import(from: "/media/stick/log.daybook")
    ///
    /// - Throws: `unreadableFile`, `notAnExport`, `exportDamaged`, `exportTooNew`, `exportPartial`,
    ///   `exportChanged`, `eventInvalid`, `importDiverges`, `importFromFuture` (with the
    ///   position of the event), `otherLog`, `fork` (with the first position that differs),
    ///   `diskFull`, `storeReadOnly`.
    @discardableResult
    public func `import`(from path: String) throws -> ImportSummary {
        try facing {
            let log = journal.log
            let rules = ImportRules(decide: journal.decide, now: clock())
            let (export, notChecked) = try log.read { snapshot in
                let export = try ProvenExport(
                    for: log, snapshot, rules, Self.batches(of: path))
                let notChecked = try rules.decideAgain(export, after: snapshot) {
                    try Self.batches(of: path)
                }
                return (export, notChecked)
            }
            probe?("proven")
            let wasEmpty = try log.read { $0.count } == 0
            let added = try Importing(log: log, probe: probe).run(
                Self.batches(of: path), export)
            let head = try log.read { try $0.head() }
            return ImportSummary(
                status: added == 0 ? .unchanged : wasEmpty ? .restored : .continued,
                events: head.size, added: added,
                notChecked: added == 0 ? 0 : notChecked,
                root: Hex.encode(head.root.bytes))
        }
    }

    /// The file from its beginning.
    private static func batches(of path: String) throws -> sending ExportBatches {
        let file: FileReader
        do throws(SystemError) {
            file = try FileReader(path)
        } catch {
            throw DaybookError("unreadableFile", .usage, error.description)
        }
        return try ExportBatches(file)
    }
}

/// Appends what an export proved to have, step by step; each step is one transaction.
///
/// A step holds the bytes, the indexes, the tree and the state's rows. What a crash leaves is a
/// beginning of the same log, and importing again goes on from there.
struct Importing {
    let log: EventLog
    let probe: Probe?

    /// An event in its type, as far as this program knows that.
    private struct Happened: Sendable {
        let record: EventRecord
        let event: Event?
    }

    /// Appends what the log lacks; returns how many events that were.
    func run(_ batches: sending ExportBatches, _ export: ProvenExport) throws -> UInt64 {
        var steps = export.steps[...]
        if steps.isEmpty { return 0 }
        var added: UInt64 = 0
        try Ahead.each(of: batches, { try Self.step(try $0.next(), of: export) }) { step in
            if step.events.isEmpty { return }
            guard steps.popFirst() == step.head else { throw ProvenExport.changed }
            added += try append(step.events, upTo: step.head, of: export.header.logID)
            probe?("step imported")
        }
        if !steps.isEmpty { throw ProvenExport.changed }
        return added
    }

    /// What of a batch the log lacked when the export was proven.
    private static func step(
        _ batch: ExportBatches.Batch?, of export: ProvenExport
    ) throws -> (events: [Happened], head: TreeHead)? {
        guard let batch else { return nil }
        var events: [Happened] = []
        for item in batch.items {
            switch item {
            case .header(let header) where header != export.header: throw ProvenExport.changed
            case .event(let record, _) where record.position >= export.known:
                events.append(Happened(record: record, event: try record.event()))
            default: break
            }
        }
        return (events, batch.head)
    }

    /// Appends one step, unless another process has done so by now; returns how many events.
    private func append(
        _ events: [Happened], upTo head: TreeHead, of logID: Bytes
    ) throws -> UInt64 {
        try log.write { transaction in
            try transaction.adopt(logID)
            if transaction.logID != logID { throw ProvenExport.otherLog }
            let before = transaction.count
            for happened in events {
                let position = happened.record.position
                if position < before {
                    guard try transaction.bytes(at: position) == happened.record.bytes else {
                        throw ProvenExport.fork(at: position)
                    }
                    continue
                }
                try transaction.append(verbatim: happened.record)
                if let event = happened.event { transaction.evolve(event) }
            }
            if before > head.size { return 0 }
            guard try transaction.head() == head else { throw ProvenExport.changed }
            if let damage = transaction.state.damage {
                throw DaybookError(
                    "eventInvalid", .refused,
                    "the events before \(head.size) contradict each other: \(damage)")
            }
            probe?("committing")
            return transaction.count - before
        }
    }
}

/// What an import came to.
public struct ImportSummary: Equatable, Sendable {
    /// How the log stood to the export.
    public enum Status: String, Sendable {
        /// The log was empty and is now that of the export.
        case restored
        /// The log was shorter and went on.
        case continued
        /// The log had all of it.
        case unchanged
    }

    /// How the log stood to the export.
    public let status: Status
    /// How many events the log has now.
    public let events: UInt64
    /// How many of them were added.
    public let added: UInt64
    /// How many of the added are of types that this program does not know.
    ///
    /// They are kept byte for byte, but nothing was decided again: whether they follow from what
    /// came before them is not known here.
    public let notChecked: UInt64
    /// The root of the log's tree now, 32 bytes in hex.
    public let root: String
}
