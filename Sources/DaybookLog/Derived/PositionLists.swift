internal import DaybookEncoding

/// Lists of event positions, ascending: of each session, of each request, and of each stream.
///
/// A stream's list leaves out the events that belong to a request. A list has rows of up to 64
/// positions. A row's key is the kind of the list, its id, and the row's first position. The value
/// is a zero byte, for the first position, and then the distance of each position from the one
/// before it, minus one, as a LEB128 number.
enum PositionLists {
    /// The kind of a list; the kind with the most rows is last, where LMDB fills its pages.
    enum Kind: UInt8 {
        /// A stream, whose id is the position of its first event.
        case stream = 0x65
        case session = 0x6e, request = 0x72
    }

    /// One of the lists.
    struct List: Hashable, Sendable {
        let kind: Kind
        let id: UInt64

        init(_ kind: Kind, _ id: UInt64) { (self.kind, self.id) = (kind, id) }

        /// The prefix of its rows' keys.
        fileprivate var prefix: Bytes { [kind.rawValue] + BigEndian.bytes(id) }
    }

    private static let capacity = 64

    /// Adds positions to the rows of a list.
    static func append(_ positions: [UInt64], to list: List, in rows: inout any Rows) {
        guard let first = positions.first else { return }
        var end = first == list.id ? nil : storedEnd(of: list, in: rows)
        for position in positions {
            if end.map({ $0.count < capacity && $0.last < position }) ?? false {
                end?.append(position)
                continue
            }
            if let end { rows.set(end.row.key, end.row.value) }
            let key = list.prefix + BigEndian.bytes(position)
            end = End(row: Row(key: key, value: [0]), last: position)
        }
        if let end { rows.set(end.row.key, end.row.value) }
    }

    /// The last row of a list.
    fileprivate struct End {
        var row: Row
        var count = 1
        var last: UInt64
    }

    private static func storedEnd(of list: List, in rows: any Rows) -> End? {
        guard let row = rows.scanBackward(prefix: list.prefix, before: nil, limit: 1).first,
            let positions = positions(row), let last = positions.last
        else { return nil }
        return End(row: row, count: positions.count, last: last)
    }

    /// The positions of a list after `after`, at most `limit`.
    static func positions(
        of list: List, in rows: any Rows, after: UInt64?, limit: Int
    ) throws -> [UInt64] {
        guard limit > 0 else { return [] }
        let prefix = list.prefix
        var found: [UInt64] = []
        // The row that begins at or before the next position may hold it too.
        var behind: Bytes?
        if let after {
            let key = prefix + BigEndian.bytes(after) + [0]
            let row = rows.scanBackward(prefix: prefix, before: key, limit: 1).first
            if let row { found += try read(row).filter { $0 > after } }
            behind = prefix + BigEndian.bytes(after)
        }
        while found.count < limit {
            let page = rows.scan(prefix: prefix, after: behind, limit: 64)
            for row in page { found += try read(row) }
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
    }
}
