package import DaybookEncoding

/// The keystore could not sign although the user approved: the sealed key is gone or damaged.
package struct SignatureFailed: EventData {
    package static let type = "signature.failed"
    /// One of our own words.
    package let reason: String

    package init(reason: String) { self.reason = reason }

    package var coded: CBOR { .record(["reason": .text(reason)]) }

    package init(_ fields: Fields) throws(FieldError) { reason = try fields.text("reason") }
}
