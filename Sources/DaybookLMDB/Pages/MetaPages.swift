internal import DaybookSystem

/// The two `MDB_meta` of a data file, read without LMDB: each behind a page header of 16 bytes.
///
/// The layout is that of mdb.c for 64-bit little-endian machines; LMDB gives no other way to look
/// at a file before it is mapped.
struct MetaPages {
    private let first: [UInt8]
    private let second: [UInt8]
    let pageBytes: Int

    init(_ path: String) throws {
        let start = try Files.readPrefix(path, count: Self.length)
        guard start.count == Self.length, Self.number(start, 16, 4) == Self.magic else {
            throw LMDBError.invalid
        }
        if Self.number(start, 20, 4) != Self.version { throw LMDBError.versionMismatch }
        // `mm_dbs[FREE_DBI].md_pad`
        let pageBytes = Int(Self.number(start, 40, 4))
        guard (512...65_536).contains(pageBytes) else { throw LMDBError.invalid }
        let both = try Files.readPrefix(path, count: pageBytes + Self.length)
        guard both.count == pageBytes + Self.length else { throw LMDBError.invalid }
        first = Array(both.prefix(Self.length))
        second = Array(both.suffix(Self.length))
        // LMDB goes by the newest, and would look for all pages at other places than the other.
        guard Self.number(second, 40, 4) == pageBytes else { throw LMDBError.corrupted }
        self.pageBytes = pageBytes
    }

    /// How long the file must be for every page of the last commit to lie in it.
    var fileBytes: UInt64 {
        let (bytes, overflow) = (Self.number(newest, 136, 8) &+ 1)
            .multipliedReportingOverflow(by: UInt64(pageBytes))
        return overflow ? .max : bytes
    }

    /// Whether these pages still hold the newest meta page of `copy`, byte for byte.
    func hold(newestOf copy: MetaPages) -> Bool {
        first == copy.newest || second == copy.newest
    }

    /// The one with the higher transaction number.
    private var newest: [UInt8] {
        Self.number(first, 144, 8) > Self.number(second, 144, 8) ? first : second
    }

    private static let length = 152
    private static let magic: UInt64 = 0xbeef_c0de
    private static let version: UInt64 = 1

    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The fields of a meta page about its commit.
struct MetaPage: Equatable {
    /// The number of the commit.
    let commit: UInt64
    let pageBytes: Int
    /// How many pages the file has, those that lie unwritten behind its end included.
    let pages: UInt64
    /// The table of the tables.
    let main: TableRecord
    /// The table of the free pages.
    let free: TableRecord

    /// The header and the content of a page.
    static let length = 152

    /// Reads the bytes of a meta page, of which there are `length`.
    init(_ bytes: UnsafeRawBufferPointer) {
        commit = unsafe bytes.loadUnaligned(fromByteOffset: 144, as: UInt64.self)
        pageBytes = unsafe Int(bytes.loadUnaligned(fromByteOffset: 40, as: UInt32.self))
        pages = unsafe bytes.loadUnaligned(fromByteOffset: 136, as: UInt64.self) &+ 1
        free = unsafe TableRecord(UnsafeRawBufferPointer(rebasing: bytes[40..<88]))
        main = unsafe TableRecord(UnsafeRawBufferPointer(rebasing: bytes[88..<136]))
    }
}
