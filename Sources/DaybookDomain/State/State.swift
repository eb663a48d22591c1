package import DaybookEncoding

/// All that the events add up to: an ordered map of rows, read and written by type.
///
/// The same code works on the rows of a store (in the append's transaction) and on rows in memory
/// (replay, tests). A row that does not decode means damage: it is remembered in `damage`, and
/// whoever owns the transaction refuses to commit what was computed from it.
package struct State {
    package var rows: any Rows
    private let faults = Faults()

    /// Remembers damage also where the state is only read.
    private final class Faults {
        var first: FieldError?
    }

    package init(_ rows: any Rows) {
        self.rows = rows
    }

    /// The first row that did not decode, if there was one.
    package var damage: FieldError? { faults.first }

    /// Remembers that the rows contradict themselves.
    func note(damage: FieldError) {
        faults.first = faults.first ?? damage
    }

    package func get<Row: StateRow>(_ key: Bytes, _: Row.Type = Row.self) -> Row? {
        guard let bytes = rows.value(key) else { return nil }
        do {
            return try Self.decode(bytes)
        } catch {
            note(damage: error)
            return nil
        }
    }

    package mutating func put(_ key: Bytes, _ row: some StateRow) {
        rows.set(key, row.coded.encoded())
    }

    package mutating func remove(_ key: Bytes) {
        rows.remove(key)
    }

    /// Every row under a prefix, in key order.
    package func list<Row: StateRow>(_ prefix: Bytes, _: Row.Type = Row.self)
        -> [(key: Bytes, row: Row)]
    {
        var result: [(key: Bytes, row: Row)] = []
        var after: Bytes?
        while true {
            let batch = rows.scan(prefix: prefix, after: after, limit: 256)
            for row in batch {
                do {
                    result.append((row.key, try Self.decode(row.value)))
                } catch {
                    note(damage: error)
                }
            }
            guard batch.count == 256 else { return result }
            after = batch.last?.key
        }
    }

    private static func decode<Row: StateRow>(_ bytes: Bytes) throws(FieldError) -> Row {
        let record: CBOR
        do {
            record = try CBOR.decode(bytes)
        } catch {
            throw FieldError(field: "row", expected: "canonical CBOR")
        }
        return try Row(Fields(record, path: "row"))
    }
}

/// A row of the state: a value with one spelling in bytes.
package protocol StateRow: Equatable, Sendable {
    var coded: CBOR { get }
    init(_ fields: Fields) throws(FieldError)
}
