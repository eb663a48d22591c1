package import DaybookEncoding

/// Nobody decided in time.
package struct RequestExpired: EventData {
    package static let type = "request.expired"
    package init() {}
    package var coded: CBOR { .record([:]) }
    package init(_ fields: Fields) throws(FieldError) {}
}
