package import DaybookEncoding

/// What a row of an index points to.
package struct PointerRow<Target: EventID>: StateRow {
    package var target: Target
    /// Tells same from different where a key must not be used for two things.
    package var digest: Bytes?

    package init(_ target: Target, digest: Bytes? = nil) {
        self.target = target
        self.digest = digest
    }

    package var coded: CBOR {
        .record(["position": .id(target), "digest": digest.map(CBOR.bytes)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        target = try fields.id("position")
        digest = try fields.optionalBytes("digest")
    }
}
