internal import Glibc

/// Reads a file from front to back, a piece at a time, whatever its size.
package final class FileReader {
    private let file: Descriptor

    /// Opens a file that exists; what can be read only once, such as a pipe, is refused.
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

    /// The next bytes, at most `limit`; none at the end.
    package func next(_ limit: Int) throws(SystemError) -> [UInt8] {
        try file.readChunk(upTo: limit)
    }
}
