import DaybookEncoding
import DaybookLMDB

/// An entry of a history: the value of a row from a size of the log on.
struct VersionedRow {
    let row: Bytes
    /// How many events there were when the row had this value.
    let size: UInt64
    /// The value; empty where the row was removed.
    private let content: Bytes
    private let isWhole: Bool

    /// Decodes an entry in LMDB's memory.
    init(_ key: RawSpan, _ value: RawSpan) {
        var (row, content) = (Bytes(), Bytes())
        Self.copyRow(key, to: &row)
        Self.copyContent(value, to: &content)
        (self.row, self.content) = (row, content)
        size = Self.size(key)
        isWhole = Self.isWhole(row, size, content, sealed: value)
    }

    /// Decodes an entry that was copied.
    init?(_ entry: Entry?) {
        guard let entry else { return nil }
        self.init(unsafe entry.key.span.bytes, unsafe entry.value.span.bytes)
    }

    /// The row's value; nil where it was removed.
    func value() throws(HistoryError) -> Bytes? {
        guard isWhole else { throw .damaged }
        return content.isEmpty ? nil : content
    }

    func isUnder(_ prefix: Bytes) -> Bool { ByteOrder.begins(row, with: prefix) }

    /// Whether it is an entry of a row; throws if the row's key is a prefix of another row's.
    ///
    /// The entries of such rows would be mixed. The state has no such rows.
    func isOf(_ key: Bytes) throws(HistoryError) -> Bool {
        guard ByteOrder.begins(row, with: key) else { return false }
        if row.count > key.count { throw .damaged }
        return true
    }
}

extension VersionedRow {
    private static let sizeBytes = 8
    private static let checksumBytes = 8

    /// Copies the row's key out of an entry's key, replacing `row`.
    static func copyRow(_ key: RawSpan, to row: inout Bytes) {
        copy(key.extracting(droppingLast: sizeBytes), to: &row)
    }

    /// Copies the row's value out of an entry's value, replacing `content`.
    static func copyContent(_ sealed: RawSpan, to content: inout Bytes) {
        copy(sealed.extracting(droppingLast: checksumBytes), to: &content)
    }

    /// The size in an entry's key.
    static func size(_ key: RawSpan) -> UInt64 { ~number(key.extracting(last: sizeBytes)) }

    /// Whether an entry's checksum is right.
    static func isWhole(
        _ row: Bytes, _ size: UInt64, _ content: Bytes, sealed: RawSpan
    ) -> Bool {
        // A value that is too short for a checksum never matches.
        number(sealed.extracting(last: checksumBytes)) == checksum(row, size, content)
    }

    private static func copy(_ bytes: RawSpan, to copy: inout Bytes) {
        copy.removeAll(keepingCapacity: true)
        unsafe bytes.withUnsafeBytes { unsafe copy.append(contentsOf: $0) }
    }

    /// Whether the keys of a row's entries, and the key after them, are short enough for LMDB.
    static func canHold(_ row: Bytes) -> Bool {
        (1...(511 - sizeBytes - 1)).contains(row.count)
    }

    /// The key of a row's value from a size on; later values sort first.
    static func key(_ row: Bytes, _ size: UInt64) -> Bytes { row + BigEndian.bytes(~size) }

    /// A key after all entries of a row, and before those of the next row.
    static func keyAfter(_ row: Bytes) -> Bytes {
        row + Bytes(repeating: .max, count: sizeBytes) + [0]
    }

    /// An entry's value: the row's value, or nothing where it was removed, and a checksum.
    static func sealed(_ row: Bytes, _ size: UInt64, _ value: Bytes?) -> Bytes {
        let value = value ?? []
        return value + BigEndian.bytes(checksum(row, size, value))
    }

    /// A checksum that detects accidental damage, but not deliberate changes.
    private static func checksum(_ row: Bytes, _ size: UInt64, _ value: Bytes) -> UInt64 {
        var sum = size ^ UInt64(row.count) << 32
        add(row, to: &sum)
        add(value, to: &sum)
        return sum
    }

    private static func add(_ bytes: Bytes, to sum: inout UInt64) {
        let all = unsafe bytes.span.bytes
        var index = 0
        // In bounds: `index + 8` is at most the length; any bits are a UInt64.
        while index + 8 <= all.byteCount {
            let word = unsafe all.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            sum = mixed(sum ^ UInt64(littleEndian: word))
            index += 8
        }
        var rest = UInt64(all.byteCount)
        while index < all.byteCount {
            rest = rest << 8 | UInt64(bytes[index])
            index += 1
        }
        sum = mixed(sum ^ rest)
    }

    /// Mixes the bits of a number; different numbers give different results.
    private static func mixed(_ number: UInt64) -> UInt64 {
        let product = number &* 0x9e37_79b9_7f4a_7c15
        return product ^ product >> 29
    }

    private static func number(_ bytes: RawSpan) -> UInt64 {
        var number: UInt64 = 0
        for index in 0..<bytes.byteCount {
            // In bounds, and any bits are a byte.
            let byte = unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            number = number << 8 | UInt64(byte)
        }
        return number
    }
}

/// Why a history is not used.
package enum HistoryError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It is damaged.
    case damaged
    /// Rows of the past can't be set.
    case notWritable
    /// Other users can access its folder.
    case notPrivate(String)

    package var description: String {
        switch self {
        case .damaged: "it is damaged"
        case .notWritable: "the past can't be changed"
        case .notPrivate(let path): "\(path) is not the user's own with mode 0700"
        }
    }
}
