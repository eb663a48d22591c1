package import DaybookEncoding
internal import DaybookLMDB

/// The rows of a derived table, in two layers that whoever reads sees as one.
///
/// Below, in a file, they are as a position of the log left them; above, in memory, lies what later
/// events changed.
///
/// It is written inside the log's write transaction alone. After a failure it answers as if it were
/// empty, and whoever owns the transaction throws `failure` instead of committing.
package final class LayeredRows: WalkedRows {
    private var layers: OverlayRows
    private var stored: StoredRows?
    private var wrong: (any Error)?
    var isWritable = false

    /// Rows of which nothing lies in a file yet; `changes` are empty rows for what is set.
    package init(changes: any Rows = MemoryRows()) {
        layers = OverlayRows(MemoryRows(), changes: changes)
    }

    /// Why what was read does not count, if something failed.
    package var failure: (any Error)? { wrong ?? stored?.failure }

    /// Why the file below can't be read, which can be made again.
    var baseFailure: (any Error)? { stored?.failure }

    /// Stands on other rows from now on, which have the same content or, of the changes, a part.
    func stand(on rows: StoredRows?) {
        stored = rows
        layers.base = rows ?? MemoryRows()
        wrong = nil
    }

    /// Forgets the changes: the rows below have them, or they were never made.
    func forgetChanges() {
        layers = OverlayRows(layers.base)
    }

    /// Every row that was set, with an empty value for each that was taken away, in key order.
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
