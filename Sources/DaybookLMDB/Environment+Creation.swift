internal import DaybookSystem

extension Environment {
    /// Makes an empty environment in a folder that has none; after a crash it is whole or absent.
    ///
    /// LMDB itself writes its first pages under the file's name and syncs neither: a power cut can
    /// leave a file there that is none of LMDB's, or no file behind commits that were durable.
    package static func createIfMissing(_ folder: String) throws {
        let data = "\(folder)/data.mdb"
        let building = "\(folder)/.creating"
        if try Files.exists(data), try !Files.exists(building) { return }
        // Two creations at once: the second one waits, and finds the first one's file.
        let lock = try FileLock(directory: folder)
        if try Files.exists(building) { try Files.removeTree(building) }
        if try !Files.exists(data) {
            try Files.createDirectory(building, mode: 0o700)
            _ = try Environment(building)
            try Files.syncFile("\(building)/data.mdb")
            try Files.renameDurably("\(building)/data.mdb", to: data)
            try Files.removeTree(building)
        }
        _ = consume lock
    }
}
