package import DaybookEncoding

/// A link's text arrived, recorded as it came (secrets in it replaced by kind and length).
package struct RequestReceived: EventData {
    package static let type = "request.received"

    package let text: Bytes
    package let frontEnd: String
    /// The front end's own key: the same key with the same text is the same request.
    package let key: String?

    package init(text: Bytes, frontEnd: String, key: String?) {
        self.text = text
        self.frontEnd = frontEnd
        self.key = key
    }

    package var coded: CBOR {
        .record([
            "text": .bytes(text), "frontEnd": .text(frontEnd), "key": key.map(CBOR.text),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        text = try fields.bytes("text")
        frontEnd = try fields.text("frontEnd")
        key = try fields.optionalText("key")
    }
}
