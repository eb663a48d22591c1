import COpenSSL
package import DaybookEncoding

/// Memory for a secret: one owner, never printed, compared in constant time, wiped in `deinit`.
///
/// Safe: the memory belongs to this value alone, is written by `init` alone and freed by `deinit`
/// alone, and no pointer leaves the closures. It is not locked into memory: `docs/THREAT_MODEL.md`.
@safe package struct SecretBytes: ~Copyable, Sendable {
    nonisolated(unsafe) private let memory: UnsafeMutableBufferPointer<UInt8>

    /// Zeroed memory of a size, which the closure fills.
    package init<Failure: Error>(
        count: Int, filling fill: (inout MutableSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
        unsafe memory.initialize(repeating: 0)
        do throws(Failure) {
            var span = unsafe memory.mutableSpan
            try fill(&span)
        } catch {
            unsafe Self.wipeAndFree(memory)
            throw error
        }
        unsafe self.memory = memory
    }

    /// The bytes of an array, which is wiped; the caller wipes other copies.
    package init(wiping source: inout Bytes) {
        self.init(copying: source.span)
        unsafe source.withUnsafeMutableBufferPointer { buffer in
            unsafe daybook_wipe(buffer.baseAddress, buffer.count)
        }
        source = []
    }

    /// The bytes of an array that stays as it is: for public test data and bytes read elsewhere.
    package init(copying source: Bytes) {
        self.init(copying: source.span)
    }

    /// The bytes of a span, copied.
    package init(copying source: Span<UInt8>) {
        self.init(count: source.count) { target in
            for index in source.indices {
                target[index] = source[index]
            }
        }
    }

    deinit {
        unsafe Self.wipeAndFree(memory)
    }

    /// How many bytes there are.
    package var count: Int { unsafe memory.count }

    /// Calls the closure with the bytes, which are valid only inside it.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe memory.span)
    }

    /// Whether two secrets are equal, in a time that depends only on their lengths.
    package func matches(_ other: borrowing SecretBytes) -> Bool {
        withBytes { mine in
            other.withBytes { theirs in ConstantTime.equal(mine, theirs) }
        }
    }

    /// A second secret with the same bytes, wiped on its own.
    package func copy() -> SecretBytes {
        withBytes { SecretBytes(copying: $0) }
    }

    private static func wipeAndFree(_ memory: UnsafeMutableBufferPointer<UInt8>) {
        unsafe daybook_wipe(memory.baseAddress, memory.count)
        unsafe memory.deallocate()
    }
}

extension SecretBytes {
    /// Calls the closure with the bytes as C's `char *` and their count.
    func withCharacters(_ body: (UnsafePointer<CChar>?, Int32) -> Int32) -> Int32 {
        withBytes { bytes in
            unsafe bytes.withUnsafeBytes { raw in
                let characters = unsafe raw.assumingMemoryBound(to: CChar.self)
                return unsafe body(characters.baseAddress, Int32(raw.count))
            }
        }
    }
}

/// Compares in a time that does not depend on where two values differ.
package enum ConstantTime {
    /// Whether two arrays are equal; the time depends only on the lengths.
    package static func equal(_ first: Bytes, _ second: Bytes) -> Bool {
        equal(first.span, second.span)
    }

    /// Whether two spans are equal; the time depends only on the lengths.
    package static func equal(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
        guard first.count == second.count else { return false }
        return unsafe first.withUnsafeBufferPointer { first in
            unsafe second.withUnsafeBufferPointer { second in
                unsafe CRYPTO_memcmp(first.baseAddress, second.baseAddress, first.count) == 0
            }
        }
    }
}
