internal import DaybookSystem

extension Environment {
    /// Opens for reading only, whether or not this program may write anything in the folder.
    ///
    /// A reader has to announce itself in `lock.mdb`. Where it can't (no permission, a read-only
    /// file system, a copy without lock file) it must not read the live file without locks: a
    /// writer would reuse the pages it reads. It then reads a private copy, taken as below.
    package static func openReadOnly(_ path: String) throws -> Environment {
        if try Files.isWritable("\(path)/lock.mdb") {
            return try Environment(path, EnvironmentOptions(isReadOnly: true))
        }
        let folder = try Files.createTemporaryDirectory()
        do {
            try copyCommitted(from: "\(path)/data.mdb", to: "\(folder)/data.mdb")
            let environment = try Environment(privateCopy: folder)
            // The map keeps the file alive: nothing is left behind however this process ends.
            try Files.removeTree(folder)
            return environment
        } catch {
            try Files.removeTree(folder)
            throw error
        }
    }

    /// Copies until no commit happened meanwhile.
    ///
    /// While a transaction is the last one committed, no page that it can reach is written to:
    /// LMDB is copy-on-write, and reuses only pages that were freed before it. A commit ends by
    /// writing one of the two meta pages. So the same meta pages before and after mean that
    /// the copy holds the last committed state whole.
    private static func copyCommitted(from path: String, to copy: String) throws {
        for _ in 0..<copyAttempts {
            let before = try metaPages(path)
            try Files.copy(path, to: copy, mode: 0o600)
            if try metaPages(path) == before { return }
            try Files.remove(copy)
        }
        throw LMDBError.copyOutrun
    }

    private static let copyAttempts = 20

    /// The two `MDB_meta` of mdb.c, each behind a page header of 16 bytes at the page's start.
    private static func metaPages(_ path: String) throws -> [[UInt8]] {
        let length = 168
        let first = try Files.readPrefix(path, count: length)
        guard first.count == length else { throw LMDBError.invalid }
        // `mm_dbs[FREE_DBI].md_pad` holds the page size, little-endian on this machine's kind.
        let pageBytes = first[40..<44].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard (512...65_536).contains(pageBytes) else { throw LMDBError.invalid }
        let both = try Files.readPrefix(path, count: pageBytes + length)
        guard both.count == pageBytes + length else { throw LMDBError.invalid }
        return [Array(both.prefix(length)), Array(both.suffix(length))]
    }
}
