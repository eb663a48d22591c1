package import DaybookEncoding

/// The clock was found to be set back: the only event whose time may lie before the last one's.
package struct ClockSet: EventData {
    package static let type = "clock.set"

    /// The time of the event before, by the clock as it was then.
    package let from: UInt64

    package init(from: UInt64) {
        self.from = from
    }

    package var coded: CBOR { .record(["from": .unsigned(from)]) }

    package init(_ fields: Fields) throws(FieldError) {
        from = try fields.number("from")
    }
}
