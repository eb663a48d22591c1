internal import DaybookSystem
internal import Synchronization

/// The pages of one commit, each of which is checked before LMDB reads or changes it.
///
/// LMDB trusts its file: a damaged page ends the process, or makes LMDB write beyond its memory. So
/// each of its calls is preceded by a walk along the pages that it will read (ADR 10). A page is
/// checked once in a commit, which never changes. Safe because pages are read only inside the file,
/// and nodes only of sound pages.
@safe
final class CheckedPages {
    private let file: MappedFile
    private let fileBytes: Int
    let pageBytes: Int
    private let pages: UInt64
    private let main: TableRecord
    private let damage: DamageMark
    /// The pages that were found sound.
    private(set) var sound: SoundPages

    /// A place in a table, which a walk goes to.
    enum Target {
        case first
        case last
        /// The leaf with the key, or where it would be.
        case key([UInt8])
    }

    /// LMDB's next action at a place.
    enum Purpose {
        /// It reads the leaf, or the one that follows.
        case reading
        /// It may change a value there, and give its overflow pages back.
        case writing
        /// It may merge the leaf with another one.
        case removing
        /// It may go on to the leaves on both sides.
        case moving
    }

    init(
        _ meta: MetaPage, in mapping: Mapping, known sound: SoundPages, _ damage: DamageMark
    ) throws(LMDBError) {
        file = mapping.file
        fileBytes = min(mapping.bytes, mapping.file.count)
        self.damage = damage
        pageBytes = meta.pageBytes
        pages = meta.pages
        main = meta.main
        self.sound = sound
        try check(main)
    }

    // MARK: - Walks

    /// Checks the pages in which LMDB looks for a table; returns what they say of it.
    ///
    /// A table that the transaction has made itself is in none of the commit's pages.
    @discardableResult
    func find(_ name: String) throws(LMDBError) -> TableRecord? {
        let tables = sound.tables
        let known = tables.span
        for index in known.indices where known[index].name == name { return known[index].record }
        let key = Array(name.utf8)
        try check(main, at: .key(key), for: .writing)
        let record = try record(key)
        if let record { try check(record) }
        sound.tables.append((name, record))
        return record
    }

    /// Checks the pages that LMDB will read at a place of a table.
    func check(_ table: Table, at target: Target, for purpose: Purpose) throws(LMDBError) {
        if let record = try find(table.name) { try check(record, at: target, for: purpose) }
    }

    private func check(
        _ record: TableRecord, at target: Target, for purpose: Purpose
    ) throws(LMDBError) {
        guard record.root != TableRecord.none else { return }
        let root = unsafe Place(number: record.root, level: 1, low: nil, high: nil)
        var way: Way? = Way(root: record.root)
        let leaf = unsafe try descend(root, record.depth, target, noting: &way)
        switch purpose {
        case .moving:
            if let way, sound.surrounded.contains(way) { break }
            unsafe try checkAround(target, root, record.depth, wholeParent: false)
            if let way { sound.noteSurrounded(way) }
        case .removing:
            unsafe try checkAround(target, root, record.depth, wholeParent: true)
        case .reading, .writing: break
        }
        guard purpose != .reading, purpose != .moving, case .key(let key) = target,
            let index = unsafe index(of: key, in: leaf), let pages = unsafe leaf.overflow(index)
        else { return }
        let first = unsafe try header(pages.first)
        guard unsafe first.flags == RawPage.overflow, unsafe first.overflowPages == pages.count
        else { throw damaged() }
    }

    /// A page, and between which keys its own must lie.
    @unsafe private struct Place {
        let number: UInt64
        let level: UInt64
        let low: RawPage.Key?
        let high: RawPage.Key?
    }

    /// Goes down to a leaf.
    private func descend(
        _ place: Place, _ depth: UInt64, _ target: Target
    ) throws(LMDBError) -> RawPage {
        var way: Way?
        return unsafe try descend(place, depth, target, noting: &way)
    }

    /// Goes down to a leaf, and notes the way if there is one.
    private func descend(
        _ place: Place, _ depth: UInt64, _ target: Target, noting way: inout Way?
    ) throws(LMDBError) -> RawPage {
        var place = unsafe place
        while true {
            let page = unsafe try page(place, isLeaf: place.level == depth)
            if unsafe place.level == depth { return unsafe page }
            let index = unsafe branch(of: page, target)
            if let before = way { way = before.adding(index) }
            unsafe place = below(page, place, index)
        }
    }

    /// Checks the leaves on both sides of a place, and the pages beside the way to it.
    private func checkAround(
        _ target: Target, _ place: Place, _ depth: UInt64, wholeParent: Bool
    ) throws(LMDBError) {
        guard unsafe place.level < depth else { return }
        let page = unsafe try page(place, isLeaf: false)
        let index = unsafe branch(of: page, target)
        let count = unsafe page.count
        let isLowest = unsafe place.level + 1 == depth
        let near = isLowest && wholeParent
            ? 0..<count : max(0, index - 1)..<min(count, index + 2)
        for other in near where other != index {
            let beside = unsafe below(page, place, other)
            _ = unsafe try descend(beside, depth, .first)
            if !isLowest { _ = unsafe try descend(beside, depth, .last) }
        }
        let next = unsafe below(page, place, index)
        // LMDB looks for the first key below a page that it moves.
        if !isLowest { _ = unsafe try descend(next, depth, .first) }
        unsafe try checkAround(target, next, depth, wholeParent: wholeParent)
    }

