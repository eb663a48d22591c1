package import DaybookEncoding

/// The payment can't be executed any more: a block has the transaction that cancels it.
package struct RequestCancelled: EventData {
    package static let type = "request.cancelled"

    /// The request whose transaction spent a coin of the payment.
    package let by: RequestID
    /// Whether the caller had been told that it was paid, and hears no more.
    package let wasAnswered: Bool

    package init(by: RequestID, wasAnswered: Bool) {
        self.by = by
        self.wasAnswered = wasAnswered
    }

    /// The reason with which the request ends.
    var refusal: Refusal { Refusal(wasAnswered ? .cancelledAfterAnswer : .cancelled) }

    package var coded: CBOR {
        .record(["by": .id(by), "wasAnswered": .flag(wasAnswered)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        by = try fields.id("by")
        wasAnswered = try fields.flag("wasAnswered")
    }
}
