internal import CLMDB
internal import DaybookSystem

extension Environment {
    /// Opens an environment for reading only, even in a folder without write permission.
    ///
    /// A reader has to register in `lock.mdb`. Where it can't (no permission, a read-only file
    /// system, a missing lock file), it reads a private copy instead: a writer would reuse the
    /// pages of the live file while they are being read.
    package static func openReadOnly(_ path: String) throws -> Environment {
        let data = "\(path)/data.mdb"
        if try Files.isWritable("\(path)/lock.mdb"), try missingTail(data) == nil {
            return try Environment(path, EnvironmentOptions(isReadOnly: true))
        }
        let folder = try ScratchFolder()
        let copy = "\(folder.path)/data.mdb"
        try copyCommitted(from: data, to: copy)
        try restoreTail(copy)
        // The open map keeps the file alive after its folder is removed.
        return try Environment(privateCopy: folder.path)
    }

    /// Extends a file to the length of its last commit, so that reading it can't raise SIGBUS.
    ///
    /// LMDB may leave its last pages unwritten when they are free, so that a short file need not be
    /// damaged. But reading a mapped page beyond the end of the file is a bus error. A page of
    /// zeros is invalid to LMDB, which reports it if the page is needed after all.
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

    /// Copies a file until the copy is consistent, or writers have changed it too often.
    ///
    /// LMDB is copy-on-write: a transaction reuses only pages that were freed before the last but
    /// one commit. Commits write the two meta pages in turn, so that the second commit after one
    /// overwrites its meta page. As long as the file still has the newest meta page of the copy, no
    /// page that the copy needs was overwritten.
    static func copyCommitted(
        from path: String, to copy: String,
        copying: (_ path: String, _ copy: String) throws -> Void = {
            try Files.copy($0, to: $1, mode: 0o600)
        }
    ) throws {
        for _ in 0..<copyAttempts {
            try copying(path, copy)
            // Read after copying: a meta page that is still there was there all the time.
            if try MetaPages(path).hold(newestOf: MetaPages(copy)) { return }
            try Files.remove(copy)
        }
        throw LMDBError.copyOutrun
    }

    private static let copyAttempts = 100
}

extension Environment {
    /// Copies a snapshot of the environment durably into an empty folder.
    ///
    /// Writers go on meanwhile. The copy's file has mode 0600.
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
