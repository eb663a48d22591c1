package import DaybookEncoding

/// A front end closed the store; nothing more comes of its session.
package struct SessionEnded: EventData {
    package static let type = "session.ended"
    package init() {}
    package var coded: CBOR { .record([:]) }
    package init(_ fields: Fields) throws(FieldError) {}
}
