package import DaybookEncoding

/// The clock was read, and something that waits was due.
package struct TimePassed: EventData {
    package static let type = "time.passed"
    package init() {}
    package var coded: CBOR { .record([:]) }
    package init(_ fields: Fields) throws(FieldError) {}
}
