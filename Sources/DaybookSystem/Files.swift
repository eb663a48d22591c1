// The fields of `stat` belong to whichever of the two the compiler reads first.
internal import CLinux
internal import Glibc

/// Files and folders: whole reads, crash-safe writes, typed errors.
package enum Files {
    /// Reads a whole regular file; throws `fileTooLarge` if it is larger than `limit` bytes.
    package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        try Descriptor.regular(path).readAll(limit: limit)
    }

    /// Reads what a user names, a regular file or a pipe, to its end; waits for the pipe's writer.
    package static func readInput(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        try Descriptor(path, O_RDONLY).readAll(limit: limit)
    }

    /// Reads a file with a secret, or a pipe if allowed, and says who may use it.
    ///
    /// All secrets that a user names by a file are read by this function. The file that is judged
    /// is the one that was read, even if the path has become another's.
    package static func readSecret(
        _ path: String, limit: Int, orPipe isPipeAllowed: Bool = false
    ) throws(SystemError) -> (bytes: [UInt8], users: FileUsers) {
        let file = isPipeAllowed ? try Descriptor(path, O_RDONLY) : try Descriptor.regular(path)
        let users = FileUsers(FileInformation(try file.information()))
        return (try file.readAll(limit: limit), users)
    }

    /// Replaces a file atomically and durably: a crash leaves the old content or the new one.
    package static func writeAtomically(
        _ path: String, _ bytes: [UInt8], mode: UInt32
    ) throws(SystemError) {
        let file = try NewFile(path, mode: mode)
        try file.write(bytes)
        try file.complete(replacing: true)
    }

    /// Writes a file without making it durable, and without following links.
    package static func writeCarelessly(
        _ path: String, _ bytes: [UInt8], mode: UInt32
    ) throws(SystemError) {
        let file = try Descriptor(
            path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: mode_t(mode))
        try file.write(bytes)
    }

    /// Creates a folder durably; throws if the path exists.
    package static func createDirectory(_ path: String, mode: UInt32) throws(SystemError) {
        try SystemCall.refuseNUL(in: path)
        _ = try SystemCall.check("create", path) { Int(unsafe mkdir(path, mode_t(mode))) }
        try syncDirectory(parent(of: path))
    }

    /// Creates a folder and its missing parents.
    package static func createDirectories(_ path: String, mode: UInt32) throws(SystemError) {
        if try information(path) != nil { return }
        let above = parent(of: path)
        if above != path { try createDirectories(above, mode: mode) }
        do throws(SystemError) {
            try createDirectory(path, mode: mode)
        } catch {
            // Another process may have created it meanwhile, which is fine.
            if error.code != .fileExists { throw error }
        }
    }

    /// Whether a path exists; throws if that can't be determined.
    package static func exists(_ path: String) throws(SystemError) -> Bool {
        try information(path) != nil
    }

    /// Information about a path, following symbolic links; nil if it does not exist.
    package static func information(_ path: String) throws(SystemError) -> FileInformation? {
        try SystemCall.refuseNUL(in: path)
        var raw = stat()
        do throws(SystemError) {
            _ = try SystemCall.check("inspect", path) { Int(unsafe stat(path, &raw)) }
        } catch {
            if error.code == .noSuchFile { return nil }
            throw error
        }
        return FileInformation(raw)
    }

    /// The names in a folder, without `.` and `..`, sorted by their UTF-8 bytes.
    package static func list(_ path: String) throws(SystemError) -> [String] {
        try SystemCall.refuseNUL(in: path)
        let folder = unsafe try SystemCall.check("list", path) { unsafe opendir(path) }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(folder) else { break }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        if errno != 0 {
            throw SystemError(code: .last, operation: "list", path: path)
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Removes a file or an empty folder.
    package static func remove(_ path: String) throws(SystemError) {
        try SystemCall.refuseNUL(in: path)
        _ = try SystemCall.check("remove", path) { Int(unsafe Glibc.remove(path)) }
    }

    /// Renames durably; replaces an existing file, as `rename(2)` does.
    package static func renameDurably(_ path: String, to new: String) throws(SystemError) {
        try SystemCall.refuseNUL(in: path)
        try SystemCall.refuseNUL(in: new)
        _ = try SystemCall.check("rename", path) { Int(unsafe rename(path, new)) }
        try syncDirectory(parent(of: new))
        if parent(of: path) != parent(of: new) { try syncDirectory(parent(of: path)) }
    }

    /// Renames durably; throws `fileExists` if the new path exists.
    package static func renameDurably(
        _ path: String, toFree new: String
    ) throws(SystemError) {
        try SystemCall.refuseNUL(in: path)
        try SystemCall.refuseNUL(in: new)
        do throws(SystemError) {
            _ = try SystemCall.check("rename", new) {
                Int(unsafe daybook_rename_to_free(path, new))
            }
        } catch where error.code == .invalidArgument || error.code == .notImplemented {
            // Not every file system supports this.
            if try exists(new) {
                throw SystemError(code: .fileExists, operation: "rename", path: new)
            }
            return try renameDurably(path, to: new)
        }
        try syncDirectory(parent(of: new))
    }

    /// Reserves disk space for a file's first bytes, so that writing them can't lack space.
    ///
    /// Creates the file if it is missing; does not change the length of an existing one.
    package static func reserve(_ path: String, bytes: Int, mode: UInt32) throws(SystemError) {
        let file = try Descriptor(path, O_RDWR | O_CREAT, mode: mode_t(mode))
        let number = file.number
        do throws(SystemError) {
            _ = try SystemCall.check("reserve", path) { Int(daybook_reserve(number, bytes)) }
        } catch where error.code == .notSupported || error.code == .notImplemented {
            // Not every file system supports this: there, space is allocated on writing.
            return
        }
    }

    /// Sets the permission bits of a file or folder.
    package static func setMode(_ mode: UInt32, of path: String) throws(SystemError) {
        try SystemCall.refuseNUL(in: path)
        _ = try SystemCall.check("protect", path) { Int(unsafe chmod(path, mode_t(mode))) }
    }

    /// Makes the content of one file durable.
    package static func syncFile(_ path: String) throws(SystemError) {
        try Descriptor(path, O_RDONLY).sync()
    }

    /// Makes the names in a folder durable.
    package static func syncDirectory(_ path: String) throws(SystemError) {
        try Descriptor(path, O_RDONLY | O_DIRECTORY).sync()
    }

    /// The absolute path without symbolic links, which is unique for a file.
    package static func resolved(_ path: String) throws(SystemError) -> String {
        try SystemCall.refuseNUL(in: path)
        let text = unsafe try SystemCall.check("resolve", path) { unsafe realpath(path, nil) }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    /// The text of a symbolic link; nil if the path is no link or does not exist.
    package static func linkTarget(_ path: String) throws(SystemError) -> String? {
        try SystemCall.refuseNUL(in: path)
        let longest = Int(PATH_MAX)
        var text = [CChar](repeating: 0, count: longest)
        do throws(SystemError) {
            let count = try SystemCall.check("read", path) {
                unsafe readlink(path, &text, longest)
            }
            return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        } catch {
            if error.code == .noSuchFile || error.code == .invalidArgument { return nil }
            throw error
        }
    }

    /// The folder that holds a path: `/a` for `/a/b`, `.` for `b`.
    package static func parent(of path: String) -> String {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        let above = trimmed[..<slash]
        return above.isEmpty ? "/" : String(above)
    }

    /// The last part of a path: `b` for `/a/b`.
    package static func name(of path: String) -> String {
        path.split(separator: "/").last.map { String($0) } ?? path
    }

    /// The effective user id of this process, which does not change.
    package static let currentUser: UInt32 = geteuid()
}

/// The metadata of a file or folder.
package struct FileInformation: Equatable, Sendable {
    /// The kind of a file.
    package enum Kind: Equatable, Sendable {
        case file, directory, symbolicLink, socket, other
    }

    /// The kind.
    package let kind: Kind
    /// The size in bytes.
    package let size: UInt64
    /// The permission bits, for example 0o600.
    package let mode: UInt32
    /// The user id of the owner.
    package let owner: UInt32
    /// The device.
    package let device: UInt64
    /// The inode number: two paths with the same device and number are the same file.
    package let number: UInt64
    /// When the content or the attributes last changed, in nanoseconds since 1970.
    package let changed: Int64

    init(_ raw: stat) {
        kind =
            switch raw.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            case S_IFSOCK: .socket
            default: .other
            }
        size = UInt64(clamping: raw.st_size)
        mode = UInt32(raw.st_mode & 0o7777)
        owner = UInt32(raw.st_uid)
        device = UInt64(raw.st_dev)
        number = UInt64(raw.st_ino)
        changed = Int64(raw.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(raw.st_ctim.tv_nsec)
    }

    /// Whether a change of the file from now on is certain to show, as another time of change.
    ///
    /// Linux takes that time from a clock that ticks every 10 ms or more often.
    package var showsChanges: Bool {
        Int64(clamping: Clock.nowMicroseconds()) > changed / 1000 + 20_000
    }
}

/// The users who may read or write a file, apart from root, who may do that anyway.
package enum FileUsers: Sendable {
    /// Its owner alone, who is the user of this process. A pipe belongs to its two ends.
    case owner
    /// Also another owner, or readers of the file's group.
    case group
    /// All users, or writers of the file's group.
    case all

    init(_ file: FileInformation) {
        let isOurs = file.owner == Files.currentUser || file.owner == 0
        if file.kind != .file {
            self = .owner
        } else if file.mode & 0o027 != 0 {
            self = .all
        } else {
            self = isOurs && file.mode & 0o077 == 0 ? .owner : .group
        }
    }
}

/// Reads a file that another component has opened, at any offset.
package enum FileAccess {
    /// The bytes from an offset on; fewer than `count` at the file's end.
    package static func read(
        _ descriptor: Int32, at offset: UInt64, count: Int
    ) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let length = try SystemCall.check("read", "an open file") {
                unsafe bytes.withUnsafeMutableBytes { all in
                    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: all[done...])
                    return unsafe pread(
                        descriptor, rest.baseAddress, rest.count,
                        off_t(clamping: offset + UInt64(done)))
                }
            }
            if length == 0 { break }
            done += length
        }
        bytes.removeLast(count - done)
        return bytes
    }
}
