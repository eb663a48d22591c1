internal import Glibc

/// A file that is written piece by piece and has its name only once it is complete and durable.
///
/// Until then it lies beside its place under a name that ends in `.new`, and goes with this value.
package final class NewFile {
    private let file: Descriptor
    private let path: String
    private var isComplete = false

    /// Begins the file that is to lie at a path; one that lies there already stays untouched.
    package init(_ path: String, mode: UInt32) throws(SystemError) {
        let temporary = "\(path).\(try Hexadecimal.random(bytes: 8)).new"
        file = try Descriptor(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: mode_t(mode))
        self.path = path
        // The umask may have taken bits away that the caller asked for.
        _ = try SystemCall.check("protect", temporary) { Int(fchmod(file.number, mode_t(mode))) }
    }

    deinit {
        // Best effort: what is left over is a file of another name that nobody reads.
        if !isComplete { try? Files.remove(file.path) }
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
