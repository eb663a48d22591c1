internal import Glibc

/// Checks the results of system calls, and repeats interrupted calls.
enum SystemCall {
    /// Runs `body`, and again if a signal interrupts it; throws if it returns -1.
    static func check(
        _ operation: String, _ path: String, _ body: () -> Int
    ) throws(SystemError) -> Int {
        while true {
            let result = body()
            if result != -1 { return result }
            let code = Errno.last
            if code == .interrupted { continue }
            throw SystemError(code: code, operation: operation, path: path)
        }
    }

    /// Runs `body`, and again if a signal interrupts it; throws if it returns nil.
    @unsafe
    static func check<Pointee>(
        _ operation: String, _ path: String, _ body: () -> Pointee?
    ) throws(SystemError) -> Pointee {
        while true {
            if let result = body() { return result }
            let code = Errno.last
            if code == .interrupted { continue }
            throw SystemError(code: code, operation: operation, path: path)
        }
    }

    /// Refuses a path with a NUL, at which C would cut it off.
    static func refuseNUL(in path: String) throws(SystemError) {
        if unsafe strlen(path) < path.utf8.count {
            throw SystemError(code: .invalidArgument, operation: "open", path: Self.shown(path))
        }
    }

    /// Reads to the end; throws if there are more than `limit` bytes.
    static func readAll(
        _ descriptor: Int32, _ path: String, limit: Int, expecting size: Int = 65_535
    ) throws(SystemError) -> [UInt8] {
        // Bytes are read into their final place, as a copy of a secret would not be wiped.
        var result = [UInt8](repeating: 0, count: min(size, limit) + 1)
        var length = 0
        while true {
            if length > limit {
                throw SystemError(code: .fileTooLarge, operation: "read", path: path)
            }
            if length == result.count {
                let more = min(result.count, limit + 1 - length)
                result.append(contentsOf: [UInt8](repeating: 0, count: more))
            }
            let count = try check("read", path) {
                unsafe result.withUnsafeMutableBytes { buffer in
                    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[length...])
                    return unsafe read(descriptor, rest.baseAddress, rest.count)
                }
            }
            if count == 0 {
                result.removeLast(result.count - length)
                return result
            }
            length += count
        }
    }

    /// Writes all bytes, in as many calls as necessary.
    static func writeAll(
        _ descriptor: Int32, _ path: String, _ bytes: [UInt8]
    ) throws(SystemError) {
        try unsafe bytes.span.withUnsafeBytes { all throws(SystemError) in
            try unsafe writeAll(descriptor, path, all)
        }
    }

    /// Writes all bytes, in as many calls as necessary.
    static func writeAll(
        _ descriptor: Int32, _ path: String, _ bytes: UnsafeRawBufferPointer
    ) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            done += try check("write", path) {
                unsafe write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
            }
        }
    }

    private static func shown(_ path: String) -> String {
        String(path.prefix(64).map { $0 == "\0" ? "?" : $0 })
    }
}

/// A failed system call: the operation, the path and the error number.
package struct SystemError: Error, Hashable, Sendable {
    /// The error number.
    package let code: Errno
    /// The operation, as a verb: `open`, `rename`, `sync`.
    package let operation: String
    /// The path of the file, or a name such as `standard input`.
    package let path: String

    /// An error for a call that has just failed with `code`.
    package init(code: Errno, operation: String, path: String) {
        self.code = code
        self.operation = operation
        self.path = path
    }
}

extension SystemError: CustomStringConvertible {
    /// One line in lower case: the operation, the path and the reason.
    package var description: String {
        "cannot \(operation) \(path): \(code)"
    }
}

/// An error number of the operating system, which may be one without a name here.
package struct Errno: RawRepresentable, Hashable, Sendable {
    /// The number.
    package let rawValue: Int32

    /// Wraps a number as the system gave it.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The error number of this thread's last failed call.
    static var last: Errno { Errno(rawValue: errno) }

    /// No such file or folder.
    package static let noSuchFile = Errno(rawValue: ENOENT)
    /// The file or folder exists already.
    package static let fileExists = Errno(rawValue: EEXIST)
    /// The permissions forbid it.
    package static let permissionDenied = Errno(rawValue: EACCES)
    /// Only the owner may do this.
    package static let notPermitted = Errno(rawValue: EPERM)
    /// The file system is mounted read-only.
    package static let readOnlyFileSystem = Errno(rawValue: EROFS)
    /// No space is left on the device.
    package static let noSpace = Errno(rawValue: ENOSPC)
    /// The user's quota is used up.
    package static let quotaExceeded = Errno(rawValue: EDQUOT)
    /// The file is larger than a limit allows.
    package static let fileTooLarge = Errno(rawValue: EFBIG)
    /// A part of the path is not a folder.
    package static let notADirectory = Errno(rawValue: ENOTDIR)
    /// The path is a folder where a file was expected.
    package static let isADirectory = Errno(rawValue: EISDIR)
    /// The folder has entries.
    package static let directoryNotEmpty = Errno(rawValue: ENOTEMPTY)
    /// This process has as many files open as it may.
    package static let tooManyFiles = Errno(rawValue: EMFILE)
    /// All processes together have as many files open as the system lets them.
    package static let tooManyFilesInSystem = Errno(rawValue: ENFILE)
    /// There is no memory, or none that this process may have.
    package static let outOfMemory = Errno(rawValue: ENOMEM)
    /// The device failed to read or write.
    package static let inputOutput = Errno(rawValue: EIO)
    /// A signal interrupted the call.
    package static let interrupted = Errno(rawValue: EINTR)
    /// Another holder has the lock.
    package static let wouldBlock = Errno(rawValue: EWOULDBLOCK)
    /// The reader of a pipe has gone.
    package static let brokenPipe = Errno(rawValue: EPIPE)
    /// There is no such device, for example no terminal.
    package static let noSuchDevice = Errno(rawValue: ENXIO)
    /// An argument makes no sense to the system, for example a path with a NUL.
    package static let invalidArgument = Errno(rawValue: EINVAL)
    /// The file system can't do this.
    package static let notSupported = Errno(rawValue: EOPNOTSUPP)
    /// The system does not know the call.
    package static let notImplemented = Errno(rawValue: ENOSYS)
}

extension Errno {
    /// Our stable name of what the system refuses, the same wherever it is met; nil for the rest.
    package var reason: String? {
        switch self {
        case .permissionDenied, .notPermitted: "permissionDenied"
        case .readOnlyFileSystem: "storeReadOnly"
        case .noSpace, .quotaExceeded: "diskFull"
        case .inputOutput: "deviceFailed"
        case .tooManyFiles, .tooManyFilesInSystem: "tooManyFiles"
        case .outOfMemory: "outOfMemory"
        default: nil
        }
    }
}

extension Errno: CustomStringConvertible {
    /// The system's text, in lower case.
    package var description: String {
        guard let text = unsafe strerror(rawValue) else { return "error \(rawValue)" }
        return unsafe String(cString: text).lowercased()
    }
}

/// Random names for temporary files.
enum Hexadecimal {
    static func random(bytes count: Int) throws(SystemError) -> String {
        try Entropy.bytes(count).map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }
}
