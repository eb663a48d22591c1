package import DaybookCrypto
package import DaybookEncoding

/// A transaction's signature: r, s and recovery id in 65 bytes, written in base64.
package struct ICONSignature: Hashable, Sendable {
    /// The signature, from which its signer's key can be computed.
    package let signature: RecoverableSignature

    /// A signature made by a key.
    package init(_ signature: RecoverableSignature) {
        self.signature = signature
    }

    /// A signature from its base64 text; nil when it is none, or its numbers are out of range.
    package init?(base64 text: String) {
        guard let bytes = Base64.decode(Bytes(text.utf8)),
            let signature = RecoverableSignature(bytes)
        else { return nil }
        self.signature = signature
    }

    /// The 88 characters of base64 that a transaction carries.
    package var base64: String { Base64.encode(signature.bytes) }

    /// Whether s is in the lower half, as all that Daybook makes is.
    ///
    /// Nodes take a high s with its matching recovery id too; the transaction's hash does not cover
    /// the signature, so that both are the same transaction.
    package var isLowS: Bool { signature.signature?.isLowS ?? false }

    /// The account whose key made this signature of a hash, or nil where there is none.
    package func signer(of hash: Bytes) -> ICONAddress? {
        signature.recover(digest: hash).map { ICONAddress($0) }
    }

    /// Whether a text has the form of base64, by the node's rule.
    package static func isBase64(_ text: String) -> Bool {
        let bytes = Bytes(text.utf8)
        guard !bytes.isEmpty, bytes.count % 4 == 0 else { return false }
        let padding = bytes.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return padding <= 2 && bytes.dropLast(padding).allSatisfy(isBase64Character)
    }

    private static func isBase64Character(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
