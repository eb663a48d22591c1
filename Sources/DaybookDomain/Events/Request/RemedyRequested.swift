package import DaybookEncoding

/// The user asks to have a payment of ours bumped or cancelled: a request's first event.
///
/// It comes from the front end alone. No link can ask for it.
package struct RemedyRequested: EventData {
    package static let type = "remedy.requested"

    package let remedy: Remedy
    /// The request whose transaction it is about.
    package let payment: RequestID
    package let frontEnd: String

    package init(remedy: Remedy, payment: RequestID, frontEnd: String) {
        self.remedy = remedy
        self.payment = payment
        self.frontEnd = frontEnd
    }

    package var coded: CBOR {
        .record([
            "remedy": .text(remedy.rawValue), "payment": .id(payment), "frontEnd": .text(frontEnd),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        remedy = try fields.name("remedy")
        payment = try fields.id("payment")
        frontEnd = try fields.text("frontEnd")
    }
}
