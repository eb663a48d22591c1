package import DaybookEncoding

/// The transaction can't be sent, or is gone for good; nothing of it remains to be done.
package struct TransactionFailed: EventData {
    package static let type = "transaction.failed"
    package let refusal: Refusal
    package let protocolCode: Int64?

    package init(refusal: Refusal, protocolCode: Int64?) {
        self.refusal = refusal
        self.protocolCode = protocolCode
    }

    package var coded: CBOR { refusal.coded(protocolCode: protocolCode) }

    package init(_ fields: Fields) throws(FieldError) {
        refusal = try Refusal(fields)
        protocolCode = try fields.optionalSigned("protocolCode")
    }
}
