import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

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
                events.append(Happened(record: record, event: try Recording.event(record)))
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
