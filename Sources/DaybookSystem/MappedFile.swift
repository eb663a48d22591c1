internal import CLinux
internal import Glibc

/// The first bytes of an open file in memory, for reading: what any process writes shows there.
///
/// Reading beyond the file's end is a bus error: compare with `FileAccess.size` first. Safe because
/// the memory is mapped in `init`, given back in `deinit`, and never written to.
@safe
package final class MappedFile: Sendable {
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer
    /// How many bytes are mapped, of which the file may have fewer.
    package let count: Int

    /// Maps `count` bytes of a file that another component has opened.
    package init(_ descriptor: Int32, count: Int) throws(SystemError) {
        let start = unsafe mmap(nil, count, PROT_READ, MAP_SHARED | MAP_NORESERVE, descriptor, 0)
        guard let start = unsafe start, unsafe start != MAP_FAILED else {
            throw SystemError(code: .last, operation: "map", path: "an open file")
        }
        unsafe self.start = start
        self.count = count
    }

    /// Maps a regular file, which must not be empty and must not be cut off meanwhile.
    package convenience init(_ path: String) throws(SystemError) {
        let file = try Descriptor.regular(path)
        try self.init(file.number, count: Int(clamping: try file.information().st_size))
    }

    /// Calls `body` with the bytes.
    package func read<Value>(_ body: (RawSpan) -> Value) -> Value {
        unsafe body(bytes.bytes)
    }

    /// A copy of some bytes, which must be mapped.
    package func copy(_ range: Range<Int>) -> [UInt8] {
        read { bytes in
            unsafe bytes.extracting(range).withUnsafeBytes { unsafe [UInt8]($0) }
        }
    }

    deinit {
        unsafe munmap(start, count)
    }

    /// The bytes, for as long as this object lives.
    @unsafe package var bytes: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start, count: count)
    }
}

extension FileAccess {
    /// The size of a file that another component has opened.
    package static func size(_ descriptor: Int32) throws(SystemError) -> Int {
        var information = stat()
        _ = try SystemCall.check("inspect", "an open file") {
            unsafe Int(fstat(descriptor, &information))
        }
        return Int(information.st_size)
    }
}
