internal import Glibc

/// Random bytes from the kernel, good enough for keys.
package enum Entropy {
    /// `count` bytes of `getentropy(3)`; waits only while the machine has just been started.
    package static func bytes(_ count: Int) throws(SystemError) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            // More than 256 bytes a call are refused by the C library.
            let length = min(256, count - done)
            _ = try SystemCall.check("read", "random bytes") {
                unsafe result.withUnsafeMutableBytes { all in
                    guard let start = all.baseAddress else { return 0 }
                    return Int(unsafe getentropy(start.advanced(by: done), length))
                }
            }
            done += length
        }
        return result
    }
}
