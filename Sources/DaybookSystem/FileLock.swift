internal import CLinux
internal import Glibc

/// An advisory lock on a file, held until this value goes or the process ends, however it ends.
package struct FileLock: ~Copyable {
    private let file: Descriptor

    /// Waits until no other holder has the lock; makes the file, mode 0600, if it is missing.
    package init(_ path: String) throws(SystemError) {
        let file = try Descriptor(path, O_RDWR | O_CREAT, mode: 0o600)
        _ = try SystemCall.check("lock", path) { Int(flock(file.number, LOCK_EX)) }
        self.file = file
    }

    /// Takes one byte of a file without waiting; fails with `wouldBlock` when another has it.
    ///
    /// The bytes need not be there: each is a lock of its own.
    package init(withoutWaiting path: String, byte: UInt64) throws(SystemError) {
        let file = try Descriptor(path, O_RDWR | O_CREAT, mode: 0o600)
        let place = Int(clamping: byte)
        _ = try SystemCall.check("lock", path) { Int(daybook_lock_byte(file.number, place)) }
        self.file = file
    }

    /// Locks a folder itself, waiting; leaves no file behind.
    package init(directory path: String) throws(SystemError) {
        let folder = try Descriptor(path, O_RDONLY | O_DIRECTORY)
        _ = try SystemCall.check("lock", path) { Int(flock(folder.number, LOCK_EX)) }
        file = folder
    }
}
