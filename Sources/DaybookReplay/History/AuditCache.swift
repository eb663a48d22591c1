import DaybookCrypto
package import DaybookEncoding
package import DaybookLog
import DaybookSystem

/// An auditor's own file of sorted rows: what an audit knew at its end, so that it can go on.
///
/// After its first line a row is the lengths of key and value, four bytes each, then both. A key
/// begins with the letter of its table. The file is never changed: its digest covers all of it, and
/// the same audit of the same log makes the same bytes.
package final class AuditCache: Sendable {
    /// The tables, in the order of the file.
    package enum Table: UInt8, CaseIterable, Sendable {
        /// The one row of all that is neither a list nor the state.
        case carried = 0x63
        /// The divergences or violations so far.
        case found = 0x66
        /// The heads of streams.
        case heads = 0x68
        /// The notes and events that each audit judges by its own keys.
        case judged = 0x6a
        /// The facts that the rules remember of requests.
        case requests = 0x72
        /// The rows of the state.
        case state = 0x73
        /// The front ends of sessions.
        case users = 0x75
    }

    /// The digest over the whole file.
    package let digest: Bytes

    private let file: MappedFile
    /// The offsets of every `spacing`-th row.
    private let index: [Int]

    /// The first line, with the version of the format.
    static let beginning = Bytes(
        "daybook audit state \(FormatNumber.auditResult.current)\n".utf8)
    private static let spacing = 16
    private static let hashedAtOnce = 1 << 20

    /// Opens a file, and computes its digest; nil if it is no such file.
    package init?(_ path: String) throws {
        guard let size = try Files.information(path)?.size, size >= Self.beginning.count else {
            return nil
        }
        file = try MappedFile(path)
        guard file.copy(0..<Self.beginning.count) == Self.beginning else { return nil }
        var hasher = SHA256Hasher()
        file.read { bytes in
            var next = 0
            while next < bytes.byteCount {
                let end = min(next + Self.hashedAtOnce, bytes.byteCount)
                hasher.update(bytes.extracting(next..<end))
                next = end
            }
        }
        digest = hasher.finish()
        guard let index = file.read({ Self.index($0) }) else { return nil }
        self.index = index
    }

    /// The offsets of some rows; nil if a row would end beyond the file's end.
    private static func index(_ bytes: RawSpan) -> [Int]? {
        var (index, next, count) = ([Int](), beginning.count, 0)
        while next < bytes.byteCount {
            if count % spacing == 0 { index.append(next) }
            guard let place = RowPlace(bytes, at: next) else { return nil }
            next = place.value.upperBound
            count += 1
        }
        return index
    }

    /// The tree over the events of the audit; nil if the file has none.
    package var tree: TreeFold? {
        guard let carried = rows(.carried).value([]), let record = try? CBOR.decode(carried),
            let size = record["events"]?.uintValue,
            let frontier = record["frontier"]?.bytesValue
        else { return nil }
        return TreeFold(size: size, frontier: frontier)
    }

    /// The rows of a table, which can't be changed.
    package func rows(_ table: Table) -> CachedRows { CachedRows(cache: self, table: table) }

    // MARK: - Looking

    /// The offset of the first row whose key does not precede another one; the end if none.
    fileprivate func offset(of key: Bytes) -> Int {
        file.read { bytes in
            var next = index[safe: blocks(before: key, bytes) - 1] ?? Self.beginning.count
            while let place = RowPlace(bytes, at: next), place.compare(bytes, key) < 0 {
                next = place.value.upperBound
            }
            return next
        }
    }

    /// How many of the indexed rows precede a key.
    private func blocks(before key: Bytes, _ bytes: RawSpan) -> Int {
        var (low, high) = (0, index.count)
        while low < high {
            let middle = (low + high) / 2
            let place = RowPlace(bytes, at: index[middle])
            if let place, place.compare(bytes, key) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Calls `body` with the rows from an offset on until it returns false; returns the end.
    fileprivate func each(from offset: Int, _ body: (Row) -> Bool) {
        var next = offset
        while let place = file.read({ RowPlace($0, at: next) }),
            body(Row(key: file.copy(place.key), value: file.copy(place.value)))
        {
            next = place.value.upperBound
        }
    }

    /// Calls `body` with the rows before an offset, the last one first, until it returns false.
    fileprivate func eachBackward(before offset: Int, _ body: (Row) -> Bool) {
        var (end, block) = (offset, index.partition { $0 >= offset } - 1)
        while block >= 0 {
            var places: [RowPlace] = []
            var next = index[block]
            while next < end, let place = file.read({ RowPlace($0, at: next) }) {
                places.append(place)
                next = place.value.upperBound
            }
            for place in places.reversed() {
                let row = Row(key: file.copy(place.key), value: file.copy(place.value))
                if !body(row) { return }
            }
            end = index[block]
            block -= 1
        }
    }
}

/// Where a row's key and value are in the file.
private struct RowPlace {
    let key: Range<Int>
    let value: Range<Int>

    /// The place of the row at an offset; nil at the file's end, or where the row exceeds it.
    init?(_ bytes: RawSpan, at offset: Int) {
        guard bytes.byteCount - offset >= 8 else { return nil }
        let start = offset + 8
        // Eight bytes are there, and any bits are numbers.
        let lengths = unsafe (
            bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self),
            bytes.unsafeLoadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        )
        let (keyBytes, valueBytes) = (
            Int(UInt32(bigEndian: lengths.0)), Int(UInt32(bigEndian: lengths.1)))
        guard keyBytes + valueBytes <= bytes.byteCount - start else { return nil }
        key = start..<(start + keyBytes)
        value = key.upperBound..<(key.upperBound + valueBytes)
    }

    /// Negative if the key precedes another one, positive if it comes after it, and else zero.
    func compare(_ bytes: RawSpan, _ other: Bytes) -> Int {
        for (index, byte) in zip(key, other) {
            // The key is within the bytes, and any bits are a byte.
            let own = unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            if own != byte { return own < byte ? -1 : 1 }
        }
        return key.count - other.count
    }
}

extension Array where Element == Int {
    /// The element at an index; nil outside of the array.
    fileprivate subscript(safe index: Int) -> Int? { indices.contains(index) ? self[index] : nil }

    /// How many elements of an ascending array do not fulfil a condition that the others fulfil.
    fileprivate func partition(_ isAfter: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// The rows of a table of an audit's cache; changes belong into rows above them.
package struct CachedRows: Rows {
    fileprivate let cache: AuditCache
    fileprivate let table: AuditCache.Table

    private func stored(_ key: Bytes) -> Bytes { [table.rawValue] + key }

    private func own(_ row: Row) -> Row { Row(key: Bytes(row.key.dropFirst()), value: row.value) }

    package func value(_ key: Bytes) -> Bytes? {
        let key = stored(key)
        var found: Bytes?
        cache.each(from: cache.offset(of: key)) { row in
            if row.key == key { found = row.value }
            return false
        }
        return found
    }

    package mutating func set(_ key: Bytes, _ value: Bytes) { refuse() }

    package mutating func remove(_ key: Bytes) { refuse() }

    private func refuse() {
        preconditionFailure("an audit writes its changes into rows above those of its cache")
    }

    package func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        let prefix = stored(prefix)
        // The first key after another one is that key with a zero byte appended.
        let start = after.map { stored($0) + [0] } ?? prefix
        let first = cache.offset(of: ByteOrder.precedes(start, prefix) ? prefix : start)
        var rows: [Row] = []
        if limit <= 0 { return [] }
        cache.each(from: first) { row in
            guard ByteOrder.begins(row.key, with: prefix) else { return false }
            rows.append(own(row))
            return rows.count < limit
        }
        return rows
    }

    package func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        let prefix = stored(prefix)
        // No table is the last possible one, so that there is such a key.
        let after = ByteOrder.firstAfterAll(beginningWith: prefix) ?? prefix
        let before = before.map { stored($0) } ?? after
        let end = cache.offset(of: ByteOrder.precedes(before, after) ? before : after)
        var rows: [Row] = []
        if limit <= 0 { return [] }
        cache.eachBackward(before: end) { row in
            guard ByteOrder.begins(row.key, with: prefix) else { return false }
            rows.append(own(row))
            return rows.count < limit
        }
        return rows
    }

    package func walk(_ body: (_ key: Bytes, _ value: Bytes) -> Void) {
        cache.each(from: cache.offset(of: [table.rawValue])) { row in
            guard row.key.first == table.rawValue else { return false }
            let row = own(row)
            body(row.key, row.value)
            return true
        }
    }
}
