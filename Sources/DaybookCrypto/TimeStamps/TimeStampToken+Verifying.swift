internal import COpenSSL
package import DaybookEncoding

extension TimeStampToken {
    /// Verifies the signature, and that its certificates lead to a trusted one at the stamp's time.
    ///
    /// A certificate that expired later spoils nothing, and no clock is read. Whether one was
    /// revoked is not asked: that would need a network.
    package func verify(by trusted: TrustedCertificates) throws(TimeStampError) -> StampSigner {
        let message = try SignedMessage(bytes)
        guard let digest = message.signedDigest else { throw .noSigner }
        guard Self.digests.contains(digest) else { throw .weakDigest(digest) }
        let store = CertificateStore(try trusted.read(), seconds: time / 1_000_000)
        defer { ERR_clear_error() }
        let signer = try store.check(message)
        guard store.hasValidSignature(message) else { throw .wrongSignature }
        return signer
    }

    /// The digests that a signature may be over, by libcrypto's names.
    private static let digests: Set<String> = [
        "sha256", "sha384", "sha512", "sha512-256", "sha3-256", "sha3-384", "sha3-512",
    ]
}

/// The signer of a time stamp, as its certificate names it.
package struct StampSigner: Hashable, Sendable {
    /// The subject on one line (RFC 4514), with escaped control characters.
    package let name: String
    /// The SHA-256 of the certificate.
    package let certificate: Bytes
}

/// Certificates that somebody trusts for time stamps: roots, or issuers below them.
package struct TrustedCertificates: Equatable, Sendable {
    /// The most bytes of a file of certificates.
    package static let mostBytes = 1 << 20
    /// The most certificates, some times those of all authorities that browsers trust.
    package static let most = 1_000

    /// The text with the certificates.
    private let pem: Bytes

    /// Reads certificates in PEM; text around them is passed over.
    package init(pem: Bytes) throws(TimeStampError) {
        let limit = Self.mostBytes
        guard pem.count <= limit else { throw .tooLong(bytes: pem.count, limit: limit) }
        self.pem = pem
        _ = try read()
    }

    fileprivate func read() throws(TimeStampError) -> CertificateList {
        let list = CertificateList()
        let source = unsafe pem.withUnsafeBufferPointer { pem in
            unsafe BIO_new_mem_buf(pem.baseAddress, Int32(pem.count))
        }
        guard let source = unsafe source else { throw .malformedCertificates }
        defer {
            unsafe BIO_free(source)
            ERR_clear_error()
        }
        // A block that asks for a passphrase gets none: nobody is to be asked on a terminal.
        while let certificate = unsafe PEM_read_bio_X509(source, nil, { _, _, _, _ in -1 }, nil) {
            unsafe list.take(certificate)
            guard list.count <= Self.most else { throw .tooManyCertificates(limit: Self.most) }
        }
        // The text ends where no further block begins; any other reason is a malformed one.
        let isEnd = daybook_is_end_of_pem(ERR_peek_last_error()) == 1
        guard isEnd, list.count > 0 else { throw .malformedCertificates }
        return list
    }
}

/// Certificates in libcrypto.
///
/// Safe: the list has one owner, and frees the certificates that it was given in `deinit` alone.
@safe private struct CertificateList: ~Copyable {
    private let stack: OpaquePointer

    init() {
        guard let stack = unsafe OPENSSL_sk_new_null() else {
            preconditionFailure("a list is not made only when there is no memory left")
        }
        unsafe self.stack = stack
    }

    deinit {
        for index in 0..<count { unsafe X509_free(self[index]) }
        unsafe OPENSSL_sk_free(stack)
    }

    var count: Int32 { unsafe OPENSSL_sk_num(stack) }

    subscript(index: Int32) -> OpaquePointer? {
        unsafe OPENSSL_sk_value(stack, index).map { OpaquePointer($0) }
    }

    @unsafe func take(_ certificate: OpaquePointer) {
        let length = unsafe OPENSSL_sk_push(stack, UnsafeRawPointer(certificate))
        precondition(length > 0, "a list does not grow only when there is no memory left")
    }
}

/// Trusted certificates, as of a time, in libcrypto.
///
/// Safe: the store has one owner, is used under `borrowing` alone and is freed by `deinit`.
@safe private struct CertificateStore: ~Copyable {
    private let store: OpaquePointer

