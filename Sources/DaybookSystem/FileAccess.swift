internal import Glibc

/// Reading a file that somebody else has opened, at any place.
package enum FileAccess {
    /// The bytes from an offset on; fewer than `count` at the file's end.
    package static func read(
        _ descriptor: Int32, at offset: UInt64, count: Int
    ) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let length = try SystemCall.check("read", "an open file") {
                unsafe bytes.withUnsafeMutableBytes { all in
                    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: all[done...])
                    return unsafe pread(
                        descriptor, rest.baseAddress, rest.count,
                        off_t(clamping: offset + UInt64(done)))
                }
            }
            if length == 0 { break }
            done += length
        }
        bytes.removeLast(count - done)
        return bytes
    }
}
