/// One page in mapped memory, by mdb.c's layout for 64-bit little-endian machines.
///
/// Only the header may be read of a page that is not sound.
@unsafe
struct RawPage {
    private let start: UnsafeRawPointer
    private let length: Int

    /// A key in mapped memory.
    typealias Key = UnsafeRawBufferPointer

    init(_ start: UnsafeRawPointer, length: Int) {
        unsafe self.start = unsafe start
        unsafe self.length = length
    }

    private static let headerBytes = 16
    private static let nodeBytes = 8
    /// `MDB_MAXKEYSIZE`
    private static let longestKey = 511

    // MARK: - The header

    var statedNumber: UInt64 { unsafe start.loadUnaligned(as: UInt64.self) }
    var flags: Int { unsafe half(10) }
    /// Of an overflow page: how many pages follow each other.
    var overflowPages: Int { unsafe word(12) }
    private var lower: Int { unsafe half(12) }
    private var upper: Int { unsafe half(14) }

    /// The flags of the pages of a tree.
    static let branch = 1
    static let leaf = 2
    static let overflow = 4

    // MARK: - The nodes of a sound page

    /// How many nodes there are.
    var count: Int { unsafe (lower - Self.headerBytes) / 2 }

    func key(_ index: Int) -> Key {
        let node = unsafe place(index)
        return unsafe Key(start: start + node + Self.nodeBytes, count: half(node + 6))
    }

    /// The page below a node of a branch.
    func child(_ index: Int) -> UInt64 {
        let node = unsafe place(index)
        return unsafe UInt64(word(node)) | UInt64(half(node + 4)) << 32
    }

    /// The value of a leaf's node; nil if it lies on overflow pages.
    func value(_ index: Int) -> UnsafeRawBufferPointer? {
        let node = unsafe place(index)
        if unsafe isBig(node) { return nil }
        return unsafe UnsafeRawBufferPointer(
            start: start + node + Self.nodeBytes + half(node + 6), count: word(node))
    }

    /// The overflow pages of a leaf's node; nil if its value lies in the node.
    func overflow(_ index: Int) -> (first: UInt64, count: Int)? {
        let node = unsafe place(index)
        guard unsafe isBig(node) else { return nil }
        return unsafe overflow(of: node)
    }

    /// Whether a leaf's node has the record of a table.
    func isTable(_ index: Int) -> Bool {
        unsafe half(place(index) + 4) == Int(Page.isTable)
    }

    /// The last node whose key is not after `key`; of a branch the first, if there is none.
    func index(notAfter key: Key) -> Int? {
        let isLeaf = unsafe flags == Self.leaf
        // The first key of a branch page is not used.
        var (low, high) = (isLeaf ? 0 : 1, unsafe count)
        while low < high {
            let middle = (low + high) / 2
            if unsafe Self.order(self.key(middle), key) <= 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low == 0 ? nil : low - 1
    }

    /// A number below, at or above zero, as one key is before, at or after another.
    static func order(_ left: Key, _ right: Key) -> Int {
        let common = min(left.count, right.count)
        var place = 0
        while place + 8 <= common {
            let one = unsafe UInt64(
                bigEndian: left.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            let other = unsafe UInt64(
                bigEndian: right.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            if one != other { return one < other ? -1 : 1 }
            place += 8
        }
        while place < common {
            let difference = unsafe Int(left[place]) - Int(right[place])
            if difference != 0 { return difference }
            place += 1
        }
        return left.count - right.count
    }

    // MARK: - Soundness

    /// Whether LMDB can read and change the page without leaving it.
    ///
    /// Its nodes fill the page's end without gap or overlap, and their keys are in order, from
    /// `low` on and before `high`. There are `pages` pages in all; `starts` is scratch.
    func isSound(
        pages: UInt64, from low: Key?, below high: Key?, _ starts: inout [UInt64]
    ) -> Bool {
        let isLeaf = unsafe flags == Self.leaf
        guard unsafe lower >= Self.headerBytes, unsafe lower & 1 == 0, unsafe lower <= upper,
            unsafe upper <= length, unsafe count >= (isLeaf ? 1 : 2)
        else { return false }
        for index in starts.indices { starts[index] = 0 }
        for index in unsafe 0..<count {
            let node = unsafe place(index)
            guard node & 1 == 0, unsafe node >= upper, unsafe node + Self.nodeBytes <= length
            else { return false }
            starts[node >> 7] |= 1 << UInt64(node >> 1 & 63)
        }
        var (place, found) = (unsafe upper, 0)
        while unsafe place < length {
            guard starts[place >> 7] & 1 << UInt64(place >> 1 & 63) != 0,
                let next = unsafe end(ofNode: place, isLeaf, pages: pages)
            else { return false }
            place = next
            found += 1
        }
        guard unsafe place == length, unsafe found == count else { return false }
        return unsafe areKeysInOrder(isLeaf, from: low, below: high)
    }

    private func areKeysInOrder(_ isLeaf: Bool, from low: Key?, below high: Key?) -> Bool {
        let first = isLeaf ? 0 : 1
        if let low = unsafe low, unsafe Self.order(key(first), low) < 0 { return false }
        if let high = unsafe high, unsafe Self.order(key(count - 1), high) >= 0 { return false }
        let count = unsafe count
        var index = first + 1
        // Not a closure, because each page of each commit is checked here.
        while index < count {
            guard unsafe Self.order(key(index - 1), key(index)) < 0 else { return false }
            index += 1
        }
        return true
    }

    /// Where the node behind a node begins; nil if the node is torn.
    private func end(ofNode node: Int, _ isLeaf: Bool, pages: UInt64) -> Int? {
        guard unsafe node + Self.nodeBytes <= length else { return nil }
        let keyBytes = unsafe half(node + 6)
        var bytes = unsafe Self.nodeBytes + keyBytes
        if isLeaf {
            switch unsafe UInt64(half(node + 4)) {
            case 0: bytes += unsafe word(node)
            case Page.isTable:
                guard unsafe word(node) == TableRecord.bytes else { return nil }
                bytes += TableRecord.bytes
            case Page.isOverflow:
                bytes += 8
                guard unsafe node + bytes <= length else { return nil }
                let (first, count) = unsafe overflow(of: node)
                guard first >= 2, first < pages, UInt64(count) <= pages - first else { return nil }
            default: return nil
            }
            // `me_nodemax`: LMDB puts longer values on overflow pages.
            guard unsafe keyBytes <= Self.longestKey,
                unsafe bytes <= ((length - Self.headerBytes) / 2 & ~1) - 2
            else { return nil }
        }
        let end = node + ((bytes + 1) & ~1)
        return unsafe end <= length ? end : nil
    }

    private func overflow(of node: Int) -> (first: UInt64, count: Int) {
        let first = unsafe start.loadUnaligned(
            fromByteOffset: node + Self.nodeBytes + half(node + 6), as: UInt64.self)
        return unsafe (first, (word(node) + Self.headerBytes + length - 1) / length)
    }

    private func isBig(_ node: Int) -> Bool {
        unsafe UInt64(half(node + 4)) & Page.isOverflow != 0
    }

    private func place(_ index: Int) -> Int { unsafe half(Self.headerBytes + 2 * index) }

    private func half(_ offset: Int) -> Int {
        unsafe Int(start.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    private func word(_ offset: Int) -> Int {
        unsafe Int(start.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
