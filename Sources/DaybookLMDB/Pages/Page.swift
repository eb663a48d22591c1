/// The bytes of one page, read by mdb.c's layout for 64-bit little-endian machines.
struct Page {
    enum Kind: UInt64 {
        case branch = 1
        case leaf = 2
        case overflow = 4
    }

    /// A node: where it lies, and how long it is with its padding.
    struct Node {
        let start: Int
        let length: Int
        let flags: UInt64
        let key: ArraySlice<UInt8>
        /// How long the value is; of a branch, the page below.
        let size: UInt64
        /// Where the value, or the number of its overflow page, begins.
        let value: Int
    }

    static let headerBytes = 16
    private static let nodeBytes = 8

    let number: UInt64
    let bytes: [UInt8]

    /// The number that it gives itself.
    var statedNumber: UInt64 { Self.number(bytes, 0, 8) }
    var kind: Kind? { Kind(rawValue: Self.number(bytes, 10, 2)) }
    /// Of an overflow page: how many pages follow each other.
    var overflowPages: UInt64 { Self.number(bytes, 12, 4) }
    private var lower: Int { Int(Self.number(bytes, 12, 2)) }
    private var upper: Int { Int(Self.number(bytes, 14, 2)) }

    /// The nodes in key order; nil unless they fill the page's end without gap or overlap.
    func nodes(isLeaf: Bool) -> [Node]? {
        let top = Self.headerBytes
        guard lower >= top, lower & 1 == 0, lower <= upper, upper <= bytes.count else { return nil }
        var nodes: [Node] = []
        for place in stride(from: top, to: lower, by: 2) {
            guard let node = node(at: Int(Self.number(bytes, place, 2)), isLeaf: isLeaf) else {
                return nil
            }
            nodes.append(node)
        }
        var next = upper
        for node in nodes.sorted(by: { $0.start < $1.start }) {
            guard node.start == next else { return nil }
            next += node.length
        }
        return next == bytes.count ? nodes : nil
    }

    private func node(at start: Int, isLeaf: Bool) -> Node? {
        guard start >= upper, start + Self.nodeBytes <= bytes.count else { return nil }
        let low = Self.number(bytes, start, 4)
        let flags = Self.number(bytes, start + 4, 2)
        let keyBytes = Int(Self.number(bytes, start + 6, 2))
        let value = start + Self.nodeBytes + keyBytes
        guard value <= bytes.count else { return nil }
        let key = bytes[(start + Self.nodeBytes)..<value]
        if !isLeaf {
            return Node(
                start: start, length: Self.even(Self.nodeBytes + keyBytes), flags: 0, key: key,
                size: low | flags << 32, value: value)
        }
        let isBig = flags & Self.isOverflow != 0
        let length = Self.nodeBytes + keyBytes + (isBig ? 8 : Int(low))
        guard start + length <= bytes.count, keyBytes <= Self.longestKey, length <= longestLeaf
        else { return nil }
        return Node(
            start: start, length: Self.even(length), flags: flags, key: key, size: low,
            value: value)
    }

    /// `MDB_MAXKEYSIZE`
    private static let longestKey = 511

    /// `me_nodemax`: LMDB puts longer values on overflow pages, and splits pages relying on that.
    private var longestLeaf: Int { ((bytes.count - Self.headerBytes) / 2 & ~1) - 2 }

    /// A node's flag: its value lies on overflow pages.
    static let isOverflow: UInt64 = 1
    /// A node's flag: its value is the record of a table.
    static let isTable: UInt64 = 2

    static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
        var result: UInt64 = 0
        for index in stride(from: offset + count - 1, through: offset, by: -1) {
            result = result << 8 | UInt64(bytes[index])
        }
        return result
    }

    private static func even(_ length: Int) -> Int { (length + 1) & ~1 }
}

/// `MDB_db`: what is known of a table.
struct TableRecord: Equatable, Sendable {
    static let bytes = 48
    static let none = UInt64.max

    let flags: UInt64
    let depth: UInt64
    let branchPages: UInt64
    let leafPages: UInt64
    let overflowPages: UInt64
    let entries: UInt64
    let root: UInt64

    init(_ bytes: [UInt8], at offset: Int) {
        self = unsafe bytes.withUnsafeBytes {
            unsafe TableRecord(UnsafeRawBufferPointer(rebasing: $0[offset..<offset + Self.bytes]))
        }
    }

    /// Reads the bytes of a record, of which there are 48.
    init(_ bytes: UnsafeRawBufferPointer) {
        flags = unsafe UInt64(bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self))
        depth = unsafe UInt64(bytes.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
        branchPages = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        leafPages = unsafe bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        overflowPages = unsafe bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        entries = unsafe bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
        root = unsafe bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self)
    }
}
