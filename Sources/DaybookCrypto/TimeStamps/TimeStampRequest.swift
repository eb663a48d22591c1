package import DaybookEncoding

/// A request for a time stamp of a digest (RFC 3161, section 2.4.1).
///
/// It asks for the certificates too, so that the token can be verified with a root alone.
package struct TimeStampRequest: Sendable {
    /// The media type of a request (RFC 3161, section 3.4).
    package static let mediaType = "application/timestamp-query"
    /// The media type of an answer.
    package static let answerType = "application/timestamp-reply"

    /// The SHA-256 of the stamped text.
    package let digest: Bytes
    /// The number that the answer must repeat, so that it is no older one.
    package let nonce: UInt64

    package init(digest: Bytes, nonce: UInt64) {
        precondition(digest.count == SHA256.length, "a stamp is of a SHA-256")
        self.digest = digest
        self.nonce = nonce
    }

    /// The request in DER; each length is below 128, so that it takes one byte.
    package var bytes: Bytes {
        let version: Bytes = [0x02, 1, 1]
        let algorithm: Bytes = [
            0x30, 13, 0x06, 9, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0,
        ]
        let digest = [0x04, UInt8(SHA256.length)] + digest
        let imprint = [0x30, UInt8(algorithm.count + digest.count)] + algorithm + digest
        let integer = Self.integer(nonce)
        let number = [0x02, UInt8(integer.count)] + integer
        let wantsCertificates: Bytes = [0x01, 1, 0xff]
        let content = version + imprint + number + wantsCertificates
        return [0x30, UInt8(content.count)] + content
    }

    /// The content of an integer in DER: no leading zero but for a number that looks negative.
    static func integer(_ number: UInt64) -> Bytes {
        let bytes = stride(from: 56, through: 0, by: -8).map { UInt8(number >> UInt64($0) & 0xff) }
        let short = Bytes(bytes.drop { $0 == 0 })
        return short.first.map { $0 >= 0x80 } ?? true ? [0] + short : short
    }
}
