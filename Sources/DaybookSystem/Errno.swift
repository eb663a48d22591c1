internal import Glibc

/// An error number of the operating system; numbers that we don't name survive.
package struct Errno: RawRepresentable, Hashable, Sendable {
    /// The number itself.
    package let rawValue: Int32

    /// Wraps a number as the system gave it.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// What the last failed call of this thread left behind.
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
    /// A signal came before the call was done.
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
