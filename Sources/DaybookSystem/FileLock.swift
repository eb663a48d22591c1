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

    /// Takes the lock without waiting; fails with `wouldBlock` when another holder has it.
    package init(withoutWaiting path: String) throws(SystemError) {
        let file = try Descriptor(path, O_RDWR | O_CREAT, mode: 0o600)
        _ = try SystemCall.check("lock", path) { Int(flock(file.number, LOCK_EX | LOCK_NB)) }
        self.file = file
    }

    /// Locks a folder itself, waiting; leaves no file behind.
    package init(directory path: String) throws(SystemError) {
        let folder = try Descriptor(path, O_RDONLY | O_DIRECTORY)
        _ = try SystemCall.check("lock", path) { Int(flock(folder.number, LOCK_EX)) }
        file = folder
    }
}
