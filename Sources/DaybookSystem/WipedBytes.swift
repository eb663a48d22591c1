internal import CLinux

/// Bytes that may hold a secret, in one buffer, which is wiped when its last user lets it go.
///
/// Passing an array on can copy it, and nobody wipes the copy: whoever changes an array that is
/// also held elsewhere changes a copy of it. This class has no copies. Texts to a door and from
/// it are such bytes, until a call's secrets are taken out of them.
///
/// Safe because the memory belongs to this value alone, no pointer leaves the closures, and whoever
/// reads or changes it holds the monitor.
@safe
package final class WipedBytes: Sendable {
    @safe
    private struct Memory: Sendable {
        nonisolated(unsafe) let buffer: UnsafeMutableRawBufferPointer
        var count = 0

        init(_ capacity: Int) {
            unsafe buffer = .allocate(byteCount: max(capacity, 1), alignment: 1)
        }

        /// Makes room for more bytes, and wipes the memory that they move out of.
        mutating func reserve(_ more: Int) {
            guard unsafe count + more > buffer.count else { return }
            var longer = unsafe Memory(max(2 * buffer.count, count + more))
            unsafe longer.buffer.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            longer.count = count
            free()
            self = longer
        }

        func wipe() { unsafe buffer.wipe() }

        func free() {
            wipe()
            unsafe buffer.deallocate()
        }
    }

    private let memory: Monitor<Memory>

    /// No bytes, with room for some.
    package init(capacity: Int = 0) {
        memory = Monitor(Memory(capacity))
    }

    /// A copy of bytes that need not be wiped.
    package convenience init(copying bytes: [UInt8]) {
        self.init(capacity: bytes.count)
        unsafe bytes.withUnsafeBytes { unsafe append($0) }
    }

    deinit { memory.change { $0.free() } }

    /// How many bytes there are.
    package var count: Int { memory.change { $0.count } }

    /// Appends bytes.
    package func append(_ bytes: UnsafeRawBufferPointer) {
        memory.change { memory in
            memory.reserve(bytes.count)
            let rest = unsafe UnsafeMutableRawBufferPointer(
                rebasing: memory.buffer[memory.count...])
            unsafe rest.copyMemory(from: bytes)
            memory.count += bytes.count
        }
        daybook_wipe_traces()
    }

    /// Appends bytes that need not be wiped.
    package func append(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe append($0) }
    }

    /// Appends a copy of other bytes.
    package func append(_ other: WipedBytes) {
        other.withBytes { unsafe $0.withUnsafeBytes { unsafe append($0) } }
    }

    /// Appends a byte.
    package func append(_ byte: UInt8) {
        memory.change { memory in
            memory.reserve(1)
            unsafe memory.buffer[memory.count] = byte
            memory.count += 1
        }
    }

    /// Removes bytes at the end, but not from memory.
    package func removeLast(_ count: Int) {
        memory.change { $0.count -= min(count, $0.count) }
    }

    /// Calls the closure with the bytes, which are valid only inside it.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try memory.change { memory throws(Failure) in
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: memory.buffer[..<memory.count])
            return try body(unsafe bytes.assumingMemoryBound(to: UInt8.self).span)
        }
    }

    /// Calls the closure with the bytes, which it may overwrite.
    package func overwrite<Result, Failure: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try memory.change { memory throws(Failure) in
            let bytes = unsafe UnsafeMutableRawBufferPointer(
                rebasing: memory.buffer[..<memory.count])
            var span = unsafe bytes.assumingMemoryBound(to: UInt8.self).mutableSpan
            return try body(&span)
        }
    }

    /// The bytes as an array, which nobody wipes: for what holds no secret any more.
    package func unprotected() -> [UInt8] {
        withBytes { span in span.indices.map { span[$0] } }
    }

    /// Overwrites and forgets the bytes at once.
    package func wipe() {
        memory.change { memory in
            memory.wipe()
            memory.count = 0
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Overwrites the bytes, which may hold a secret, and their traces on this thread.
    func wipe() {
        unsafe daybook_wipe(baseAddress, count)
    }
}
