internal import CLMDB
internal import DaybookSystem

/// Checks every page of an environment's last commit without LMDB, which trusts its files.
///
/// Each page must be of the right kind, and belong to exactly one table or to the free list. After
/// the check, LMDB can read the file safely. It takes one bit of memory for each page.
struct PageCheck {
    private let descriptor: Int32
    private let pageBytes: Int
    private let pages: UInt64
    private let transaction: UInt64
    private var reached: [UInt64]

    /// The counts of a table's pages and entries.
    private struct Count {
        var branchPages: UInt64 = 0
        var leafPages: UInt64 = 0
        var overflowPages: UInt64 = 0
        var entries: UInt64 = 0
    }

    /// The table that is being checked.
    private struct Subject {
        let kind: Kind
        let name: String
        let record: TableRecord
        var count = Count()
        var isFree: Bool { kind == .free }
        var isMain: Bool { kind == .main }
    }

    /// The kind of a table; its name does not tell, as the file may be hostile.
    private enum Kind {
        case main, free, named
    }

    /// `CURSOR_STACK`: LMDB reads no table with more levels of pages.
    static let mostLevels: UInt64 = 32

    /// Checks the commit with a transaction number; returns its first fault.
    static func fault(_ descriptor: Int32, transaction: UInt64) throws -> PageFault? {
        var check = try PageCheck(descriptor, transaction)
        do throws(PageFault) {
            try check.run()
            return nil
        } catch {
            return error
        }
    }

    /// Checks the lists of free pages of a commit; returns their first fault.
    ///
    /// LMDB writes to any page that is in them.
    static func freeFault(_ descriptor: Int32, _ meta: MetaPage) throws -> PageFault? {
        var check = try PageCheck(descriptor, meta)
        do throws(PageFault) {
            try check.reach(0, count: 2, "main")
            try check.walk(.free, "free", check.free)
            return nil
        } catch {
            return error
        }
    }

    private let free: TableRecord
    private let main: TableRecord

    private init(_ descriptor: Int32, _ transaction: UInt64) throws {
        let first = try FileAccess.read(descriptor, at: 0, count: 152)
        guard first.count == 152 else { throw LMDBError.invalid }
        let pageBytes = Int(Page.number(first, 40, 4))
        guard (512...65_536).contains(pageBytes) else { throw LMDBError.invalid }
        let second = try FileAccess.read(descriptor, at: UInt64(pageBytes), count: 152)
        guard second.count == 152 else { throw LMDBError.invalid }
        let commits = [first, second].map { Page.number($0, 144, 8) }
        // Commits write the two meta pages in turn, so that their numbers are consecutive.
        guard commits[0] & 1 == 0, commits[1] & 1 == 1,
            commits[0] == commits[1] &+ 1 || commits[1] == commits[0] &+ 1,
            let place = commits.firstIndex(of: transaction)
        else { throw LMDBError.copyOutrun }
        let meta = place == 0 ? first : second
        try self.init(descriptor, unsafe meta.withUnsafeBytes { unsafe MetaPage($0) })
    }

    private init(_ descriptor: Int32, _ meta: MetaPage) throws {
        self.descriptor = descriptor
        pageBytes = meta.pageBytes
        transaction = meta.commit
        pages = meta.pages
        free = meta.free
        main = meta.main
        // A file of that many pages would be larger than any disk.
        guard (2...(1 << 36)).contains(pages) else { throw LMDBError.corrupted }
        reached = Array(repeating: 0, count: Int((pages + 63) / 64))
    }

    private mutating func run() throws(PageFault) {
        try reach(0, count: 2, "main")
        try walk(.main, "main", main)
        try walk(.free, "free", free)
        for page in 0..<pages where !isReached(page) {
            throw PageFault(
                table: "free", page: page, reason: "the page is in no table and not free")
        }
    }

    // MARK: - Tables

    private mutating func walk(
        _ kind: Kind, _ name: String, _ record: TableRecord
    ) throws(PageFault) {
        var subject = Subject(kind: kind, name: name, record: record)
        let root = record.root
        guard record.depth <= Self.mostLevels else {
            throw PageFault(table: name, page: root, reason: "the table has too many levels")
        }
        if root == TableRecord.none {
            guard record.entries == 0, record.depth == 0 else {
                throw PageFault(table: name, page: 0, reason: "the table has no pages")
            }
        } else {
            try walk(root, level: 1, &subject, from: nil, below: nil)
        }
        let count = subject.count
        guard count.branchPages == record.branchPages, count.leafPages == record.leafPages,
            count.overflowPages == record.overflowPages, count.entries == record.entries,
            record.flags == (subject.isFree ? 8 : 0)
        else {
            throw PageFault(
                table: name, page: root, reason: "the table's record does not count its pages")
        }
    }

    private mutating func walk(
        _ number: UInt64, level: UInt64, _ subject: inout Subject, from: ArraySlice<UInt8>?,
        below: ArraySlice<UInt8>?
    ) throws(PageFault) {
        let isLeaf = level == subject.record.depth
        let page = try page(number, isLeaf ? .leaf : .branch, subject.name)
        guard level <= subject.record.depth, let nodes = page.nodes(isLeaf: isLeaf), !nodes.isEmpty
        else { throw PageFault(table: subject.name, page: number, reason: "its nodes are torn") }
        // The first key of a branch page is not used.
        try checkOrder(
            isLeaf ? nodes : Array(nodes.dropFirst()), from: from, below: below, of: page, subject)
        if isLeaf {
            subject.count.leafPages += 1
            for node in nodes { try take(node, of: page, &subject) }
            return
        }
        subject.count.branchPages += 1
        for (index, node) in nodes.enumerated() {
            try walk(
                node.size, level: level + 1, &subject, from: index == 0 ? from : node.key,
                below: index + 1 < nodes.count ? nodes[index + 1].key : below)
        }
    }

