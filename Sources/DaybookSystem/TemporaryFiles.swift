// The fields of `stat` belong to whichever of the two the compiler reads first.
internal import CLinux
internal import Glibc

/// A new file that is written in pieces, and gets its name only once it is complete and durable.
///
/// Until then it has a temporary name beside its path, ending in `.new`, and is deleted with this
/// value. The next process that writes the same file deletes those of killed processes.
package final class NewFile {
    private let file: Descriptor
    private let path: String
    private var isComplete = false

    /// Begins a file for a path; an existing file there stays as it is until the commit.
    package init(_ path: String, mode: UInt32) throws(SystemError) {
        Self.removeLeftovers(of: path)
        file = try Self.begun(path, mode: mode_t(mode))
        self.path = path
        let (number, temporary) = (file.number, file.path)
        // The umask may have removed bits of the mode.
        _ = try SystemCall.check("protect", temporary) { Int(fchmod(number, mode_t(mode))) }
    }

    deinit {
        // Best effort: a leftover has another name and is never read.
        if !isComplete { try? Files.remove(file.path) }
    }

    /// Removes the temporary files for a path that killed processes left.
    package static func removeLeftovers(of path: String) {
        Leftovers.remove(in: Files.parent(of: path), named: Files.name(of: path) + ".", ".new")
    }

    private static func begun(_ path: String, mode: mode_t) throws(SystemError) -> Descriptor {
        while true {
            let temporary = try Leftovers.name(path + ".", ".new")
            let file = try Descriptor(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: mode)
            if try Leftovers.hold(file) { return file }
        }
    }

    /// Appends bytes.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try file.write(bytes)
    }

    /// Makes all bytes durable and gives the file its name, or another one in the same folder.
    ///
    /// Without `replacing`, something that lies there by now is the error `fileExists`.
    package func complete(
        replacing: Bool, as name: String? = nil
    ) throws(SystemError) {
        let path = name ?? path
        try file.sync()
        if replacing {
            try Files.renameDurably(file.path, to: path)
        } else {
            try Files.renameDurably(file.path, toFree: path)
        }
        isComplete = true
    }
}

/// A temporary folder with mode 0700, deleted with this value.
///
/// The next process that creates such a folder deletes those of killed processes.
package final class ScratchFolder {
    /// The folder's path.
    package let path: String
    private let folder: Descriptor

    private static let prefix = "daybook-scratch-"

    private static let memory = "/dev/shm"

    /// Creates the folder in `$TMPDIR`, or else in `/tmp`; or in memory, if the system allows it.
    package init(inMemory: Bool = false) throws(SystemError) {
        let hasMemory = unsafe inMemory && access(Self.memory, W_OK | X_OK) == 0
        let place = hasMemory ? Self.memory : EnvironmentVariables.value("TMPDIR") ?? "/tmp"
        Leftovers.remove(in: place, named: Self.prefix)
        folder = try Self.made(in: place)
        path = folder.path
    }

    deinit {
        // Best effort: the next process removes leftovers.
        try? Files.removeTree(path)
    }

    private static func made(in place: String) throws(SystemError) -> Descriptor {
        while true {
            let path = try Leftovers.name("\(place)/\(prefix)")
            try Files.createDirectory(path, mode: 0o700)
            do throws(SystemError) {
                let folder = try Descriptor(path, O_RDONLY | O_DIRECTORY)
                if try Leftovers.hold(folder) { return folder }
            } catch where error.code == .noSuchFile {
                // Another process removed it as a leftover before it was locked.
                continue
            }
        }
    }
}

/// Removes temporary files and folders of ended processes.
///
/// A process locks its temporary files as long as they have that name, and the system releases the
/// locks when the process ends. So a temporary file that can be locked is a leftover.
enum Leftovers {
    /// Removes the leftovers in a folder that are named `prefix`, 16 digits, `suffix`.
    ///
    /// Best effort: a leftover that can't be removed now is tried again the next time.
    static func remove(in folder: String, named prefix: String, _ suffix: String = "") {
        guard let names = try? Files.list(folder) else { return }
        for name in names where matches(name, prefix, suffix) {
            try? removeUnlessHeld("\(folder)/\(name)")
        }
    }

    /// A unique temporary name.
    static func name(_ prefix: String, _ suffix: String = "") throws(SystemError) -> String {
        prefix + (try Hexadecimal.random(bytes: 8)) + suffix
    }

    /// Locks a new temporary file; false if another process removed it as a leftover.
    static func hold(_ file: borrowing Descriptor) throws(SystemError) -> Bool {
        // Where the file system has no locks, nothing is ever removed as a leftover.
        _ = flock(file.number, LOCK_EX)
        return try file.information().st_nlink > 0
    }

    private static func removeUnlessHeld(_ path: String) throws(SystemError) {
        let file = try Descriptor(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        guard try file.information().st_uid == geteuid() else { return }
        _ = try SystemCall.check("lock", path) { Int(flock(file.number, LOCK_EX | LOCK_NB)) }
        try Files.removeTree(path)
    }

    private static func matches(_ name: String, _ prefix: String, _ suffix: String) -> Bool {
        let name = Array(name.utf8)
        let (prefix, suffix) = (Array(prefix.utf8), Array(suffix.utf8))
        guard name.count == prefix.count + 16 + suffix.count, name.starts(with: prefix),
            name.suffix(suffix.count).elementsEqual(suffix)
        else { return false }
        return name[prefix.count..<prefix.count + 16].allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
    }
}
