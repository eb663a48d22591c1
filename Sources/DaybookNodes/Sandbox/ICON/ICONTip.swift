package import DaybookEncoding

/// The end of the chain.
package struct ICONTip: Hashable, Sendable {
    /// How many blocks came before this one.
    package let height: UInt64
    /// When the block was made, in microseconds since 1970.
    package let time: UInt64
    /// The block's hash.
    package let hash: Bytes

    /// The block with which every sandbox begins.
    static let beginning = ICONTip(height: 0, time: 0, hash: Bytes(repeating: 0, count: 32))

    init(height: UInt64, time: UInt64, hash: Bytes) {
        self.height = height
        self.time = time
        self.hash = hash
    }

    init?(_ row: Bytes) {
        guard let record = try? CBOR.decode(row), let height = record["height"]?.uintValue,
            let time = record["time"]?.uintValue, let hash = record["hash"]?.bytesValue
        else { return nil }
        self.init(height: height, time: time, hash: hash)
    }

    var row: Bytes {
        CBOR.record([
            "height": .unsigned(height), "time": .unsigned(time), "hash": .bytes(hash),
        ]).encoded()
    }
}
