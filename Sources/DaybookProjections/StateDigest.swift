import DaybookCrypto
package import DaybookDomain
package import DaybookEncoding

/// One hash over every row of a state, in key order: the same on every machine.
package struct StateDigest: Sendable {
    /// SHA-256 over each row's key and value, each behind its length as eight bytes.
    package let whole: Bytes
    /// The same over the rows of each projection alone, in key order.
    package let projections: [(name: String, digest: Bytes)]

    /// The digests of a state: one pass over its rows.
    package init(_ state: State) {
        var whole = SHA256Hasher()
        var part = SHA256Hasher()
        var name: Bytes?
        var projections: [(name: String, digest: Bytes)] = []
        var after: Bytes?
        while true {
            let batch = state.rows.scan(prefix: [], after: after, limit: 1024)
            for row in batch {
                let projection = row.key.prefix { $0 != Self.separator }
                if let before = name, before[...] != projection {
                    projections.append((Self.text(before), part.finish()))
                }
                name = Bytes(projection)
                Self.add(row, to: &whole)
                Self.add(row, to: &part)
            }
            guard let last = batch.last, batch.count == 1024 else { break }
            after = last.key
        }
        if let name { projections.append((Self.text(name), part.finish())) }
        self.whole = whole.finish()
        self.projections = projections
    }

    /// The digest of the whole state.
    package static func of(_ state: State) -> Bytes {
        StateDigest(state).whole
    }

    /// What ends a projection's name in a key.
    private static let separator = UInt8(ascii: "/")

    private static func text(_ name: Bytes) -> String { String(decoding: name, as: UTF8.self) }

    private static func add(_ row: Row, to hasher: inout SHA256Hasher) {
        hasher.update(Key.number(UInt64(row.key.count)))
        hasher.update(row.key)
        hasher.update(Key.number(UInt64(row.value.count)))
        hasher.update(row.value)
    }
}
