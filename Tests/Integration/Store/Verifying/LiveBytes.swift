import DaybookEncoding

/// The bytes of an LMDB file that somebody may ever read again, by `docs/FORMATS.md`.
///
/// Everything that the last commit reaches: its meta page, headers, offsets, nodes and overflow
/// pages; not what lies free between them, nor padding, nor the keys of branches, of which it only
/// matters that they separate what is left and right of them.
struct LiveBytes {
    private let file: Bytes
    private let page: Int
    private(set) var offsets: [Int] = []

    init(of file: Bytes) {
        self.file = file
        page = Int(Self.number(file, 40, 4))
        let second = Self.number(file, 144, 8) < Self.number(file, page + 144, 8)
        let meta = second ? page : 0
        offsets += 16..<24
        offsets += page + 16..<page + 24
        offsets += [40, 41, 42, 43]
        // Of the tree records all but their padding; then the last page and the commit.
        offsets += meta + 44..<meta + 88
        offsets += meta + 92..<meta + 152
        walkTree(meta + 40)
        walkTree(meta + 88)
    }

    private mutating func walkTree(_ record: Int) {
        let root = Self.number(file, record + 40, 8)
        if root != .max { walkPage(Int(root)) }
    }

    private mutating func walkPage(_ number: Int) {
        let start = number * page
        let isLeaf = Self.number(file, start + 10, 2) == 2
        let lower = Int(Self.number(file, start + 12, 2))
        offsets += start..<start + 8
        offsets += start + 10..<start + lower
        for place in stride(from: 16, to: lower, by: 2) {
            let node = start + Int(Self.number(file, start + place, 2))
            let key = Int(Self.number(file, node + 6, 2))
            let value = node + 8 + key
            offsets += node..<node + 8
            guard isLeaf else {
                walkPage(Int(Self.number(file, node, 6)))
                continue
            }
            offsets += node + 8..<value
            let size = Int(Self.number(file, node, 4))
            switch Self.number(file, node + 4, 2) {
            case 1:
                offsets += value..<value + 8
                let first = Int(Self.number(file, value, 8)) * page
                offsets += first..<first + 8
                offsets += first + 10..<first + 16 + size
            case 2:
                offsets += value + 4..<value + 48
                walkTree(value)
            default: offsets += value..<value + size
            }
        }
    }

    private static func number(_ bytes: Bytes, _ offset: Int, _ count: Int) -> UInt64 {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
