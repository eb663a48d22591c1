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
