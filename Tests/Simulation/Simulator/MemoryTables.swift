import DaybookEncoding
import DaybookLMDB

/// The tables of a storage in memory; undone writes leave no trace.
package final class MemoryTables {
    private var names: [String] = []
    private var tables: [MemoryRows] = []
    private var undo: [(table: Int, key: Bytes, value: Bytes?)] = []

    /// All there is at one moment; copies share what neither side changes.
    package struct Image: Sendable {
        fileprivate var names: [String] = []
        fileprivate var tables: [MemoryRows] = []
    }

    package init() {}

    package var image: Image {
        get { Image(names: names, tables: tables) }
        set {
            names = newValue.names
            tables = newValue.tables
            undo = []
        }
    }

    /// Keeps the writes since the last commit.
    package func commit() {
        undo.removeAll(keepingCapacity: true)
    }

    package func rollBack() {
        for item in undo.reversed() {
            if let value = item.value {
                tables[item.table].set(item.key, value)
            } else {
                tables[item.table].remove(item.key)
            }
        }
        undo.removeAll(keepingCapacity: true)
    }

    /// The rows of a table, for looking.
    package func rows(_ name: String) -> MemoryRows {
        names.firstIndex(of: name).map { tables[$0] } ?? MemoryRows()
    }

    /// Replaces the rows of a table: for what no transaction does.
    package func replace(_ name: String, with rows: MemoryRows) {
        if let index = names.firstIndex(of: name) { tables[index] = rows }
    }
}

extension MemoryTables: StorageView {
    package func table(_ name: String, create: Bool) throws(LMDBError) -> Table? {
        if let index = names.firstIndex(of: name) {
            return Table(number: UInt32(index), name: name)
        }
        guard create else { return nil }
        names.append(name)
        tables.append(MemoryRows())
        return Table(number: UInt32(names.count - 1), name: name)
    }

    package func value(_ table: Table, _ key: [UInt8]) throws(LMDBError) -> [UInt8]? {
        tables[Int(table.number)].value(key)
    }

    package func put(
        _ table: Table, _ key: [UInt8], _ value: [UInt8], mode: PutMode
    ) throws(LMDBError) {
        let index = Int(table.number)
        let old = tables[index].value(key)
        if case .insert = mode, old != nil { throw .keyExists }
        undo.append((index, key, old))
        tables[index].set(key, value)
    }

    package func remove(_ table: Table, _ key: [UInt8]) throws(LMDBError) -> Bool {
        let index = Int(table.number)
        guard let old = tables[index].value(key) else { return false }
        undo.append((index, key, old))
        tables[index].remove(key)
        return true
    }

    package func count(_ table: Table) throws(LMDBError) -> UInt64 {
        UInt64(tables[Int(table.number)].count)
    }

    package func moves(in table: Table) throws(LMDBError) -> any CursorMoves {
        MemoryMoves(self, Int(table.number))
    }

    fileprivate func move(_ move: CursorMove, from key: Bytes?, in table: Int) -> Row? {
        switch move {
        case .first:
            return tables[table].scan(prefix: [], after: nil, limit: 1).first
        case .last:
            return tables[table].scanBackward(prefix: [], before: nil, limit: 1).first
        case .next:
            return tables[table].scan(prefix: [], after: key, limit: 1).first
        case .previous:
            return tables[table].scanBackward(prefix: [], before: key, limit: 1).first
        case .notBefore(let key):
            if let value = tables[table].value(key) { return Row(key: key, value: value) }
            return tables[table].scan(prefix: [], after: key, limit: 1).first
        }
    }
}

private final class MemoryMoves: CursorMoves {
    private let tables: MemoryTables
    private let table: Int
    private var key: Bytes?

    init(_ tables: MemoryTables, _ table: Int) {
        self.tables = tables
        self.table = table
    }

    func move<Value>(
        _ move: CursorMove, _ read: (_ key: RawSpan, _ value: RawSpan) -> Value
    ) throws(LMDBError) -> Value? {
        guard let row = tables.move(move, from: key, in: table) else { return nil }
        key = row.key
        return read(row.key.span.bytes, row.value.span.bytes)
    }
}

/// A storage that nothing ever happens to: the embedded chains, which are not of this computer.
///
/// One thread uses it: a store on it writes where it is called.
package final class SafeStorage: Storage {
    package nonisolated(unsafe) let tables: MemoryTables

    package init(_ tables: MemoryTables) {
        self.tables = tables
    }

    package func snapshot<Value>(_ body: (any StorageView) throws -> Value) throws -> Value {
        try body(tables)
    }

    package func update<Value>(_ body: (any StorageView) throws -> Value) throws -> Value {
        do {
            let value = try body(tables)
            tables.commit()
            return value
        } catch {
            tables.rollBack()
            throw error
        }
    }

    package func copy(to folder: String) throws { throw LMDBError.notFound }

    package var mapBytes: Int { .max }
}
