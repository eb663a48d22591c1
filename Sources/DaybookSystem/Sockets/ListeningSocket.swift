internal import CLinux
internal import Glibc

/// A Unix socket that listens for clients; its file is removed at the end.
package final class ListeningSocket: Sendable {
    /// Why a socket can't be opened.
    package enum Failure: Error, Equatable, Sendable {
        /// Another server answers there.
        case inUse(path: String)
        /// Something that is no socket lies there.
        case notASocket(path: String)
        /// The path has more bytes than the system has room for.
        case tooLong(path: String)
        /// The service manager passed not one socket, but so many.
        case passedOthers(count: Int)
        /// The service manager passed something else than a Unix socket that listens.
        case passedNoSocket
        /// The system refuses.
        case system(SystemError)
    }

    /// The longest path in bytes: unix(7) has 108, of which the last is zero.
    package static let longestPath = 107

    let descriptor: Int32
    /// The path; nil for a socket that the service manager passed.
    package let path: String?
    /// Held while this process serves, so that two servers never take turns at one path.
    private let lock: Lock?

    /// Opens a socket at a path, mode 0600; a file that a dead server left is replaced.
    package init(at path: String) throws(Failure) {
        if path.utf8.count > Self.longestPath { throw .tooLong(path: path) }
        lock = try Lock(path + ".lock", for: path)
        if let there = try Self.system({ () throws(SystemError) in
            try SystemCall.refuseNUL(in: path)
            return try Files.information(path)
        }) {
            guard there.kind == .socket else { throw .notASocket(path: path) }
            let served = try Self.system { () throws(SystemError) in
                try SystemCall.check("connect to", path) { Int(unsafe daybook_is_served(path)) }
            }
            if served == 1 { throw .inUse(path: path) }
            try Self.system { () throws(SystemError) in try Files.remove(path) }
        }
        descriptor = Int32(
            truncatingIfNeeded: try Self.system { () throws(SystemError) in
                try SystemCall.check("listen at", path) { Int(unsafe daybook_listen(path)) }
            })
        self.path = path
    }

    private static func system<Value>(
        _ body: () throws(SystemError) -> Value
    ) throws(Failure) -> Value {
        do throws(SystemError) {
            return try body()
        } catch {
            throw .system(error)
        }
    }

    /// The socket that the service manager passed, as sd_listen_fds(3) says; nil if it passed none.
    package static func passed() throws(Failure) -> ListeningSocket? {
        guard EnvironmentVariables.value("LISTEN_PID") == String(getpid()),
            let count = EnvironmentVariables.value("LISTEN_FDS").flatMap({ Int($0) })
        else { return nil }
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsafe unsetenv(name) }
        guard count == 1 else { throw .passedOthers(count: count) }
        guard daybook_is_listening(firstPassed) != 0 else { throw .passedNoSocket }
        _ = fcntl(firstPassed, F_SETFD, FD_CLOEXEC)
        _ = fcntl(firstPassed, F_SETFL, O_NONBLOCK)
        return ListeningSocket(passed: firstPassed)
    }

    /// SD_LISTEN_FDS_START.
    private static let firstPassed: Int32 = 3

    private init(passed descriptor: Int32) {
        self.descriptor = descriptor
        path = nil
        lock = nil
    }

    deinit {
        _ = close(descriptor)
        // Removed while the lock is held, so that it is no other server's.
        if let path { unsafe unlink(path) }
    }

    /// A lock file, which stays; a class, because a copyable type can't hold `FileLock`.
    private final class Lock: Sendable {
        private let lock: FileLock

        init(_ file: String, for path: String) throws(Failure) {
            do throws(SystemError) {
                lock = try FileLock(withoutWaiting: file, byte: 0)
            } catch {
                throw error.code == .wouldBlock ? .inUse(path: path) : .system(error)
            }
        }
    }
}
