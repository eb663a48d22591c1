import DaybookSystem
import Glibc
import Testing
import TestSupport

@testable import DaybookLMDB

/// Files that LMDB never wrote: somebody made them by hand.
struct PageCheckTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `a table of more levels than LMDB reads is refused before it is gone down`() throws {
        var file = MadeFile()
        for _ in 0..<40 { file.add(.branch, [MadeFile.branch(to: file.count + 1)]) }
        file.add(.leaf, [MadeFile.leaf("key", [1])])
        let main = MadeFile.table(root: 2, depth: 41, branches: 40, leaves: 1, entries: 1)
        #expect(try fault(file, main: main)?.reason == "the table has too many levels")
        var flat = MadeFile()
        for _ in 0..<31 { flat.add(.branch, [MadeFile.branch(to: flat.count + 1)]) }
        flat.add(.leaf, [MadeFile.leaf("key", [1])])
        let other = MadeFile.table(root: 2, depth: 32, branches: 31, leaves: 1, entries: 1)
        #expect(try fault(flat, main: other) == nil)
    }

    @Test func `a table that is named as LMDB's own holds no tables either`() throws {
        for name in ["main", "free", "other"] {
            var file = MadeFile()
            let inner = MadeFile.table(root: .max, depth: 0, entries: 0)
            let outer = MadeFile.table(root: 3, depth: 1, leaves: 1, entries: 1)
            file.add(.leaf, [MadeFile.leaf(name, outer, isTable: true)])
            file.add(.leaf, [MadeFile.leaf("x", inner, isTable: true)])
            let main = MadeFile.table(root: 2, depth: 1, leaves: 1, entries: 1)
            #expect(try fault(file, main: main)?.reason == "a value is torn", "\(name)")
        }
    }

    @Test func `free pages in another order than LMDB's are refused`() throws {
        for (pages, isGood) in [([5, 4, 3] as [UInt64], true), ([5, 3, 4], false)] {
            var file = MadeFile()
            let list = ([3] + pages).flatMap { MadeFile.number($0, 8) }
            file.add(.leaf, [MadeFile.leaf(key: MadeFile.number(1, 8), list)])
            for _ in 3...5 { file.add(.leaf, []) }
            let free = MadeFile.table(root: 2, depth: 1, leaves: 1, entries: 1, flags: 8)
            let main = MadeFile.table(root: .max, depth: 0, entries: 0)
            let fault = try fault(file, main: main, free: free)
            #expect(fault?.reason == (isGood ? nil : "a value is torn"))
        }
    }

    @Test func `the longest keys and values that LMDB keeps on a page are let pass`() throws {
        let environment = try Environment(folder.path)
        try environment.write { view in
            let table = try #require(try view.table("sizes", create: true))
            for size in 1500...2100 {
                let value = [UInt8](repeating: 1, count: size)
                try view.put(table, Array("\(size)".utf8), value)
                try view.put(table, [UInt8](repeating: 0x7a, count: 511 - size % 9), value)
            }
        }
        #expect(try environment.read { try environment.pageFault(in: $0) } == nil)
    }

    @Test func `meta pages that disagree on how long a page is are refused before they are mapped`()
        throws
    {
        for pageBytes in [512, 8192, 34_815, 65_535] {
            let folder = try TemporaryFolder()
            _ = try Environment(folder.path)
            let path = folder.path + "/data.mdb"
            var file = try Files.read(path, limit: 1 << 20)
            file.replaceSubrange(4096 + 40..<4096 + 44, with: MadeFile.number(UInt64(pageBytes), 4))
            try Files.writeAtomically(path, file, mode: 0o600)
            #expect(throws: LMDBError.corrupted) { try Environment.openReadOnly(folder.path) }
            #expect(throws: LMDBError.corrupted) { try Environment(folder.path) }
        }
    }

    private func fault(
        _ file: MadeFile, main: [UInt8],
        free: [UInt8] = MadeFile.table(root: .max, depth: 0, entries: 0, flags: 8)
    ) throws -> PageFault? {
        let path = folder.path + "/data.mdb"
        try Files.writeAtomically(path, file.bytes(main: main, free: free), mode: 0o600)
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        return try PageCheck.fault(descriptor, transaction: 2)
    }
}

/// A file of pages in LMDB's layout, whose last commit has the number 2.
private struct MadeFile {
    private static let pageBytes = 4096
    private var pages: [[UInt8]] = []

    /// How many pages there are, with the two that each file begins with.
    var count: UInt64 { UInt64(pages.count) + 2 }

    mutating func add(_ kind: Page.Kind, _ nodes: [[UInt8]]) {
        let all = nodes.reduce(0) { $0 + $1.count }
        let lower = UInt64(16 + 2 * nodes.count)
        let upper = Self.pageBytes - all
        var page = Self.number(count, 8) + Self.number(0, 2) + Self.number(kind.rawValue, 2)
        page += Self.number(lower, 2) + Self.number(UInt64(upper), 2)
        var place = upper
        for node in nodes {
            page += Self.number(UInt64(place), 2)
            place += node.count
        }
        page += [UInt8](repeating: 0, count: upper - page.count)
        pages.append(page + nodes.flatMap(\.self))
    }

    func bytes(main: [UInt8], free: [UInt8]) -> [UInt8] {
        (0...1).flatMap { meta($0, main: main, free: free) } + pages.flatMap(\.self)
    }

    private func meta(_ place: UInt64, main: [UInt8], free: [UInt8]) -> [UInt8] {
        var page = Self.number(place, 8) + Self.number(8 << 16, 8)
        page += Self.number(0xbeef_c0de, 4) + Self.number(1, 4) + Self.number(0, 16)
        page += Self.number(UInt64(Self.pageBytes), 4) + free.dropFirst(4) + main
        page += Self.number(count - 1, 8) + Self.number(2 - place, 8)
        return page + [UInt8](repeating: 0, count: Self.pageBytes - page.count)
    }

    static func table(
        root: UInt64, depth: UInt64, branches: UInt64 = 0, leaves: UInt64 = 0, entries: UInt64,
        flags: UInt64 = 0
    ) -> [UInt8] {
        number(0, 4) + number(flags, 2) + number(depth, 2)
            + [branches, leaves, 0, entries, root].flatMap { number($0, 8) }
    }

    static func branch(to page: UInt64) -> [UInt8] {
        number(page, 4) + number(page >> 32, 2) + number(0, 2)
    }

    static func leaf(_ key: String, _ value: [UInt8], isTable: Bool = false) -> [UInt8] {
        leaf(key: Array(key.utf8), value, isTable: isTable)
    }

    static func leaf(key: [UInt8], _ value: [UInt8], isTable: Bool = false) -> [UInt8] {
        let node = number(UInt64(value.count), 4) + number(isTable ? 2 : 0, 2)
            + number(UInt64(key.count), 2) + key + value
        return node.count.isMultiple(of: 2) ? node : node + [0]
    }

    /// A number, its lowest byte first; what has no place in 8 bytes is zero.
    static func number(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) : 0 }
    }
}
