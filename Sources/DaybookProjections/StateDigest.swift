import DaybookCrypto
package import DaybookDomain
package import DaybookEncoding

/// One hash over every row of a state, in key order: the same on every machine.
package enum StateDigest {
    /// SHA-256 over each row's key and value, each behind its length as eight bytes.
    package static func of(_ state: State) -> Bytes {
        var hasher = SHA256Hasher()
        var after: Bytes?
        while true {
            let batch = state.rows.scan(prefix: [], after: after, limit: 1024)
            for row in batch {
                hasher.update(Key.number(UInt64(row.key.count)))
                hasher.update(row.key)
                hasher.update(Key.number(UInt64(row.value.count)))
                hasher.update(row.value)
            }
            guard let last = batch.last, batch.count == 1024 else { return hasher.finish() }
            after = last.key
        }
    }
}
