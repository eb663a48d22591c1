package import DaybookDomain
import DaybookEncoding
package import DaybookLog

/// Reads the records of a log in order: all of a replay's work that needs no state.
///
/// Another core than the one that decides can do it, some events ahead.
package struct RecordReader: Sendable {
    /// The tree over the events so far, if nobody else hashes them.
    private var tree = TreeFold()

    /// A reader of a log.
    package init() {}

    /// Reads and hashes the next record.
    package mutating func read(_ record: EventRecord) -> ReadRecord {
        let head = record.isCheckpoint ? TreeHead(size: tree.size, root: tree.root()) : nil
        tree.add(leaf: record.bytes)
        return read(record, after: head)
    }

    /// Reads the next record; a checkpoint's with the head of the tree over the events before it.
    package mutating func read(_ record: EventRecord, after head: TreeHead?) -> ReadRecord {
        ReadRecord(
            record: record, event: Result { () throws(FieldError) in try record.event() },
            head: head)
    }
}

/// A record, with all of a replay's work on it that needs no state.
package struct ReadRecord: Sendable {
    package let record: EventRecord
    /// The event in it, which is nil if it is of an unknown type.
    package let event: Result<Event?, FieldError>
    /// The head of the tree over the events before a checkpoint; nil before other events.
    let head: TreeHead?
}
