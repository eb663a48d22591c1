package import DaybookEncoding

/// The request can't be answered; `protocolCode` is what its protocol calls the reason.
package struct RequestRefused: EventData {
    package static let type = "request.refused"

    package let refusal: Refusal
    package let protocolCode: Int64?
    /// The protocol that can parse the text; nil if none can.
    package let link: String?

    package init(refusal: Refusal, protocolCode: Int64?, link: String?) {
        self.refusal = refusal
        self.protocolCode = protocolCode
        self.link = link
    }

    package var coded: CBOR {
        .record([
            "code": .text(refusal.code.rawValue), "parameter": refusal.parameter.map(CBOR.text),
            "protocolCode": protocolCode.map(CBOR.int), "link": link.map(CBOR.text),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        refusal = try Refusal(fields)
        link = try fields.optionalText("link")
        protocolCode = try fields.optionalSigned("protocolCode")
    }
}
