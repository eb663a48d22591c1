import DaybookEncoding

/// The end of an export: counts and the tree's head, so that a truncated export is noticed.
package struct ExportTrailer: Equatable, Sendable {
    /// How many events are in it.
    package let events: UInt64
    /// How many checkpoints are in it.
    package let checkpoints: UInt64
    /// The size and the root of the tree over its items.
    package let head: TreeHead

    /// A trailer from all its parts.
    package init(events: UInt64, checkpoints: UInt64, head: TreeHead) {
        self.events = events
        self.checkpoints = checkpoints
        self.head = head
    }
}

extension ExportTrailer {
    var coded: CBOR {
        .record([
            "events": .unsigned(events), "checkpoints": .unsigned(checkpoints),
            "size": .unsigned(head.size), "root": .bytes(head.root.bytes),
        ])
    }

    init(_ fields: ItemFields) throws(ExportFault) {
        events = try fields.number("events")
        checkpoints = try fields.number("checkpoints")
        head = TreeHead(size: try fields.number("size"), root: try fields.hash("root"))
        try fields.finish(4)
    }
}
