import DaybookEncoding
package import DaybookTree

/// A run of positions that are not in an export, and what stands for them in the log's tree.
package struct LeftOut: Equatable, Sendable {
    /// The first position.
    package let from: UInt64
    /// The last position.
    package let to: UInt64
    /// The hashes of the fewest whole subtrees over the run, from the left.
    package let hashes: [TreeHash]

    /// A run and the hashes that `TreeReader.cover` has for it.
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
