import DaybookChains
import DaybookEncoding

/// What the chain knows of a transaction.
struct UTXOEntry {
    let transaction: UTXOTransaction
    /// The height of its block; nil while it is in the mempool.
    var height: Int?
    /// Its number in the mempool; nil once it is in a block.
    var poolNumber: UInt64?
    /// Whether InstantSend has locked it.
    var isLocked: Bool
    /// What it pays the miner, in duffs.
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
        guard let record = (try? EncodedCBOR(row)).flatMap({ EncodedMap($0) }),
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
            "bytes": .bytes(transaction.serialized()),
            "height": height.map { .int(Int64($0)) },
            "number": poolNumber.map { .unsigned($0) },
            "locked": .bool(isLocked), "fee": .unsigned(fee),
        ]).encoded()
    }
}
