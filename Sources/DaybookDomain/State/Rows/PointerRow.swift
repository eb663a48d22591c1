package import DaybookEncoding

/// A position that an index row points to.
package struct PointerRow: StateRow {
    package var position: UInt64
    /// Tells same from different where a key must not be used for two things.
    package var digest: Bytes?

    package init(position: UInt64, digest: Bytes? = nil) {
        self.position = position
        self.digest = digest
    }

    package var coded: CBOR {
        .record(["position": .unsigned(position), "digest": digest.map(CBOR.bytes)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        position = try fields.number("position")
        digest = try fields.optionalBytes("digest")
    }
}
