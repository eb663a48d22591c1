import DaybookChains
import DaybookCrypto
import DaybookEncoding

/// A block: its hash, its time and its transactions' ids, the coinbase first.
struct UTXOBlock {
    let hash: TransactionID
    /// Microseconds since 1970.
    let time: UInt64
    let txids: [TransactionID]

    /// The block of some transactions after another one.
    init(after previous: TransactionID, time: UInt64, txids: [TransactionID]) {
        var header = Bytes()
        header.append(littleEndian: UInt32(0x2000_0000))
        header += previous.bytes
        header += Self.merkleRoot(txids)
        header.append(littleEndian: UInt32(truncatingIfNeeded: time / 1_000_000))
        header.append(littleEndian: UInt32(0x207f_ffff))
        header.append(littleEndian: UInt32(0))
        self.init(hash: TransactionID(hashing: header), time: time, txids: txids)
    }

    init?(row: Bytes) {
        guard let record = (try? EncodedCBOR(row)).flatMap({ EncodedMap($0) }),
            let time = record["time"]?.uintValue,
            let hash = record["hash"]?.bytesValue.flatMap({ TransactionID($0) }),
            let txids = record["transactions"]?.arrayValue
        else { return nil }
        self.init(
            hash: hash, time: time,
            txids: txids.compactMap { $0.bytesValue.flatMap { TransactionID($0) } })
    }

    var row: Bytes {
        CBOR.record([
            "hash": .bytes(hash.bytes), "time": .unsigned(time),
            "transactions": .array(txids.map { .bytes($0.bytes) }),
        ]).encoded()
    }

    private init(hash: TransactionID, time: UInt64, txids: [TransactionID]) {
        self.hash = hash
        self.time = time
        self.txids = txids
    }

    /// Pairs are hashed until one is left; the last of an odd number is paired with itself.
    private static func merkleRoot(_ txids: [TransactionID]) -> Bytes {
        var level = txids.map(\.bytes)
        while level.count > 1 {
            level = stride(from: 0, to: level.count, by: 2).map { left in
                SHA256.double(level[left] + level[min(left + 1, level.count - 1)])
            }
        }
        return level.first ?? Bytes(repeating: 0, count: SHA256.length)
    }
}
