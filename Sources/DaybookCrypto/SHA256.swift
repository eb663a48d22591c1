internal import COpenSSL
package import DaybookEncoding

/// SHA-256 (FIPS 180-4): the log's tree, transaction ids, checksums.
package enum SHA256 {
    /// The digest's length in bytes.
    package static let length = 32

    /// The digest of some bytes.
    package static func hash(_ bytes: Bytes) -> Bytes {
        hash(bytes.span)
    }

    /// The digest of bytes that live elsewhere, without copying them first.
    package static func hash(_ bytes: Span<UInt8>) -> Bytes {
        unsafe Bytes(unsafeUninitializedCapacity: length) { output, count in
            let done = unsafe bytes.withUnsafeBufferPointer { input in
                unsafe daybook_sha256_once(input.baseAddress, input.count, output.baseAddress)
            }
            precondition(done == 1, "SHA-256 in software takes any bytes")
            count = length
        }
    }

    /// Writes the digest of a byte and what follows it, 32 bytes, into memory of the caller's.
    ///
    /// Nothing is allocated, which counts where there are two short hashes an event.
    package static func hash(
        _ first: UInt8, _ second: Span<UInt8>, _ third: Span<UInt8>,
        into digest: inout MutableSpan<UInt8>
    ) {
        precondition(digest.count == length, "a digest of SHA-256 has 32 bytes")
        let done = unsafe second.withUnsafeBufferPointer { second in
            unsafe third.withUnsafeBufferPointer { third in
                unsafe digest.withUnsafeMutableBufferPointer { output in
                    unsafe daybook_sha256(
                        first, second.baseAddress, second.count, third.baseAddress, third.count,
                        output.baseAddress)
                }
            }
        }
        precondition(done == 1, "SHA-256 in software takes any bytes")
    }

    /// Writes the digest of some bytes, 32 bytes, into memory of the caller's.
    static func hash(_ bytes: Span<UInt8>, into digest: inout MutableSpan<UInt8>) {
        precondition(digest.count == length, "a digest of SHA-256 has 32 bytes")
        let done = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe digest.withUnsafeMutableBufferPointer { output in
                unsafe daybook_sha256_once(input.baseAddress, input.count, output.baseAddress)
            }
        }
        precondition(done == 1, "SHA-256 in software takes any bytes")
    }

    /// The digest of the digest: transaction ids and checksums of Dash and Axe.
    package static func double(_ bytes: Bytes) -> Bytes {
        hash(hash(bytes))
    }
}
