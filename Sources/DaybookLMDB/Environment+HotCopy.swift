internal import CLMDB
internal import DaybookSystem

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
