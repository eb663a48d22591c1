import COpenSSL

/// The one call of libcrypto behind `HMACSHA256` and `HMACSHA512`.
enum HMAC {
    static func authenticate(
        _ digest: String, length: Int, _ message: Span<UInt8>, key: borrowing SecretBytes
    ) -> SecretBytes {
        SecretBytes(count: length) { output in
            let code = unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe key.withBytes { key in
                    unsafe key.withUnsafeBufferPointer { key in
                        unsafe message.withUnsafeBufferPointer { message in
                            unsafe EVP_Q_mac(
                                nil, "HMAC", nil, digest, nil, key.baseAddress, key.count,
                                message.baseAddress, message.count,
                                output.baseAddress, output.count, nil)
                        }
                    }
                }
            }
            precondition(unsafe code != nil, "HMAC fails only when there is no memory left")
        }
    }
}
