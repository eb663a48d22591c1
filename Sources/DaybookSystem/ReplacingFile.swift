internal import Glibc

/// A file written piece by piece, which takes its name only when it is whole and durable.
///
/// Until then, and when it is never finished, what had the name before stays as it was.
package final class ReplacingFile {
    private let path: String
    private let temporary: String
    private let file: Descriptor
    private var isFinished = false
    /// How many bytes were written.
    package private(set) var count = 0

    /// Begins a file in place of what may lie at a path, which must be a file if anything does.
    package init(_ path: String, mode: UInt32) throws(SystemError) {
        if let there = try Files.information(path), there.kind != .file {
            throw SystemError(code: .fileExists, operation: "replace", path: path)
        }
        self.path = path
        temporary = "\(path).\(try Hexadecimal.random(bytes: 8)).new"
        file = try Descriptor(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: mode_t(mode))
    }

    /// Writes the next bytes.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try file.write(bytes)
        count += bytes.count
    }

    /// Gives the file its name, durably.
    package func finish() throws(SystemError) {
        try file.sync()
        try Files.renameDurably(temporary, to: path)
        isFinished = true
    }

    deinit {
        // Best effort: what is left over is a file of another name that nobody reads.
        if !isFinished { try? Files.remove(temporary) }
    }
}