    init(_ trusted: borrowing CertificateList, seconds: UInt64) {
        guard let store = unsafe X509_STORE_new() else {
            preconditionFailure("a store is not made only when there is no memory left")
        }
        unsafe self.store = store
        for index in 0..<trusted.count {
            // The store counts one more reference.
            let done = unsafe X509_STORE_add_cert(store, trusted[index])
            precondition(done == 1, "a certificate is not added only when there is no memory left")
        }
        let rules = unsafe X509_STORE_get0_param(store)
        unsafe X509_VERIFY_PARAM_set_time(rules, Int(clamping: seconds))
        // An issuer that was given is trusted without its own. Below 112 bits of strength, as with
        // SHA-1 or 1024 bits of RSA, nothing counts.
        unsafe X509_VERIFY_PARAM_set_flags(rules, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        unsafe X509_VERIFY_PARAM_set_auth_level(rules, 2)
    }

    deinit {
        unsafe X509_STORE_free(store)
    }

    /// Checks that a message's only signer may stamp, and returns the signer.
    ///
    /// `TS_RESP_verify_signature` checks the same, but says only that something is wrong.
    borrowing func check(_ message: borrowing SignedMessage) throws(TimeStampError) -> StampSigner {
        guard let signers = unsafe PKCS7_get0_signers(message.pointer, nil, 0) else {
            throw .noSigner
        }
        defer { unsafe OPENSSL_sk_free(signers) }
        guard unsafe OPENSSL_sk_num(signers) == 1,
            let signer = unsafe OPENSSL_sk_value(signers, 0).map({ OpaquePointer($0) }),
            let context = unsafe X509_STORE_CTX_new()
        else { throw .noSigner }
        defer { unsafe X509_STORE_CTX_free(context) }
        let others = unsafe message.pointer.pointee.d.sign.pointee.cert
        let isChecked =
            unsafe X509_STORE_CTX_init(context, store, signer, others) == 1
            && X509_STORE_CTX_set_purpose(context, X509_PURPOSE_TIMESTAMP_SIGN) == 1
            && X509_verify_cert(context) == 1
        if !isChecked { throw TimeStampError(verifyCode: unsafe X509_STORE_CTX_get_error(context)) }
        return unsafe StampSigner(name: Self.name(of: signer), certificate: Self.digest(of: signer))
    }

    /// Whether a message's signature is valid, and of the certificate that it names in itself.
    borrowing func hasValidSignature(_ message: borrowing SignedMessage) -> Bool {
        unsafe TS_RESP_verify_signature(message.pointer, nil, store, nil) == 1
    }

    private static func digest(of certificate: OpaquePointer) -> Bytes {
        var digest = Bytes(repeating: 0, count: SHA256.length)
        let method = unsafe DigestAlgorithm.sha256.method
        let done = unsafe X509_digest(certificate, method, &digest, nil)
        precondition(done == 1, "a certificate that was read can be hashed")
        return digest
    }

    @unsafe private static func name(of certificate: OpaquePointer) -> String {
        guard let output = unsafe BIO_new(BIO_s_mem()) else { return "" }
        defer { unsafe BIO_free(output) }
        let subject = unsafe X509_get_subject_name(certificate)
        unsafe X509_NAME_print_ex(output, subject, 0, daybook_name_form)
        var name = Bytes(repeating: 0, count: mostNameBytes)
        let length = unsafe BIO_read(output, &name, Int32(name.count))
        return Text.utf8String(Bytes(name.prefix(max(Int(length), 0)))) ?? "?"
    }

    private static let mostNameBytes = 256
}

extension TimeStampError {
    /// The error for a code of X509_verify_cert (x509_vfy.h).
    init(verifyCode: Int32) {
        self =
            switch verifyCode {
            case X509_V_ERR_CERT_HAS_EXPIRED: .expired
            case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
            case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
                X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
                X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
                .otherRoot
            case X509_V_ERR_INVALID_PURPOSE, X509_V_ERR_INVALID_CA: .otherPurpose
            case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL,
                X509_V_ERR_CA_MD_TOO_WEAK:
                .weakCertificate
            default: .certificate(verifyCode)
            }
    }
}
