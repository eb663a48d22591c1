package import DaybookEncoding

/// The front end opened the callback URL.
package struct CallbackDelivered: EventData {
    package static let type = "callback.delivered"
    package init() {}
    package var coded: CBOR { .record([:]) }
    package init(_ fields: Fields) throws(FieldError) {}
}
