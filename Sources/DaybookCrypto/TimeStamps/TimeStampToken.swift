internal import COpenSSL
package import DaybookEncoding

/// A time stamp token (RFC 3161, section 2.4.2), read by libcrypto.
///
/// It says something, and nobody has verified its signature: `TimeStampToken.verify` does.
package struct TimeStampToken: Equatable, Sendable {
    /// The most bytes of a token, and of an answer with one; usual ones have 3 to 8 KB.
    package static let mostBytes = 64 << 10

    /// The token in DER.
    package let bytes: Bytes
    /// When it was made, by the authority's clock, in microseconds since 1970.
    package let time: UInt64
    /// The SHA-256 of the stamped text.
    let digest: Bytes
    /// The nonce of the request, as the content of an integer in DER.
    let nonce: Bytes?

    /// Reads a token.
    package init(_ bytes: Bytes) throws(TimeStampError) {
        let message = try SignedMessage(bytes)
        let content = try TokenContent(message)
        guard content.version == 1 else { throw .unknownVersion }
        let algorithm = content.imprintAlgorithm
        guard Text.equal(algorithm, "sha256") else { throw .weakDigest(algorithm) }
        guard let time = Self.time(content.time) else { throw .malformedTime }
        self.bytes = bytes
        self.time = time
        digest = content.imprint
        nonce = content.nonce
    }

    /// Reads an authority's answer to a request, and checks that its token is the requested one.
    package init(answer: Bytes, to request: TimeStampRequest) throws(TimeStampError) {
        let answer = try AuthorityAnswer(answer)
        if let refusal = answer.refusal { throw .refused(refusal) }
        try self.init(try answer.token())
        try check(isOf: request.digest)
        guard nonce == TimeStampRequest.integer(request.nonce) else { throw .otherNonce }
    }

    /// Throws unless it stamps the text with this SHA-256.
    package func check(isOf digest: Bytes) throws(TimeStampError) {
        guard digest == self.digest else { throw .otherImprint }
    }

    /// Reads `20260131235959.123Z`; RFC 3161 allows no other zone.
    static func time(_ text: Bytes) -> UInt64? {
        guard text.count >= 15, text.last == UInt8(ascii: "Z"),
            let text = Text.utf8String(Bytes(text.dropLast()))
        else { return nil }
        let digits = Array(text.prefix(14)).map(String.init)
        let date = [digits[0..<4], digits[4..<6], digits[6..<8]].map { $0.joined() }
        let clock = [digits[8..<10], digits[10..<12], digits[12..<14]].map { $0.joined() }
        // Parts of a microsecond are nobody's.
        let fraction = text.dropFirst(14).prefix(7)
        return Timestamp.parse(
            "\(date.joined(separator: "-"))T\(clock.joined(separator: ":"))\(fraction)")
    }
}

/// A signed message of libcrypto (PKCS #7), such as a token is.
///
/// Safe: it has one owner, is never changed and is freed by `deinit` alone. Its answers are
/// copies, or live as long as it does.
@safe struct SignedMessage: ~Copyable {
    let pointer: UnsafeMutablePointer<PKCS7>

    init(_ bytes: Bytes) throws(TimeStampError) {
        let limit = TimeStampToken.mostBytes
        guard bytes.count <= limit else { throw .tooLong(bytes: bytes.count, limit: limit) }
        let read = unsafe bytes.withUnsafeBufferPointer { bytes in
            var next = bytes.baseAddress
            let message = unsafe d2i_PKCS7(nil, &next, bytes.count)
            // Nothing may follow it.
            if unsafe next == bytes.baseAddress.map({ unsafe $0 + bytes.count }) {
                return unsafe message
            }
            unsafe PKCS7_free(message)
            return unsafe nil as UnsafeMutablePointer<PKCS7>?
        }
        ERR_clear_error()
        guard let read = unsafe read else { throw .notAToken }
        unsafe pointer = read
    }

    deinit {
        unsafe PKCS7_free(pointer)
    }

    /// The name of the digest that its only signer has signed.
    var signedDigest: String? {
        guard let signers = unsafe PKCS7_get_signer_info(pointer),
            unsafe OPENSSL_sk_num(signers) == 1,
            let signer = unsafe OPENSSL_sk_value(signers, 0)?.assumingMemoryBound(
                to: PKCS7_SIGNER_INFO.self)
        else { return nil }
        return unsafe AlgorithmName.text(of: signer.pointee.digest_alg)
    }
}

/// The content of a token (`TSTInfo`) in libcrypto.
///
/// Safe: it has one owner, is never changed and is freed by `deinit` alone; all is copied out.
@safe struct TokenContent: ~Copyable {
    private let pointer: OpaquePointer

    init(_ message: borrowing SignedMessage) throws(TimeStampError) {
        let content = unsafe PKCS7_to_TS_TST_INFO(message.pointer)
        ERR_clear_error()
        guard let content = unsafe content else { throw .notAToken }
        unsafe pointer = content
    }

    deinit {
        unsafe TS_TST_INFO_free(pointer)
    }

    var version: Int { unsafe TS_TST_INFO_get_version(pointer) }

