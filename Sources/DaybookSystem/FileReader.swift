internal import Glibc

/// Reads a file from front to back, a piece at a time, whatever its size.
package final class FileReader {
    private let file: Descriptor

    /// Opens a file that exists.
    package init(_ path: String) throws(SystemError) {
        file = try Descriptor(path, O_RDONLY)
    }

    /// The next bytes, at most `limit`; none at the end.
    package func next(_ limit: Int) throws(SystemError) -> [UInt8] {
        try file.readChunk(upTo: limit)
    }
}
