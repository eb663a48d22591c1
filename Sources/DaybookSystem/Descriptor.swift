internal import Glibc

/// An open file; closed when its owner goes. Every call is repeated when a signal cuts it short.
struct Descriptor: ~Copyable {
    let number: Int32
    let path: String

    init(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(SystemError) {
        try SystemCall.refuseNUL(in: path)
        number = try SystemCall.check("open", path) {
            Int(unsafe open(path, flags | O_CLOEXEC, mode))
        }.asDescriptor
        self.path = path
    }

    deinit {
        // Nothing is lost when closing fails: what had to be durable was synced before.
        _ = close(number)
    }

    func information() throws(SystemError) -> stat {
        var result = stat()
        _ = try SystemCall.check("inspect", path) { unsafe Int(fstat(number, &result)) }
        return result
    }

    func readAll(limit: Int) throws(SystemError) -> [UInt8] {
        // A pipe has no size, and says zero.
        let size = Int(clamping: try information().st_size)
        return try SystemCall.readAll(
            number, path, limit: limit, expecting: size > 0 ? size : 65_535)
    }

    /// The next bytes, at most `count`; none at the end.
    func readChunk(upTo count: Int) throws(SystemError) -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: count)
        let length = try SystemCall.check("read", path) {
            unsafe chunk.withUnsafeMutableBytes {
                unsafe read(number, $0.baseAddress, $0.count)
            }
        }
        chunk.removeLast(count - length)
        return chunk
    }

    func write(_ bytes: [UInt8]) throws(SystemError) {
        try SystemCall.writeAll(number, path, bytes)
    }

    func sync() throws(SystemError) {
        _ = try SystemCall.check("sync", path) { Int(fsync(number)) }
    }
}

extension Int {
    /// The result of `open`: what the system hands out as a descriptor fits 32 bits.
    fileprivate var asDescriptor: Int32 { Int32(truncatingIfNeeded: self) }
}
