internal import Glibc

/// The one place where results of system calls are checked and interrupted calls repeated.
enum SystemCall {
    /// Runs `body` again for as long as a signal interrupts it; -1 becomes an error.
    static func check(
        _ operation: String, _ path: String, _ body: () -> Int
    ) throws(SystemError) -> Int {
        while true {
            let result = body()
            if result != -1 { return result }
            let code = Errno.last
            if code == .interrupted { continue }
            throw SystemError(code: code, operation: operation, path: path)
        }
    }

    /// The same for calls that return a pointer: nil becomes an error.
    @unsafe
    static func check<Pointee>(
        _ operation: String, _ path: String, _ body: () -> Pointee?
    ) throws(SystemError) -> Pointee {
        while true {
            if let result = body() { return result }
            let code = Errno.last
            if code == .interrupted { continue }
            throw SystemError(code: code, operation: operation, path: path)
        }
    }

    /// C reads a path only up to its first NUL: another file than the one that was named.
    static func refuseNUL(in path: String) throws(SystemError) {
        if path.utf8.contains(0) {
            throw SystemError(code: .invalidArgument, operation: "open", path: Self.shown(path))
        }
    }

    /// Reads to the end; more than `limit` bytes are an error, not a shorter result.
    static func readAll(
        _ descriptor: Int32, _ path: String, limit: Int, expecting size: Int = 65_535
    ) throws(SystemError) -> [UInt8] {
        // Bytes are read to where they stay: a copy of a secret would be left behind unwiped.
        var result = [UInt8](repeating: 0, count: min(size, limit) + 1)
        var length = 0
        while true {
            if length > limit {
                throw SystemError(code: .fileTooLarge, operation: "read", path: path)
            }
            if length == result.count {
                let more = min(result.count, limit + 1 - length)
                result.append(contentsOf: [UInt8](repeating: 0, count: more))
            }
            let count = try check("read", path) {
                unsafe result.withUnsafeMutableBytes { buffer in
                    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[length...])
                    return unsafe read(descriptor, rest.baseAddress, rest.count)
                }
            }
            if count == 0 {
                result.removeLast(result.count - length)
                return result
            }
            length += count
        }
    }

    /// Writes everything, in as many calls as the system needs.
    static func writeAll(
        _ descriptor: Int32, _ path: String, _ bytes: [UInt8]
    ) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            done += try check("write", path) {
                unsafe bytes.withUnsafeBytes { all in
                    unsafe write(descriptor, all.baseAddress?.advanced(by: done), all.count - done)
                }
            }
        }
    }

    private static func shown(_ path: String) -> String {
        String(path.prefix(64).map { $0 == "\0" ? "?" : $0 })
    }
}
