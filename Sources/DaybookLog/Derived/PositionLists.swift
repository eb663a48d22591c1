internal import DaybookEncoding

/// Lists of event positions, ascending: of each session, of each request, and of each stream.
///
/// A stream's list leaves out the events that belong to a request. A list has rows of up to 64
/// positions. A row's key is the kind of the list, its id, and the row's first position. The value
/// is a zero byte, for the first position, and then the distance of each position from the one
/// before it, minus one, as a LEB128 number.
final class PositionLists {
    /// The kind of a list; the kind with the most rows is last, where LMDB fills its pages.
    enum Kind: UInt8 {
        /// A stream, whose id is the position of its first event.
        case stream = 0x65
        case session = 0x6e, request = 0x72
    }

    private static let capacity = 64
    private let written: LayeredRows
    /// The last rows of the lists that grew recently, because searching for one is slow.
    private var ends: [List: End] = [:]
    /// The lists whose last rows are still to be written: many events of one transaction belong to
    /// the same lists.
    private var grown: [List] = []

    private struct List: Hashable {
        let kind: Kind
        let id: UInt64
    }

    fileprivate struct End {
        var row: Row
        var count = 1
        var last: UInt64
        var isWritten = false
    }

    init(rows: LayeredRows) {
        written = rows
    }

    /// The rows of all lists.
    var rows: LayeredRows {
        if grown.isEmpty { return written }
        for list in grown {
            guard let index = ends.index(forKey: list) else { continue }
            write(&ends.values[index])
        }
        grown.removeAll(keepingCapacity: true)
        return written
    }

    private func write(_ end: inout End) {
        if end.isWritten { return }
        written.set(end.row.key, end.row.value)
        end.isWritten = true
    }

    /// Appends a position to a list; `begins` says that the list is new.
    func append(_ position: UInt64, to kind: Kind, _ id: UInt64, begins: Bool) {
        let list = List(kind: kind, id: id)
        if !begins, ends.index(forKey: list) == nil { ends[list] = storedEnd(of: list) }
        guard !begins, let index = ends.index(forKey: list) else {
            return beginRow(of: list, at: position)
        }
        guard ends.values[index].count < Self.capacity, ends.values[index].last < position else {
            write(&ends.values[index])
            return beginRow(of: list, at: position)
        }
        if ends.values[index].isWritten { grown.append(list) }
        ends.values[index].append(position)
    }

    private func beginRow(of list: List, at position: UInt64) {
        let key = Self.prefix(list.kind, list.id) + BigEndian.bytes(position)
        ends[list] = End(row: Row(key: key, value: [0]), last: position)
        grown.append(list)
    }

    /// Forgets the last rows, which may differ from the stored ones.
    func forget() {
        ends.removeAll()
        grown.removeAll()
    }

    private func storedEnd(of list: List) -> End? {
        let prefix = Self.prefix(list.kind, list.id)
        guard let row = rows.scanBackward(prefix: prefix, before: nil, limit: 1).first,
            let positions = Self.positions(row), let last = positions.last
        else { return nil }
        return End(row: row, count: positions.count, last: last, isWritten: true)
    }

    /// The positions of a list after `after`, at most `limit`.
    func positions(
        _ kind: Kind, _ id: UInt64, after: UInt64?, limit: Int
    ) throws -> [UInt64] {
        guard limit > 0 else { return [] }
        let prefix = Self.prefix(kind, id)
        var found: [UInt64] = []
        // The row that begins at or before the next position may hold it too.
        var behind: Bytes?
        if let after {
            let key = prefix + BigEndian.bytes(after) + [0]
            let row = rows.scanBackward(prefix: prefix, before: key, limit: 1).first
            if let row { found += try Self.read(row).filter { $0 > after } }
            behind = prefix + BigEndian.bytes(after)
        }
        while found.count < limit {
            let page = rows.scan(prefix: prefix, after: behind, limit: 64)
            for row in page { found += try Self.read(row) }
            guard page.count == 64, let last = page.last else { break }
            behind = last.key
        }
        return Array(found.prefix(limit))
    }

    private static func read(_ row: Row) throws -> [UInt64] {
        guard let positions = positions(row) else {
            throw LogError.damaged(position: nil, reason: "a row of 'positions' is wrong")
        }
        return positions
    }

    /// The positions in a row; nil for a malformed row.
    private static func positions(_ row: Row) -> [UInt64]? {
        guard row.value.first == 0, var last = BigEndian.exactly(row.key.suffix(8)) else {
            return nil
        }
        var positions = [last]
        var (step, shift): (UInt64, UInt64) = (0, 0)
        for byte in row.value.dropFirst() {
            guard shift < 63 else { return nil }
            step |= UInt64(byte & 0x7f) << shift
            shift += 7
            if byte & 0x80 != 0 { continue }
            let (next, isTooLarge) = last.addingReportingOverflow(step &+ 1)
            if isTooLarge { return nil }
            positions.append(next)
            last = next
            (step, shift) = (0, 0)
        }
        return shift == 0 ? positions : nil
    }

    private static func prefix(_ kind: Kind, _ id: UInt64) -> Bytes {
        [kind.rawValue] + BigEndian.bytes(id)
    }
}

extension PositionLists.End {
    /// Adds a position that comes after the last one.
    fileprivate mutating func append(_ position: UInt64) {
        var rest = position - last - 1
        while rest > 0x7f {
            row.value.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        row.value.append(UInt8(truncatingIfNeeded: rest))
        count += 1
        last = position
        isWritten = false
    }
}
