internal import CLMDB
internal import DaybookSystem

extension Environment {
    /// Opens for reading only, whether or not this program may write anything in the folder.
    ///
    /// A reader has to announce itself in `lock.mdb`. Where it can't (no permission, a read-only
    /// file system, a copy without lock file) it must not read the live file without locks: a
    /// writer would reuse the pages it reads. It then reads a private copy, taken as below.
    package static func openReadOnly(_ path: String) throws -> Environment {
        let data = "\(path)/data.mdb"
        if try Files.isWritable("\(path)/lock.mdb"), try missingTail(data) == nil {
            return try Environment(path, EnvironmentOptions(isReadOnly: true))
        }
        let folder = try ScratchFolder()
        let copy = "\(folder.path)/data.mdb"
        try copyCommitted(from: data, to: copy)
        try restoreTail(copy)
        // The map keeps the file alive: the folder goes now.
        return try Environment(privateCopy: folder.path)
    }

    /// Makes a file as long as its last commit says, so that reading it can't stop the program.
    ///
    /// LMDB may leave its last pages unwritten when they are free, so a short file need not be
    /// damaged. But reading a page behind the end of a mapped file is a bus error. Zeros instead
    /// are no page of LMDB: where one is needed after all, LMDB says so.
    static func restoreTail(_ path: String) throws {
        if let length = try missingTail(path) { try Files.extend(path, to: length) }
    }

    /// The length that a file should have, if it is shorter.
    private static func missingTail(_ path: String) throws -> UInt64? {
        // The meta pages first: a commit in between can only make the file longer.
        let pages = try MetaPages(path)
        guard let file = try Files.information(path) else { throw LMDBError.notFound }
        if file.size >= pages.fileBytes { return nil }
        let missing = pages.fileBytes - file.size
        // mdb.c, MDB_IDL_UM_MAX: one transaction can't leave more pages unwritten.
        if missing > UInt64(pages.pageBytes) << 17 { throw LMDBError.corrupted }
        return pages.fileBytes
    }

    /// Copies until the copy is whole, or is outrun too often.
    ///
    /// LMDB is copy-on-write: a transaction reuses only pages that were freed before the last but
    /// one commit. So while the file still has the meta page that the copy goes by, no page that
    /// the copy can reach was written to: meta pages take turns, and the second commit after it
    /// would have overwritten it.
    static func copyCommitted(
        from path: String, to copy: String,
        copying: (_ path: String, _ copy: String) throws -> Void = {
            try Files.copy($0, to: $1, mode: 0o600)
        }
    ) throws {
        for _ in 0..<copyAttempts {
            try copying(path, copy)
            // In this order: what is still there after copying was there all the time.
            if try MetaPages(path).hold(newestOf: MetaPages(copy)) { return }
            try Files.remove(copy)
        }
        throw LMDBError.copyOutrun
    }

    private static let copyAttempts = 100
}

extension Environment {
    /// Copies the environment as it is now into an empty folder; writers go on meanwhile.
    ///
    /// Durable on return. The copy's file has mode 0600.
    package func copy(to folder: String) throws {
        unsafe try withHandle { handle throws(LMDBError) in
            try check(unsafe mdb_env_copy2(handle, folder, 0))
        }
        try Self.complete(folder)
    }

    /// Copies an environment that this process may have open already, and others may write to.
    package static func copyFile(of path: String, to folder: String) throws {
        try copyCommitted(from: "\(path)/data.mdb", to: "\(folder)/data.mdb")
        try complete(folder)
    }

    private static func complete(_ folder: String) throws {
        let data = "\(folder)/data.mdb"
        try Files.setMode(0o600, of: data)
        try Files.syncFile(data)
        try Files.syncDirectory(folder)
    }
}
