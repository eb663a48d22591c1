// The fields of `stat` belong to whichever of the two the compiler reads first.
internal import CLinux
internal import Glibc

extension Files {
    /// Reads the first bytes of a file, fewer if it is shorter.
    package static func readPrefix(_ path: String, count: Int) throws(SystemError) -> [UInt8] {
        let file = try Descriptor.regular(path)
        var result: [UInt8] = []
        while result.count < count {
            let more = try file.readChunk(upTo: count - result.count)
            if more.isEmpty { break }
            result.append(contentsOf: more)
        }
        return result
    }

    /// Copies a file's bytes from front to back into a new file.
    package static func copy(
        _ path: String, to new: String, mode: UInt32
    ) throws(SystemError) {
        let source = try Descriptor.regular(path)
        let target = try Descriptor(new, O_WRONLY | O_CREAT | O_EXCL, mode: mode_t(mode))
        while true {
            let chunk = try source.readChunk(upTo: 1 << 20)
            if chunk.isEmpty { return }
            try target.write(chunk)
        }
    }

    /// Extends a file to a length with zeros; never shortens it or changes its bytes.
    package static func extend(_ path: String, to length: UInt64) throws(SystemError) {
        if length == 0 { return }
        let file = try Descriptor(path, O_RDWR)
        // Unlike ftruncate, this can't cut off bytes that another process appends meanwhile.
        let code = posix_fallocate(file.number, off_t(clamping: length - 1), 1)
        if code != 0 {
            throw SystemError(code: Errno(rawValue: code), operation: "extend", path: path)
        }
    }

    /// Whether this program may write to a path; false if it does not exist.
    package static func isWritable(_ path: String) throws(SystemError) -> Bool {
        try SystemCall.refuseNUL(in: path)
        return unsafe faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
    }

    /// The free space in bytes for this user in the file system of a path.
    package static func freeBytes(_ path: String) throws(SystemError) -> UInt64 {
        try SystemCall.refuseNUL(in: path)
        var result = statvfs()
        _ = try SystemCall.check("inspect", path) { Int(unsafe statvfs(path, &result)) }
        return UInt64(result.f_bavail) * UInt64(result.f_frsize)
    }

    /// Creates a temporary folder with mode 0700.
    package static func createTemporaryDirectory() throws(SystemError) -> String {
        let place = EnvironmentVariables.value("TMPDIR") ?? "/tmp"
        let path = "\(place)/daybook-\(try Hexadecimal.random(bytes: 8))"
        try createDirectory(path, mode: 0o700)
        return path
    }

    /// Removes a path and everything in it; removes symbolic links without following them.
    package static func removeTree(_ path: String) throws(SystemError) {
        if try isRealDirectory(path) {
            for name in try list(path) { try removeTree("\(path)/\(name)") }
        }
        try remove(path)
    }

    private static func isRealDirectory(_ path: String) throws(SystemError) -> Bool {
        try SystemCall.refuseNUL(in: path)
        var raw = stat()
        _ = try SystemCall.check("inspect", path) { Int(unsafe lstat(path, &raw)) }
        return FileInformation(raw).kind == .directory
    }
}
