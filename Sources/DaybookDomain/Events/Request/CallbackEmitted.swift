package import DaybookEncoding

/// The exact URL with which the front end answers the caller.
package struct CallbackEmitted: EventData {
    package static let type = "callback.emitted"
    package let url: String

    package init(url: String) { self.url = url }

    package var coded: CBOR { .record(["url": .text(url)]) }

    package init(_ fields: Fields) throws(FieldError) { url = try fields.text("url") }
}