    /// The name of the digest of what is stamped.
    var imprintAlgorithm: String {
        unsafe AlgorithmName.text(of: TS_MSG_IMPRINT_get_algo(TS_TST_INFO_get_msg_imprint(pointer)))
    }

    var imprint: Bytes {
        unsafe StringBytes.copy(TS_MSG_IMPRINT_get_msg(TS_TST_INFO_get_msg_imprint(pointer)))
    }

    /// The time as it is written.
    var time: Bytes { unsafe StringBytes.copy(TS_TST_INFO_get_time(pointer)) }

    /// The nonce, as the content of an integer in DER.
    var nonce: Bytes? {
        guard let nonce = unsafe TS_TST_INFO_get_nonce(pointer) else { return nil }
        var number: UInt64 = 0
        let isSmall = unsafe ASN1_INTEGER_get_uint64(&number, nonce) == 1
        ERR_clear_error()
        return isSmall ? TimeStampRequest.integer(number) : unsafe StringBytes.copy(nonce)
    }
}

/// An authority's answer (`TimeStampResp`) in libcrypto.
///
/// Safe: it has one owner, is never changed and is freed by `deinit` alone; all is copied out.
@safe struct AuthorityAnswer: ~Copyable {
    private let pointer: OpaquePointer

    init(_ bytes: Bytes) throws(TimeStampError) {
        let limit = TimeStampToken.mostBytes
        guard bytes.count <= limit else { throw .tooLong(bytes: bytes.count, limit: limit) }
        let answer = unsafe bytes.withUnsafeBufferPointer { bytes in
            var next = bytes.baseAddress
            return unsafe d2i_TS_RESP(nil, &next, bytes.count)
        }
        ERR_clear_error()
        guard let answer = unsafe answer else { throw .notAnAnswer }
        unsafe pointer = answer
    }

    deinit {
        unsafe TS_RESP_free(pointer)
    }

    /// The authority's reason for giving no token; nil if the status says that there is one.
    var refusal: String? {
        guard let status = unsafe TS_RESP_get_status_info(pointer) else { return "no status" }
        var number: Int64 = -1
        let isNumber = unsafe ASN1_INTEGER_get_int64(&number, TS_STATUS_INFO_get0_status(status))
        ERR_clear_error()
        // Granted, or granted with modifications: the token is checked either way.
        if isNumber == 1, number == 0 || number == 1 { return nil }
        let texts = unsafe TS_STATUS_INFO_get0_text(status)
        let lines = unsafe (0..<max(OPENSSL_sk_num(texts), 0)).compactMap { index in
            unsafe OPENSSL_sk_value(texts, index).flatMap { line in
                unsafe Text.utf8String(
                    StringBytes.copy(UnsafePointer(line.assumingMemoryBound(to: ASN1_STRING.self))))
            }
        }
        if !lines.isEmpty { return lines.joined(separator: "; ") }
        let bits = unsafe TS_STATUS_INFO_get0_failure_info(status)
        let reason = Self.reasons.first { unsafe ASN1_BIT_STRING_get_bit(bits, $0.bit) == 1 }
        return reason?.name ?? "status \(number)"
    }

    /// The token in DER.
    func token() throws(TimeStampError) -> Bytes {
        guard let token = unsafe TS_RESP_get_token(pointer) else { throw .notAnAnswer }
        let length = Int(unsafe i2d_PKCS7(token, nil))
        guard length > 0 else { throw .notAnAnswer }
        return unsafe Bytes(unsafeUninitializedCapacity: length) { output, count in
            var next = output.baseAddress
            count = max(Int(unsafe i2d_PKCS7(token, &next)), 0)
        }
    }

    /// The bits of `PKIFailureInfo` that RFC 3161 uses.
    private static let reasons: [(bit: Int32, name: String)] = [
        (0, "badAlg"), (2, "badRequest"), (5, "badDataFormat"), (14, "timeNotAvailable"),
        (15, "unacceptedPolicy"), (16, "unacceptedExtension"), (17, "addInfoNotAvailable"),
        (25, "systemFailure"),
    ]
}

/// Names of algorithms in libcrypto.
private enum AlgorithmName {
    /// Such as `sha256`, or numbers with dots for an algorithm that libcrypto does not know.
    @unsafe static func text(of algorithm: UnsafeMutablePointer<X509_ALGOR>?) -> String {
        guard let algorithm = unsafe algorithm else { return "none" }
        var name = [CChar](repeating: 0, count: 81)
        let length = unsafe OBJ_obj2txt(
            &name, Int32(name.count), unsafe algorithm.pointee.algorithm, 0)
        let bytes = name.prefix(min(max(Int(length), 0), 80)).map { UInt8(bitPattern: $0) }
        return Text.utf8String(bytes) ?? "unknown"
    }
}

/// The bytes of strings of ASN.1 in libcrypto.
enum StringBytes {
    @unsafe static func copy(_ string: UnsafePointer<ASN1_STRING>?) -> Bytes {
        guard let string = unsafe string, let first = unsafe ASN1_STRING_get0_data(string) else {
            return []
        }
        let count = Int(unsafe ASN1_STRING_length(string))
        return unsafe Bytes(UnsafeBufferPointer(start: first, count: count))
    }
}
