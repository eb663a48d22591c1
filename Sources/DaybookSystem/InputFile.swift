internal import Glibc

/// A file that is read in pieces from its front on, as often as needed; closed when it goes.
package final class InputFile {
    private let file: Descriptor

    /// Opens a file; what can be read only once, such as a pipe, is refused.
    package init(_ path: String) throws(SystemError) {
        // Opening a pipe would wait for somebody who writes to it.
        file = try Descriptor(path, O_RDONLY | O_NONBLOCK)
        switch FileInformation(try file.information()).kind {
        case .file: break
        case .directory:
            throw SystemError(code: .isADirectory, operation: "read", path: path)
        default: throw SystemError(code: .invalidArgument, operation: "read", path: path)
        }
    }

    /// The next bytes, at most `count`; none at the end.
    package func read(upTo count: Int) throws(SystemError) -> [UInt8] {
        try file.readChunk(upTo: count)
    }

    /// Goes back to the first byte.
    package func rewind() throws(SystemError) {
        _ = try SystemCall.check("read", file.path) { Int(lseek(file.number, 0, SEEK_SET)) }
    }
}
