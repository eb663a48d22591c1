package import DaybookEncoding

/// The log's own word about itself: what it was, and what it added up to, just before this event.
package struct CheckpointMade: EventData {
    package static let type = "checkpoint.made"

    /// How many events there were: this event's position.
    package let size: UInt64
    /// The root of the tree over them.
    package let root: Bytes
    /// The digest of the state's rows.
    package let state: Bytes
    /// The digest of each projection's rows, in the order of the rows.
    package let projections: [Projection]
    /// The digest of the heads of the streams.
    package let streams: Bytes
    /// The key that signed, as text that verifies.
    package let key: String
    /// The signed note over size and root, in the log's name.
    package let note: Bytes

    /// The rows of one kind.
    package struct Projection: Equatable, Sendable {
        package let name: String
        package let digest: Bytes

        package init(name: String, digest: Bytes) {
            self.name = name
            self.digest = digest
        }
    }

    package init(
        size: UInt64, root: Bytes, state: Bytes, projections: [Projection], streams: Bytes,
        key: String, note: Bytes
    ) {
        self.size = size
        self.root = root
        self.state = state
        self.projections = projections
        self.streams = streams
        self.key = key
        self.note = note
    }

    package var coded: CBOR {
        .record([
            "size": .unsigned(size),
            "root": .bytes(root),
            "state": .bytes(state),
            "projections": .list(projections) {
                .record(["name": .text($0.name), "digest": .bytes($0.digest)])
            },
            "streams": .bytes(streams),
            "key": .text(key),
            "note": .bytes(note),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        size = try fields.number("size")
        root = try fields.bytes("root")
        state = try fields.bytes("state")
        projections = try fields.list("projections") { (item) throws(FieldError) in
            Projection(name: try item.text("name"), digest: try item.bytes("digest"))
        }
        streams = try fields.bytes("streams")
        key = try fields.text("key")
        note = try fields.bytes("note")
    }
}
