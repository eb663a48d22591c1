internal import DaybookEncoding
internal import DaybookLMDB
internal import DaybookSystem

/// The derived tables as of one commit of theirs, which any thread may read.
///
/// Each look-up is a short transaction of its own: a long one would keep pages from being used
/// again, and the file's map from growing. Once the tables have changed, the base answers as if
/// it were empty and remembers why: what was read with it then does not count.
final class DerivedBase: Sendable {
    let storage: any Storage
    let tables: DerivedTables
    /// The commit that made the tables what they are; nil where none are counted.
    private let commit: UInt64?
    /// The mark of the tables.
    private let mark: Bytes?
    private let wrong = Monitor<(any Error)?>(nil)

    init(_ storage: any Storage, _ tables: DerivedTables, commit: UInt64?, mark: Bytes?) {
        (self.storage, self.tables, self.commit, self.mark) = (storage, tables, commit, mark)
    }

    /// Why what was read does not count; `DerivedError.moved` where the tables have changed.
    var failure: (any Error)? { wrong.change { $0 } }

    /// The rows of one of the tables.
    func rows(_ table: Table) -> BaseRows { BaseRows(base: self, table: table) }

    /// Looks in a table; nil after a failure.
    fileprivate func look<Value: Sendable>(
        in table: Table, _ body: (StoredRows) -> Value
    ) -> Value? {
        if failure != nil { return nil }
        do {
            return try storage.snapshot { view in
                let isSame = try commit.map { view.commit == $0 } ?? (tables.mark(in: view) == mark)
                if !isSame { throw DerivedError.moved }
                let rows = StoredRows(view, table)
                let value = body(rows)
                if let failure = rows.failure { throw failure }
                return value
            }
        } catch {
            fail(error, in: table)
            return nil
        }
    }

    fileprivate func fail(_ error: any Error, in table: Table) {
        let isDerived = error is DerivedError
        let name = Text.equal(table.name, tables.state.name) ? table.name : tables.tree.name
        let failure = isDerived
            ? error : DerivedError.unusable(LogFault(.unreadable, name, "\(error)"))
        wrong.change { $0 = $0 ?? failure }
    }
}

/// The rows of a table of a base.
struct BaseRows: Rows {
    fileprivate let base: DerivedBase
    fileprivate let table: Table

    func value(_ key: Bytes) -> Bytes? { base.look(in: table) { $0.value(key) } ?? nil }

    mutating func set(_ key: Bytes, _ value: Bytes) {
        base.fail(LogError.openedReadOnly, in: table)
    }

    mutating func remove(_ key: Bytes) { base.fail(LogError.openedReadOnly, in: table) }

    func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        base.look(in: table) { $0.scan(prefix: prefix, after: after, limit: limit) } ?? []
    }

    func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        base.look(in: table) { $0.scanBackward(prefix: prefix, before: before, limit: limit) } ?? []
    }
}

/// Why the derived tables can't be used as they are; nothing is lost, as they can be rebuilt.
enum DerivedError: Error {
    /// They are damaged, of another version, or of other events; with a fault if damaged.
    case unusable(LogFault?)
    /// There are more new events than memory should hold.
    case behind
    /// They were brought forward or replaced meanwhile.
    case moved
}
