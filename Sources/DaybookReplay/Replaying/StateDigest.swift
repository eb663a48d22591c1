import DaybookCrypto
package import DaybookDomain
package import DaybookEncoding

/// The digest over every row of a state, in key order, which is the same on every machine.
package struct StateDigest: Sendable {
    /// SHA-256 over each row's key and value, each after its length in eight bytes.
    package let whole: Bytes
    /// The digests over the rows of each projection, in key order.
    package let projections: [(name: String, digest: Bytes)]

    /// Computes all digests in one pass over the rows.
    package init(_ state: State) {
        var whole = SHA256Hasher()
        var part = SHA256Hasher()
        var name: Bytes?
        var projections: [(name: String, digest: Bytes)] = []
        var bytes = Bytes()
        state.walk { key, value in
            let projection = key.prefix { $0 != Self.separator }
            if let before = name, before[...] != projection {
                Self.pass(&bytes, to: &whole, &part)
                projections.append((Self.text(before), part.finish()))
                name = nil
            }
            name = name ?? Bytes(projection)
            Self.add(key, value, to: &bytes)
            if bytes.count >= Self.chunk { Self.pass(&bytes, to: &whole, &part) }
        }
        Self.pass(&bytes, to: &whole, &part)
        if let name { projections.append((Self.text(name), part.finish())) }
        self.whole = whole.finish()
        self.projections = projections
    }

    /// The digest of the whole state.
    package static func of(_ state: State) -> Bytes {
        var whole = SHA256Hasher()
        var bytes = Bytes()
        state.walk { key, value in
            add(key, value, to: &bytes)
            guard bytes.count >= chunk else { return }
            whole.update(bytes)
            bytes.removeAll(keepingCapacity: true)
        }
        whole.update(bytes)
        return whole.finish()
    }

    /// Rows are hashed in pieces of so many bytes, because most rows are short.
    private static let chunk = 32_768

    private static func pass(
        _ bytes: inout Bytes, to whole: inout SHA256Hasher, _ part: inout SHA256Hasher
    ) {
        whole.update(bytes)
        part.update(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    /// The separator after a projection's name in a key.
    private static let separator = UInt8(ascii: "/")

    private static func text(_ name: Bytes) -> String { String(decoding: name, as: UTF8.self) }

    private static func add(_ key: Bytes, _ value: Bytes, to bytes: inout Bytes) {
        add(key, to: &bytes)
        add(value, to: &bytes)
    }

    private static func add(_ content: Bytes, to bytes: inout Bytes) {
        let length = UInt64(content.count)
        for shift in 0..<8 {
            bytes.append(UInt8(truncatingIfNeeded: length >> (56 - 8 * UInt64(shift))))
        }
        bytes.append(contentsOf: content)
    }
}
