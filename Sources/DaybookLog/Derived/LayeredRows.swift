package import DaybookEncoding
internal import DaybookLMDB

/// The rows of a derived table: stored rows, and above them the changes of later events.
///
/// They can be written only inside the log's write transaction. After a failure they answer as if
/// they were empty, and the owner of the transaction throws `failure` instead of committing.
package final class LayeredRows: Rows {
    private var layers: OverlayRows
    private var stored: StoredRows?
    private var wrong: (any Error)?
    var isWritable = false

    /// Rows of which none is stored; `changes` must be empty.
    package init(changes: any Rows = MemoryRows()) {
        layers = OverlayRows(MemoryRows(), changes: changes)
    }

    /// The first failure, after which what was read does not count.
    package var failure: (any Error)? { wrong ?? stored?.failure }

    /// The failure to read a stored row.
    var baseFailure: (any Error)? { stored?.failure }

    /// Replaces the stored rows by rows with the same content, or with some of the changes as well.
    func stand(on rows: StoredRows?) {
        stored = rows
        layers.base = rows ?? MemoryRows()
        wrong = nil
    }

    /// Forgets the changes: the stored rows have them, or they were not committed.
    func forgetChanges() {
        layers = OverlayRows(layers.base)
    }

    /// The changed rows in key order, with an empty value for each removed one.
    var changes: [Row] { layers.changes.scan(prefix: [], after: nil, limit: .max) }

    package func value(_ key: Bytes) -> Bytes? { layers.value(key) }

    package func set(_ key: Bytes, _ value: Bytes) {
        guard isWritable else {
            wrong = wrong ?? LogError.openedReadOnly
            return
        }
        guard (1...LogLimits.rowKeyBytes).contains(key.count) else {
            wrong = wrong
                ?? LogError.badLength(
                    field: "row key", bytes: key.count, limit: LogLimits.rowKeyBytes)
            return
        }
        layers.set(key, value)
    }

    package func remove(_ key: Bytes) {
        guard isWritable else {
            wrong = wrong ?? LogError.openedReadOnly
            return
        }
        layers.remove(key)
    }

    package func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        layers.scan(prefix: prefix, after: after, limit: limit)
    }

    package func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        layers.scanBackward(prefix: prefix, before: before, limit: limit)
    }

    package func walk(_ body: (_ key: Bytes, _ value: Bytes) -> Void) { layers.walk(body) }
}
