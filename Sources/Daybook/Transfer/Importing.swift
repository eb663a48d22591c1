import DaybookDomain
import DaybookEncoding
import DaybookExport
import DaybookLog
import DaybookReplay
import DaybookSystem
import DaybookTree

/// Appends what an export proved to have, step by step; each step is one transaction.
///
/// A step holds the bytes, the indexes, the tree and the state's rows. What a crash leaves is a
/// beginning of the same log, and importing again goes on from there.
struct Importing {
    let log: EventLog
    let probe: Probe?

    /// Appends what the log lacks; returns how many events that were.
    func run(_ file: FileReader, _ export: ProvenExport) throws -> UInt64 {
        var steps = export.steps[...]
        if steps.isEmpty { return 0 }
        var step: [Bytes] = []
        var first = export.known
        var added: UInt64 = 0
        try file.rewind()
        let reader = try ExportReader { try file.next($0) }
        while let item = try reader.next() {
            if case .header(let header) = item, header != export.header { throw Self.changed }
            guard case .event(let record, let bytes) = item, record.position >= first else {
                continue
            }
            step.append(bytes)
            guard let head = steps.first, record.position + 1 == head.size else { continue }
            added += try append(step, from: first, upTo: head, of: export.header.logID)
            probe?("step imported")
            first = head.size
            step.removeAll(keepingCapacity: true)
            steps.removeFirst()
        }
        if !steps.isEmpty { throw Self.changed }
        return added
    }

    /// Appends one step, unless another process has done so by now; returns how many events.
    private func append(
        _ events: [Bytes], from first: UInt64, upTo head: TreeHead, of logID: Bytes
    ) throws -> UInt64 {
        try log.write { transaction in
            try transaction.adopt(logID)
            if transaction.logID != logID { throw ProvenExport.otherLog }
            let before = transaction.count
            var state = State(transaction.rows)
            for (bytes, position) in zip(events, first...) {
                if position < before {
                    guard try transaction.bytes(at: position) == bytes else {
                        throw ProvenExport.fork(at: position)
                    }
                    continue
                }
                let record = try transaction.append(verbatim: bytes)
                if let event = try Recording.event(record) { state.evolve(event) }
            }
            state.save()
            if before > head.size { return 0 }
            guard try transaction.headSoFar() == head else { throw Self.changed }
            if let damage = state.damage {
                throw DaybookError(
                    "eventInvalid", .refused,
                    "the events before \(head.size) contradict each other: \(damage)")
            }
            probe?("committing")
            return transaction.count - before
        }
    }

    private static let changed = DaybookError(
        "exportChanged", .refused, "the file changed while it was read; import it again")
}
