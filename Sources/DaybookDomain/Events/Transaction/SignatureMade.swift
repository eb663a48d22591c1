package import DaybookEncoding

/// The keystore signed: a signature for each input, in their order (64 or, on ICON, 65 bytes).
package struct SignatureMade: EventData {
    package static let type = "signature.made"
    package let signatures: [Bytes]

    package init(signatures: [Bytes]) { self.signatures = signatures }

    package var coded: CBOR { .record(["signatures": .list(signatures) { .bytes($0) }]) }

    package init(_ fields: Fields) throws(FieldError) {
        signatures = try fields.list("signatures") { (item) throws(FieldError) in
            guard let bytes = item.record.bytesValue else {
                throw item.wrong("bytes")
            }
            return bytes
        }
    }
}
