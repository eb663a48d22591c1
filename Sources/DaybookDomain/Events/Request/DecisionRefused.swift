package import DaybookEncoding

/// The decision can't stand: too late, about something else, or not to be carried out now.
package struct DecisionRefused: EventData {
    package static let type = "decision.refused"
    package let refusal: Refusal

    package init(refusal: Refusal) { self.refusal = refusal }

    package var coded: CBOR { refusal.coded(protocolCode: nil) }

    package init(_ fields: Fields) throws(FieldError) { refusal = try Refusal(fields) }
}
