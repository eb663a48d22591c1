package import DaybookChains
import DaybookCrypto
package import DaybookEncoding

/// A transaction of the chain or the mempool, as a row stores it.
struct UTXOEntry {
    let transaction: UTXOTransaction
    /// The height of its block; nil while it is in the mempool.
    var height: Int?
    /// The number that orders the mempool; nil once it is in a block.
    var poolNumber: UInt64?
    /// Whether InstantSend has locked it.
    var isLocked: Bool
    /// Duffs.
    let fee: UInt64

    var isConfirmed: Bool { height != nil }

    var status: UTXOStatus {
        height.map { .inBlock(height: $0, isLocked: isLocked) } ?? .inMempool(isLocked: isLocked)
    }

    init(
        _ transaction: UTXOTransaction, height: Int? = nil, poolNumber: UInt64? = nil,
        isLocked: Bool = false, fee: UInt64
    ) {
        self.transaction = transaction
        self.height = height
        self.poolNumber = poolNumber
        self.isLocked = isLocked
        self.fee = fee
    }

    init?(row: Bytes) {
        guard let record = try? EncodedCBOR(row),
            let bytes = record["bytes"]?.bytesValue,
            let transaction = try? UTXOTransaction.parse(bytes),
            let isLocked = record["locked"]?.boolValue, let fee = record["fee"]?.uintValue
        else { return nil }
        self.init(
            transaction, height: record["height"]?.intValue.map { Int($0) },
            poolNumber: record["number"]?.uintValue, isLocked: isLocked, fee: fee)
    }

    var row: Bytes {
        CBOR.record([
            "fee": .unsigned(fee), "bytes": .bytes(transaction.serialized()),
            "height": height.map { .int(Int64($0)) }, "locked": .bool(isLocked),
            "number": poolNumber.map { .unsigned($0) },
        ]).encoded()
    }
}

/// A transaction in a list of those of blocks and the mempool.
package struct UTXOListing {
    package let txid: TransactionID
    package let transaction: UTXOTransaction
    package let status: UTXOStatus

    /// Decodes a transaction's row; nil if it is damaged.
    package init?(_ txid: TransactionID, row: Bytes) {
        guard let entry = UTXOEntry(row: row) else { return nil }
        self.txid = txid
        transaction = entry.transaction
        status = entry.status
    }
}

/// A block: its hash, its time and its transactions' ids, the coinbase first.
struct UTXOBlock {
    let hash: TransactionID
    /// Microseconds since 1970.
    let time: UInt64
    let txids: [TransactionID]

    /// A block with these transactions on top of another block.
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
        guard let record = try? EncodedCBOR(row),
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

    /// Hashes pairs until one hash is left; an odd last one is paired with itself.
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

/// An output of a chain, spent or not.
package struct UTXOOutput: Hashable, Sendable {
    /// The transaction that spends an output.
    package struct Spender: Hashable, Sendable {
        package let txid: TransactionID
        /// The height of its block; nil while it is in the mempool.
        package let height: Int?
    }

    package let outpoint: Outpoint
    /// Duffs.
    package let amount: UInt64
    package let script: Bytes
    /// The height of its block; nil while it is in the mempool.
    package let height: Int?
    /// Whether it belongs to a coinbase transaction.
    package let isCoinbase: Bool
    /// Whether InstantSend has locked the transaction that made it.
    package let isLocked: Bool
    /// Nil while the output is unspent.
    package let spender: Spender?
}

/// The last block of a chain.
package struct UTXOTip: Hashable, Sendable {
    package let height: Int
    package let hash: TransactionID
    /// Microseconds since 1970; 0 for a chain that has mined nothing.
    package let time: UInt64
}

extension UTXOTip {
    /// Reads only hash and time of a block's row.
    init?(block row: Bytes, at height: Int) {
        guard let record = try? EncodedCBOR(row),
            let time = record["time"]?.uintValue,
            let hash = record["hash"]?.bytesValue.flatMap({ TransactionID($0) })
        else { return nil }
        self.init(height: height, hash: hash, time: time)
    }
}

/// The keys of a chain's rows.
struct UTXOKeys {
    private let prefix: Bytes

    init(_ chain: Chain) {
        prefix = Bytes("\(chain.rawValue)/".utf8)
    }

    /// How often the chain was reorganized.
    var forks: Bytes { named("forks") }

    var switches: Bytes { named("switches") }

    /// The prefix of the blocks, which are sorted by height.
    var blocks: Bytes { named("block/") }

    /// The prefix of the mempool's transaction ids, sorted by arrival.
    var pool: Bytes { named("pool/") }

    func block(_ height: Int) -> Bytes { blocks + BigEndian.bytes(UInt64(height)) }

    func pooled(_ number: UInt64) -> Bytes { pool + BigEndian.bytes(number) }

    func transaction(_ txid: TransactionID) -> Bytes { named("transaction/") + txid.bytes }

    /// The id of the transaction that spends an output.
    func spender(_ outpoint: Outpoint) -> Bytes { named("spender/") + Self.outpoint(outpoint) }

    /// The prefix of all outputs to a script, spent or not.
    func outputs(_ script: Bytes) -> Bytes { named("output/") + SHA256.hash(script) }

    func output(_ script: Bytes, _ outpoint: Outpoint) -> Bytes {
        outputs(script) + Self.outpoint(outpoint)
    }

    /// The outpoint at the end of a key.
    static func outpoint(endOf key: Bytes) -> Outpoint? {
        guard key.count >= 36, let txid = TransactionID(Bytes(key.suffix(36).prefix(32)))
        else { return nil }
        return Outpoint(txid, BigEndian.number(key.suffix(4)))
    }

    private func named(_ name: String) -> Bytes { prefix + Bytes(name.utf8) }

    private static func outpoint(_ outpoint: Outpoint) -> Bytes {
        outpoint.txid.bytes + BigEndian.fourBytes(outpoint.index)
    }
}
