internal import CLinux
internal import Glibc

/// An open file, closed when its owner is destroyed. Interrupted calls are repeated.
struct Descriptor: ~Copyable {
    let number: Int32
    let path: String

    init(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(SystemError) {
        try SystemCall.refuseNUL(in: path)
        number = try SystemCall.check("open", path) {
            Int(unsafe open(path, flags | O_CLOEXEC, mode))
        }.asDescriptor
        self.path = path
    }

    /// Opens an existing regular file for reading; refuses folders, pipes and devices.
    static func regular(_ path: String) throws(SystemError) -> Descriptor {
        // Opening a pipe would wait for a writer.
        let file = try Descriptor(path, O_RDONLY | O_NONBLOCK)
        switch FileInformation(try file.information()).kind {
        case .file: return file
        case .directory:
            throw SystemError(code: .isADirectory, operation: "read", path: path)
        default: throw SystemError(code: .invalidArgument, operation: "read", path: path)
        }
    }

    /// Takes a descriptor over; `path` names it in errors.
    init(taking number: Int32, _ path: String) {
        self.number = number
        self.path = path
    }

    deinit {
        // A failure to close loses nothing: durable data was synced before.
        _ = close(number)
    }

    func information() throws(SystemError) -> stat {
        var result = stat()
        _ = try SystemCall.check("inspect", path) { unsafe Int(fstat(number, &result)) }
        return result
    }

    func readAll(limit: Int) throws(SystemError) -> [UInt8] {
        // The size of a pipe is reported as zero.
        let size = Int(clamping: try information().st_size)
        return try SystemCall.readAll(
            number, path, limit: limit, expecting: size > 0 ? size : 65_535)
    }

    /// The next bytes, at most `count`; none at the end.
    func readChunk(upTo count: Int) throws(SystemError) -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: count)
        let length = try SystemCall.check("read", path) {
            unsafe chunk.withUnsafeMutableBytes {
                unsafe read(number, $0.baseAddress, $0.count)
            }
        }
        chunk.removeLast(count - length)
        return chunk
    }

    /// Continues at an offset.
    func skip(to offset: UInt64) throws(SystemError) {
        _ = try SystemCall.check("read", path) { lseek(number, Int(clamping: offset), SEEK_SET) }
    }

    func write(_ bytes: [UInt8]) throws(SystemError) {
        try SystemCall.writeAll(number, path, bytes)
    }

    func sync() throws(SystemError) {
        _ = try SystemCall.check("sync", path) { Int(fsync(number)) }
    }
}

extension Int {
    /// The descriptor that `open` returned, which fits 32 bits.
    fileprivate var asDescriptor: Int32 { Int32(truncatingIfNeeded: self) }
}

/// Reads a file sequentially, in pieces.
package final class FileReader {
    private let file: Descriptor

    /// Opens an existing regular file; refuses pipes and the like, which can be read only once.
    package init(_ path: String, from offset: UInt64 = 0) throws(SystemError) {
        file = try Descriptor.regular(path)
        if offset > 0 { try file.skip(to: offset) }
    }

    /// The next bytes, at most `limit`; none at the end.
    package func next(_ limit: Int) throws(SystemError) -> [UInt8] {
        try file.readChunk(upTo: limit)
    }
}

/// An advisory lock on a file, held until this value is destroyed or the process ends.
package struct FileLock: ~Copyable {
    private let file: Descriptor

    /// Waits for the lock; creates the file with mode 0600 if it is missing.
    package init(_ path: String) throws(SystemError) {
        let file = try Descriptor(path, O_RDWR | O_CREAT, mode: 0o600)
        _ = try SystemCall.check("lock", path) { Int(flock(file.number, LOCK_EX)) }
        self.file = file
    }

    /// Locks one byte of a file without waiting; throws `wouldBlock` if it is locked.
    ///
    /// Each byte is a lock of its own, and need not exist in the file.
    package init(withoutWaiting path: String, byte: UInt64) throws(SystemError) {
        try self.init(path, byte: byte, waits: false)
    }

    /// Waits for the lock of one byte of a file, whose locks are those of `withoutWaiting`.
    package init(waitingFor path: String, byte: UInt64) throws(SystemError) {
        try self.init(path, byte: byte, waits: true)
    }

    private init(_ path: String, byte: UInt64, waits: Bool) throws(SystemError) {
        let file = try Descriptor(path, O_RDWR | O_CREAT, mode: 0o600)
        let place = Int(clamping: byte)
        _ = try SystemCall.check("lock", path) {
            Int(daybook_lock_byte(file.number, place, waits ? 1 : 0))
        }
        self.file = file
    }

    /// Waits for a lock on a folder itself, which needs no file.
    package init(directory path: String) throws(SystemError) {
        let folder = try Descriptor(path, O_RDONLY | O_DIRECTORY)
        _ = try SystemCall.check("lock", path) { Int(flock(folder.number, LOCK_EX)) }
        file = folder
    }
}
