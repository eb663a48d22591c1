/// Why an answer of a time stamp authority, a token or a certificate is refused.
package enum TimeStampError: Error, Equatable, Sendable {
    /// The bytes are more than an answer or a token may have.
    case tooLong(bytes: Int, limit: Int)
    /// The bytes are no answer of an authority.
    case notAnAnswer
    /// The authority refuses, in its own words or by the name of a reason.
    case refused(String)
    /// The bytes are no token.
    case notAToken
    /// The token's version is not 1.
    case unknownVersion
    /// The token's time is none, or before 1970.
    case malformedTime
    /// The token stamps something else.
    case otherImprint
    /// The token does not repeat the request's nonce: it was made for another request.
    case otherNonce
    /// The imprint or the signature is over a digest that is too weak or not known.
    case weakDigest(String)
    /// The token lacks its signer's certificate, or has several signers.
    case noSigner
    /// The signer's certificate does not lead to a given one.
    case otherRoot
    /// A certificate had expired when the stamp was made.
    case expired
    /// A certificate was not valid yet when the stamp was made.
    case notYetValid
    /// The signer's certificate, or that of an issuer, is not for time stamps.
    case otherPurpose
    /// A certificate has a key or a signature that is too weak.
    case weakCertificate
    /// A certificate is wrong in another way, with libcrypto's code.
    case certificate(Int32)
    /// The signature does not verify, or is not of the certificate that it names.
    case wrongSignature
    /// The text has no certificate, or one that can't be read.
    case malformedCertificates
    /// The text has more certificates than are taken.
    case tooManyCertificates(limit: Int)
}

extension TimeStampError: CustomStringConvertible {
    /// One line in lower case.
    package var description: String {
        switch self {
        case .tooLong(let bytes, let limit): "\(bytes) bytes, more than \(limit)"
        case .notAnAnswer: "not an answer of a time stamp authority"
        case .refused(let reason): "the authority refuses: \(reason)"
        case .notAToken: "not a time stamp token"
        case .unknownVersion: "the stamp is of another version than 1"
        case .malformedTime: "the stamp has no time that can be read"
        case .otherImprint: "the stamp is of something else"
        case .otherNonce: "the stamp was made for another request"
        case .weakDigest(let name): "the stamp's digest \(name) is too weak or unknown"
        case .noSigner: "the stamp lacks the certificate of one signer"
        case .otherRoot: "the signer's certificate does not lead to a given one"
        case .expired: "a certificate had expired at the stamp's time"
        case .notYetValid: "a certificate was not valid yet at the stamp's time"
        case .otherPurpose: "the signer's certificate is not for time stamps"
        case .weakCertificate: "a certificate has a key or a digest that is too weak"
        case .certificate(let code): "a certificate is wrong (libcrypto's code \(code))"
        case .wrongSignature: "the stamp's signature is wrong"
        case .malformedCertificates: "no certificates in PEM, or a malformed one"
        case .tooManyCertificates(let limit): "more than \(limit) certificates"
        }
    }
}