    private func checkOrder(
        _ nodes: [Page.Node], from: ArraySlice<UInt8>?, below: ArraySlice<UInt8>?,
        of page: Page, _ subject: Subject
    ) throws(PageFault) {
        let keys = subject.isFree ? nodes.map { ArraySlice($0.key.reversed()) } : nodes.map(\.key)
        let first = subject.isFree ? from.map { ArraySlice($0.reversed()) } : from
        let end = subject.isFree ? below.map { ArraySlice($0.reversed()) } : below
        var isOrdered = zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
        if let first, let key = keys.first, key.lexicographicallyPrecedes(first) {
            isOrdered = false
        }
        if let end, let key = keys.last, !key.lexicographicallyPrecedes(end) { isOrdered = false }
        if !isOrdered {
            throw PageFault(
                table: subject.name, page: page.number, reason: "its keys are not in order")
        }
    }

    // MARK: - Entries

    private mutating func take(
        _ node: Page.Node, of page: Page, _ subject: inout Subject
    ) throws(PageFault) {
        subject.count.entries += 1
        let torn = PageFault(table: subject.name, page: page.number, reason: "a value is torn")
        var value = page
        var start = node.value
        switch node.flags {
        case 0: break
        case Page.isOverflow where !subject.isMain:
            let first = Page.number(page.bytes, node.value, 8)
            let header = try self.page(first, .overflow, subject.name, reaching: false)
            let count = (node.size + UInt64(Page.headerBytes + pageBytes - 1)) / UInt64(pageBytes)
            guard header.overflowPages == count else { throw torn }
            try reach(first, count: count, subject.name)
            subject.count.overflowPages += count
            guard subject.isFree else { return }
            value = Page(
                number: first, bytes: try read(first, count: Int(count) * pageBytes, subject.name))
            start = Page.headerBytes
        case Page.isTable where subject.isMain:
            guard node.size == UInt64(TableRecord.bytes) else { throw torn }
            let name = String(decoding: node.key, as: UTF8.self)
            try walk(.named, name, TableRecord(page.bytes, at: node.value))
        default: throw torn
        }
        if subject.isFree { try takeFree(node, value.bytes, at: start, orThrow: torn) }
    }

    /// Checks a list of free pages: the count, and the page numbers, the highest first.
    private mutating func takeFree(
        _ node: Page.Node, _ bytes: [UInt8], at start: Int, orThrow torn: PageFault
    ) throws(PageFault) {
        guard node.key.count == 8, Page.number(Array(node.key), 0, 8) <= transaction,
            node.size >= 8
        else { throw torn }
        let count = Page.number(bytes, start, 8)
        guard count < node.size / 8 else { throw torn }
        // LMDB allocates a run of pages by its first and last number: in another order, a used page
        // might be between them.
        var last = UInt64.max
        for index in 0..<Int(count) {
            let page = Page.number(bytes, start + 8 + index * 8, 8)
            guard page < last else { throw torn }
            try reach(page, count: 1, "free")
            last = page
        }
    }

    // MARK: - Pages

    private mutating func page(
        _ number: UInt64, _ kind: Page.Kind, _ table: String, reaching: Bool = true
    ) throws(PageFault) -> Page {
        guard number >= 2, number < pages else {
            throw PageFault(table: table, page: number, reason: "there is no such page")
        }
        if reaching { try reach(number, count: 1, table) }
        let page = Page(number: number, bytes: try read(number, count: pageBytes, table))
        guard page.statedNumber == number, page.kind == kind else {
            throw PageFault(table: table, page: number, reason: "it is another page")
        }
        return page
    }

    private func read(
        _ number: UInt64, count: Int, _ table: String
    ) throws(PageFault) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileAccess.read(
                descriptor, at: number * UInt64(pageBytes), count: count)
        } catch {
            throw PageFault(table: table, page: number, reason: "\(error)")
        }
        guard bytes.count == count else {
            throw PageFault(table: table, page: number, reason: "the file ends before it")
        }
        return bytes
    }

    private mutating func reach(
        _ first: UInt64, count: UInt64, _ table: String
    ) throws(PageFault) {
        for offset in 0..<count {
            let page = first &+ offset
            guard page < pages, !isReached(page) else {
                throw PageFault(table: table, page: page, reason: "it is used twice, or not there")
            }
            reached[Int(page / 64)] |= 1 << (page % 64)
        }
    }

    private func isReached(_ page: UInt64) -> Bool {
        reached[Int(page / 64)] & 1 << (page % 64) != 0
    }
}

/// A damaged page of an environment's file.
package struct PageFault: Error, Equatable, Sendable {
    /// The table that the page belongs to; `main` has the tables, `free` the free pages.
    package let table: String
    /// The page's number.
    package let page: UInt64
    /// The fault, in lower case.
    package let reason: String
}

extension Environment {
    /// Checks the pages of a snapshot without LMDB; returns the first fault.
    ///
    /// A flipped bit in LMDB's own data can crash the process: check first, then read.
    package func pageFault(in view: TransactionView) throws -> PageFault? {
        var descriptor: Int32 = -1
        unsafe try withHandle { handle throws(LMDBError) in
            try check(unsafe mdb_env_get_fd(handle, &descriptor))
        }
        // A damaged file may have any number.
        let transaction = unsafe UInt64(UInt(bitPattern: mdb_txn_id(view.transaction)))
        return try PageCheck.fault(descriptor, transaction: transaction)
    }
}
