// The fields of `stat` belong to whichever of the two the compiler reads first.
internal import CLinux
internal import Glibc

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
