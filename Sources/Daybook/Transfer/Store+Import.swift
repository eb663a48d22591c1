import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

extension Store {
    /// Appends the events of an exported log that this store lacks.
    ///
    /// `path` is an export's file, or the folder of an archive, which is read as one export.
    /// The store must have no events, and then becomes that log, or an earlier part of the same
    /// log. The whole file is verified before anything is written, and every event is decided
    /// again. If an event does not follow from those before it, byte for byte, or breaks a rule of
    /// the audit, the import is refused with its position, and the store does not change. Only
    /// events of unknown types are imported unchecked, and counted. Then the events are appended
    /// byte for byte, in steps; an interrupted import can be repeated and continues.
    ///
    /// The store answers other calls meanwhile. The events are read twice, to be verified and
    /// decided again, and to be appended; `progress` gets the number of events that were read so
    /// far, and twice their number. A cancelled import leaves what it had appended, an
    /// earlier part of the same log, and can be repeated like an interrupted one.
    ///
    /// Nothing is sent or asked: remaining effects are performed by the next call that does so,
    /// with the bytes that were signed before. For example:
    ///
    ///     try Store.create(at: home)
    ///     let store = try Store(opening: home, frontEnd: "my-app")
    ///     let summary = try await store.import(from: "/media/stick/log.daybook")
    ///
    /// - Throws: `unreadableFile`, `notAnExport`, `exportDamaged`, `archiveDamaged`,
    ///   `exportTooNew`, `exportPartial`, `exportChanged`, `eventInvalid`, `importDiverges`,
    ///   `importFromFuture` (with the position of the event), `otherLog`, `fork` (with the first
    ///   position that differs), `diskFull`, `storeReadOnly`, `callCancelled`.
    @discardableResult
    public nonisolated func `import`(
        from path: String, progress: WorkProgress? = nil
    ) async throws(DaybookError) -> ImportSummary {
        try await LongWork.run(reporting: progress) { [self] work in
            let rules = ImportRules(
                engines: engines, decide: decide, now: clock(), work: work)
            let export = try log.read { snapshot in
                try ProvenExport(for: log, snapshot, rules, Self.batches(of: path))
            }
            probe?("proven")
            let wasEmpty = try log.read { $0.count } == 0
            let added = try Importer(log: log, probe: probe, work: work).run(
                Self.batches(of: path, isProven: true), export)
            feed.noteGrowth()
            let head = try log.read { try $0.head() }
            return ImportSummary(
                status: added == 0 ? .unchanged : wasEmpty ? .restored : .continued,
                events: head.size, added: added,
                notChecked: added == 0 ? 0 : export.notChecked,
                root: Hex.encode(head.root.bytes))
        }
    }

    /// Reads the file, or the archive's files, from the beginning.
    private static func batches(
        of path: String, isProven: Bool = false
    ) throws -> sending ExportBatches {
        do {
            guard let file = try ExportFile(path) else {
                throw DaybookError(
                    .unreadableFile, .usage, "\(path) is neither a file nor an archive's folder")
            }
            return ExportBatches(try file.reader(isProven: isProven))
        } catch let error as SystemError {
            throw DaybookError(.unreadableFile, .usage, error.description)
        }
    }
}

/// Appends the events of a verified export in steps, each of which is one transaction.
///
/// A step writes the events, the indexes, the tree and the state's rows. After a crash the log is a
/// prefix of the export, and the next import continues there.
struct Importer {
    let log: EventLog
    let probe: Probe?
    let work: LongWork

    /// A record and its decoded event; nil for an unknown type.
    private struct Item: Sendable {
        let record: EventRecord
        let event: Event?
    }

    /// Appends the events that the log lacks; returns their number.
    func run(_ batches: sending ExportBatches, _ export: ProvenExport) throws -> UInt64 {
        var steps = export.steps[...]
        if steps.isEmpty { return 0 }
        var added: UInt64 = 0
        try Lookahead.each(of: batches, { try Self.step(try $0.next(), of: export) }) { step in
            try work.report(.append, step.size, of: export.header)
            if step.events.isEmpty { return }
            guard let head = steps.popFirst(), head.size == step.size else {
                throw ProvenExport.changed
            }
            added += try append(step.events, upTo: head, of: export.header.logID)
            probe?("step imported")
        }
        if !steps.isEmpty { throw ProvenExport.changed }
        return added
    }

    /// The events of a batch that the log lacked when the export was verified.
    private static func step(
        _ batch: ExportBatches.Batch?, of export: ProvenExport
    ) throws -> (events: [Item], size: UInt64)? {
        guard let batch else { return nil }
        var events: [Item] = []
        for item in batch.items {
            switch item {
            case .header(let header) where header != export.header: throw ProvenExport.changed
            case .event(let record, _) where record.position >= export.known:
                events.append(Item(record: record, event: try record.event()))
            default: break
            }
        }
        return (events, batch.head.size)
    }

    /// Appends one step, except what another process has appended; returns the number of events.
    private func append(
        _ events: [Item], upTo head: TreeHead, of logID: Bytes
    ) throws -> UInt64 {
        try log.write { transaction in
            try transaction.adopt(logID)
            if transaction.logID != logID { throw ProvenExport.otherLog }
            let before = transaction.count
            for item in events {
                let position = item.record.position
                if position < before {
                    guard try transaction.bytes(at: position) == item.record.bytes else {
                        throw ProvenExport.fork(at: position)
                    }
                    continue
                }
                try transaction.append(verbatim: item.record, applying: item.event)
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

/// The result of an import.
public struct ImportSummary: Codable, Hashable, Sendable {
    /// How the import has changed the log.
    public enum Status: String, Codable, Hashable, Sendable, CaseIterable {
        /// The log was empty and is now the exported one.
        case restored
        /// The log was shorter and was continued.
        case continued
        /// The log had all events.
        case unchanged
    }

    /// How the import has changed the log.
    public let status: Status
    /// The number of events in the log now.
    public let events: UInt64
    /// The number of added events.
    public let added: UInt64
    /// The number of added events of unknown types.
    ///
    /// They are kept byte for byte, but not decided again: whether they follow from the events
    /// before them is not known.
    public let notChecked: UInt64
    /// The root of the log's tree now, 32 bytes in hex.
    public let root: String

    /// A result for previews and tests of a front end.
    public init(
        status: Status, events: UInt64, added: UInt64, notChecked: UInt64 = 0, root: String
    ) {
        (self.status, self.events, self.added) = (status, events, added)
        (self.notChecked, self.root) = (notChecked, root)
    }
}
