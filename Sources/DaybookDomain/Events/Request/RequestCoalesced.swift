package import DaybookEncoding

/// The same request was already pending (or just answered): `into` is the one that counts.
package struct RequestCoalesced: EventData {
    package static let type = "request.coalesced"
    package let into: RequestID

    package init(into: RequestID) { self.into = into }

    package var coded: CBOR { .record(["into": .id(into)]) }

    package init(_ fields: Fields) throws(FieldError) { into = try fields.id("into") }
}
