import DaybookEncoding

/// A run of positions that are not in an export, and their hashes in the log's tree.
package struct LeftOut: Equatable, Sendable {
    /// The first position.
    package let from: UInt64
    /// The last position.
    package let to: UInt64
    /// The hashes of the fewest whole subtrees that cover the run, from left to right.
    package let hashes: [TreeHash]

    /// A run with its hashes from `TreeReader.cover`.
    package init(from: UInt64, to: UInt64, hashes: [TreeHash]) {
        self.from = from
        self.to = to
        self.hashes = hashes
    }
}

extension LeftOut {
    var coded: CBOR {
        .record([
            "from": .unsigned(from), "to": .unsigned(to),
            "hashes": .array(hashes.map { .bytes($0.bytes) }),
        ])
    }

    init(_ fields: ItemFields) throws(ExportFault) {
        from = try fields.number("from")
        to = try fields.number("to")
        hashes = try fields.hashes("hashes")
        try fields.finish(3)
    }
}
