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
    /// How many last rows are kept at most.
    private static let mostEnds = 16_384
    /// The rows without the last ones that are not written yet.
    let written: LayeredRows
    /// The last rows of the lists that grew recently, which are written when something reads rows.
    private var ends: [List: End] = [:]
    /// The lists whose last rows are not written yet.
    private var unwritten: [List] = []

    private struct List: Hashable {
        let kind: Kind
        let id: UInt64

        /// The beginning of the keys of its rows.
        var prefix: Bytes { [kind.rawValue] + BigEndian.bytes(id) }
    }

    /// The last row of a list.
    private struct End {
        /// The first position, which is in the row's key.
        let first: UInt64
        var value: Bytes
        var count: Int
        var last: UInt64
        var isWritten: Bool

        init(_ position: UInt64) {
            first = position
            value = [0]
            count = 1
            last = position
            isWritten = false
        }

        init?(_ row: Row) {
            guard let positions = PositionLists.positions(row), let first = positions.first,
                let last = positions.last
            else { return nil }
            self.first = first
            value = row.value
            count = positions.count
            self.last = last
            isWritten = true
        }

        /// Appends a position, and returns whether the row was written before; nil if it is full.
        mutating func extend(by position: UInt64) -> Bool? {
            guard count < PositionLists.capacity, last < position else { return nil }
            PositionLists.append(position - last - 1, to: &value)
            count += 1
            last = position
            defer { isWritten = false }
            return isWritten
        }
    }

    init(rows: LayeredRows) {
        written = rows
    }

    /// The rows of all lists.
    var rows: LayeredRows {
        write()
        return written
    }

    /// Appends a position to a list; `begins` says that the list is new.
    func append(_ position: UInt64, to kind: Kind, _ id: UInt64, begins: Bool) {
        let list = List(kind: kind, id: id)
        if !begins, extend(list, by: position) { return }
        if !begins, ends[list] == nil, let end = storedEnd(of: list) {
            ends[list] = end
            if extend(list, by: position) { return }
        }
        if let full = ends[list], !full.isWritten { write(full, of: list) }
        if ends.count >= Self.mostEnds {
            write()
            ends.removeAll(keepingCapacity: true)
        }
        ends[list] = End(position)
        unwritten.append(list)
    }

    /// Appends a position to the last row of a list, if that is known and has space.
    private func extend(_ list: List, by position: UInt64) -> Bool {
        // The row is changed in place, because a copy would take longer.
        guard let wasWritten = ends[list]?.extend(by: position) ?? nil else { return false }
        if wasWritten { unwritten.append(list) }
        return true
    }

    /// Writes the last rows that have changed.
    private func write() {
        for list in unwritten {
            guard let end = ends[list], !end.isWritten else { continue }
            ends[list]?.isWritten = true
            write(end, of: list)
        }
        unwritten.removeAll(keepingCapacity: true)
    }

    private func write(_ end: End, of list: List) {
        let wasWritable = written.isWritable
        written.isWritable = true
        written.set(list.prefix + BigEndian.bytes(end.first), end.value)
        written.isWritable = wasWritable
    }

    /// Forgets the last rows, which may differ from the stored ones.
    func forget() {
        ends.removeAll()
        unwritten.removeAll()
    }

    private func storedEnd(of list: List) -> End? {
        written.scanBackward(prefix: list.prefix, before: nil, limit: 1).first.flatMap { End($0) }
    }

    /// The positions of a list after `after`, at most `limit`.
    func positions(
        _ kind: Kind, _ id: UInt64, after: UInt64?, limit: Int
    ) throws -> [UInt64] {
        guard limit > 0 else { return [] }
        let rows = rows
        let prefix = List(kind: kind, id: id).prefix
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

    /// Appends a distance as a LEB128 number.
    private static func append(_ step: UInt64, to bytes: inout Bytes) {
        var rest = step
        while rest > 0x7f {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
