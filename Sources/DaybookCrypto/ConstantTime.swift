import COpenSSL
package import DaybookEncoding

/// Comparison that does not tell by its duration where two values differ.
package enum ConstantTime {
    /// Whether two arrays are the same; only the lengths influence the time.
    package static func equal(_ first: Bytes, _ second: Bytes) -> Bool {
        equal(first.span, second.span)
    }

    /// Whether two runs of bytes are the same; only the lengths influence the time.
    package static func equal(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
        guard first.count == second.count else { return false }
        return unsafe first.withUnsafeBufferPointer { first in
            unsafe second.withUnsafeBufferPointer { second in
                unsafe CRYPTO_memcmp(first.baseAddress, second.baseAddress, first.count) == 0
            }
        }
    }
}