    private func below(_ page: RawPage, _ place: Place, _ index: Int) -> Place {
        unsafe Place(
            number: page.child(index), level: place.level + 1,
            low: index > 0 ? page.key(index) : place.low,
            high: index + 1 < page.count ? page.key(index + 1) : place.high)
    }

    private func branch(of page: RawPage, _ target: Target) -> Int {
        switch target {
        case .first: 0
        case .last: unsafe page.count - 1
        case .key(let key): unsafe key.withUnsafeBytes { unsafe page.index(notAfter: $0) } ?? 0
        }
    }

    /// The node with a key; nil if there is none.
    private func index(of key: [UInt8], in leaf: RawPage) -> Int? {
        unsafe key.withUnsafeBytes { key in
            guard let index = unsafe leaf.index(notAfter: key),
                unsafe RawPage.order(leaf.key(index), key) == 0
            else { return nil }
            return index
        }
    }

    // MARK: - Tables

    private func record(_ name: [UInt8]) throws(LMDBError) -> TableRecord? {
        guard main.root != TableRecord.none else { return nil }
        let root = unsafe Place(number: main.root, level: 1, low: nil, high: nil)
        let leaf = unsafe try descend(root, main.depth, .key(name))
        guard let index = unsafe index(of: name, in: leaf) else { return nil }
        guard unsafe leaf.isTable(index), let value = unsafe leaf.value(index) else {
            throw damaged()
        }
        return unsafe TableRecord(value)
    }

    private func check(_ record: TableRecord) throws(LMDBError) {
        let isEmpty = record.root == TableRecord.none
        guard record.flags == 0, record.depth <= PageCheck.mostLevels,
            isEmpty == (record.depth == 0), isEmpty || (2..<pages).contains(record.root)
        else { throw damaged() }
    }

    // MARK: - Pages

    /// A sound page of a tree.
    private func page(_ place: Place, isLeaf: Bool) throws(LMDBError) -> RawPage {
        let number = unsafe place.number
        let page = unsafe try header(number)
        guard unsafe page.flags == (isLeaf ? RawPage.leaf : RawPage.branch) else { throw damaged() }
        if sound.contains(number) { return unsafe page }
        guard unsafe page.isSound(
            pages: pages, from: place.low, below: place.high, &sound.starts)
        else { throw damaged() }
        sound.insert(number)
        return unsafe page
    }

    /// A page that says that it is the one that it should be.
    private func header(_ number: UInt64) throws(LMDBError) -> RawPage {
        guard number >= 2, number < pages, (Int(number) + 1) * pageBytes <= fileBytes else {
            throw damaged()
        }
        let start = unsafe file.bytes.baseAddress.map { unsafe $0 + Int(number) * pageBytes }
        guard let start = unsafe start else { throw damaged() }
        let page = unsafe RawPage(start, length: pageBytes)
        guard unsafe page.statedNumber == number else { throw damaged() }
        return unsafe page
    }

    private func damaged() -> LMDBError {
        damage.note()
        return .corrupted
    }
}

/// Whether damage was found in an environment's file, which is then not written to any more.
final class DamageMark: Sendable {
    private let found = Atomic(false)

    var isFound: Bool { found.load(ordering: .relaxed) }

    func note() { found.store(true, ordering: .relaxed) }

    /// Notes the damage that a result code of LMDB reports.
    func note(_ code: Int32) {
        let error = LMDBError(rawValue: code)
        if error == .corrupted || error == .pageNotFound { note() }
    }
}

/// The numbers of the pages of one commit that were found sound.
struct SoundPages: Sendable {
    /// The number of the commit.
    let commit: UInt64
    /// The tables that were looked for; nil for one that the commit does not have.
    ///
    /// Not a dictionary, because an environment has few and each call of LMDB looks for one.
    fileprivate(set) var tables: [(name: String, record: TableRecord?)] = []
    /// The leaves of which the pages on both sides were found sound, each by the way to it.
    fileprivate var surrounded: Set<Way> = []
    private var bits: [UInt64]
    /// A bit for each place in a page where a node can begin, for `RawPage.isSound`.
    fileprivate var starts: [UInt64]

    /// No pages yet.
    init(of meta: MetaPage) {
        commit = meta.commit
        bits = Array(repeating: 0, count: Int(meta.pages / 64 + 1))
        starts = Array(repeating: 0, count: meta.pageBytes / 128)
    }

    /// The maximum number of noted leaves, so that a walk through a long table takes little memory.
    private static let surroundedLeaves = 4096

    fileprivate mutating func noteSurrounded(_ way: Way) {
        if surrounded.count >= Self.surroundedLeaves { surrounded.removeAll(keepingCapacity: true) }
        surrounded.insert(way)
    }

    func contains(_ page: UInt64) -> Bool { bits[Int(page / 64)] & 1 << (page % 64) != 0 }

    mutating func insert(_ page: UInt64) { bits[Int(page / 64)] |= 1 << (page % 64) }
}

/// A leaf's place in a tree: the root, and the index at which each branch leads on.
fileprivate struct Way: Hashable, Sendable {
    private let root: UInt64
    /// Sixteen bits for each index, with a bit above them all.
    private var indexes: UInt64 = 1

    init(root: UInt64) { self.root = root }

    /// The way one page further down; nil if the tree is too deep to note its ways.
    func adding(_ index: Int) -> Way? {
        guard indexes < 1 << 48, index < 1 << 16 else { return nil }
        var way = self
        way.indexes = indexes << 16 | UInt64(index)
        return way
    }
}
