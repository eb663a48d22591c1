package import DaybookEncoding

/// The user said no.
package struct RequestRejected: EventData {
    package static let type = "request.rejected"
    package init() {}
    package var coded: CBOR { .record([:]) }
    package init(_ fields: Fields) throws(FieldError) {}
}
