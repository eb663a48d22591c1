import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookMigrations

/// The layout after the present one, as a later program may make it: another table has the events.
package enum NextLayout {
    /// Its number.
    package static let number = FormatNumber.layout.current + 1

    /// The migrations of that program, which moves so many events in a step.
    package static func migrations(movingAtOnce count: Int = 16) -> [Migrations.Step] {
        let step: Migrations.Step = { view in
            let (old, new) = try tables(view)
            try move(count, from: old, to: new, view)
            return try view.count(old)
        }
        return Migrations.all + [step]
    }

    /// The events of a log of this layout, in order.
    package static func events(_ view: any StorageView) throws -> [Bytes] {
        var events: [Bytes] = []
        try Cursor(view, tables(view).new).each(from: []) { _, value in
            events.append(value.withUnsafeBytes { Bytes($0) })
            return true
        }
        return events
    }

    /// Brings a log of this layout back to the present one, so that its programs can check it.
    package static func undo(_ storage: any Storage) throws {
        try storage.update { view in
            let (old, new) = try tables(view)
            try move(.max, from: new, to: old, view)
            try LogMeta.setLayout(FormatNumber.layout.current, view)
        }
    }

    private static func tables(_ view: any StorageView) throws -> (old: Table, new: Table) {
        guard let old = try view.table("events"), let new = try view.table("moved", create: true)
        else { throw LMDBError.notFound }
        return (old, new)
    }

    private static func move(
        _ count: Int, from old: Table, to new: Table, _ view: any StorageView
    ) throws {
        let cursor = try Cursor(view, old)
        var entries: [Entry] = []
        var entry = try cursor.first()
        while let found = entry, entries.count < count {
            entries.append(found)
            entry = try cursor.next()
        }
        for entry in entries {
            try view.put(new, entry.key, entry.value, mode: .append)
            try view.remove(old, entry.key)
        }
    }
}
