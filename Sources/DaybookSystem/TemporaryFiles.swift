// The fields of `stat` belong to whichever of the two the compiler reads first.
internal import CLinux
internal import Glibc

/// A file that is written piece by piece and has its name only once it is complete and durable.
///
/// Until then it lies beside its place under a name that ends in `.new`, and goes with this value.
/// What a process that was killed left there goes when the same file is written again.
package final class NewFile {
    private let file: Descriptor
    private let path: String
    private var isComplete = false

    /// Begins the file that is to lie at a path; one that lies there already stays untouched.
    package init(_ path: String, mode: UInt32) throws(SystemError) {
        Self.removeLeftovers(of: path)
        file = try Self.begun(path, mode: mode_t(mode))
        self.path = path
        let (number, temporary) = (file.number, file.path)
        // The umask may have taken bits away that the caller asked for.
        _ = try SystemCall.check("protect", temporary) { Int(fchmod(number, mode_t(mode))) }
    }

    deinit {
        // Best effort: what is left over is a file of another name that nobody reads.
        if !isComplete { try? Files.remove(file.path) }
    }

    /// Removes what processes that were killed left of files that were to lie at a path.
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

    /// Adds bytes at the end.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try file.write(bytes)
    }

    /// Makes all bytes durable and gives the file its name.
    ///
    /// Without `replacing`, something that lies there by now is the error `fileExists`.
    package func complete(replacing: Bool) throws(SystemError) {
        try file.sync()
        if replacing {
            try Files.renameDurably(file.path, to: path)
        } else {
            try Files.renameDurably(file.path, toFree: path)
        }
        isComplete = true
    }
}

/// A folder for what nobody needs later, mode 0700, where the system keeps temporary files.
///
/// It goes with this value, and where a process was killed, when the next one makes such a folder.
package final class ScratchFolder {
    /// The folder's path.
    package let path: String
    private let folder: Descriptor

    private static let prefix = "daybook-scratch-"

    /// Makes the folder, in `$TMPDIR` or else `/tmp`.
    package init() throws(SystemError) {
        let place = EnvironmentVariables.value("TMPDIR") ?? "/tmp"
        Leftovers.remove(in: place, named: Self.prefix)
        folder = try Self.made(in: place)
        path = folder.path
    }

    deinit {
        // Best effort: the next such folder's making removes what is left.
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
                // Somebody took it for a leftover before it could be held.
                continue
            }
        }
    }
}

/// What ended processes left behind under temporary names.
///
/// Whoever makes such a file or folder locks it as long as it has that name, and the system takes
/// the lock from a process however that ends: what can be locked is nobody's.
enum Leftovers {
    /// Removes what is nobody's among the entries of a folder named `prefix`, 16 digits, `suffix`.
    ///
    /// Best effort: what can't be looked at or removed now is met again the next time.
    static func remove(in folder: String, named prefix: String, _ suffix: String = "") {
        guard let names = try? Files.list(folder) else { return }
        for name in names where matches(name, prefix, suffix) {
            try? removeUnlessHeld("\(folder)/\(name)")
        }
    }

    /// A temporary name, which nobody else has.
    static func name(_ prefix: String, _ suffix: String = "") throws(SystemError) -> String {
        prefix + (try Hexadecimal.random(bytes: 8)) + suffix
    }

    /// Holds what was just made; false if somebody took it for a leftover in that moment.
    static func hold(_ file: borrowing Descriptor) throws(SystemError) -> Bool {
        // Where the file system knows no locks, nothing is ever taken for a leftover either.
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
