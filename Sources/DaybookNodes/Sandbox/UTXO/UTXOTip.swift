package import DaybookChains
import DaybookEncoding

/// The last block of a chain.
package struct UTXOTip: Hashable, Sendable {
    /// How many blocks lie below it.
    package let height: Int
    /// The block's hash.
    package let hash: TransactionID
    /// Microseconds since 1970; 0 for a chain that has mined nothing.
    package let time: UInt64
}

extension UTXOTip {
    /// What a block's row says of it, whatever transactions it has.
    init?(block row: Bytes, at height: Int) {
        guard let record = (try? EncodedCBOR(row)).flatMap({ EncodedMap($0) }),
            let time = record["time"]?.uintValue,
            let hash = record["hash"]?.bytesValue.flatMap({ TransactionID($0) })
        else { return nil }
        self.init(height: height, hash: hash, time: time)
    }
}
