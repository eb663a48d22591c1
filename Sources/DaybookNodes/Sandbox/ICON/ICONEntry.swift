package import DaybookChains
package import DaybookEncoding

/// A transaction of the chain or the pool, as a row stores it.
struct ICONEntry {
    /// The number of its arrival, which orders the pool, also after a reorganization.
    let number: UInt64
    /// The signed params as JSON.
    let params: String
    /// Nil while it is pending.
    var receipt: ICONReceipt?

    init(number: UInt64, params: String, receipt: ICONReceipt? = nil) {
        self.number = number
        self.params = params
        self.receipt = receipt
    }

    init?(_ row: Bytes) {
        guard let record = try? CBOR.decode(row), let number = record["number"]?.uintValue,
            let params = record["params"]?.textValue
        else { return nil }
        self.init(
            number: number, params: params,
            receipt: record["receipt"].flatMap { ICONReceipt(row: $0) })
    }

    var row: Bytes {
        CBOR.record([
            "number": .unsigned(number), "params": .text(params), "receipt": receipt?.row,
        ]).encoded()
    }

    /// The parsed transaction, which was checked when it was sent.
    var transaction: ICONTransaction? {
        guard let params = try? JSON.parse(Bytes(params.utf8)) else { return nil }
        return try? ICONTransaction(params: params)
    }
}

extension ICONReceipt {
    fileprivate init?(row record: CBOR) {
        guard let hash = record["hash"]?.bytesValue, let height = record["height"]?.uintValue,
            let used = record["used"]?.uintValue,
            let price = record["price"]?.bytesValue.flatMap({ UInt256(bigEndian: $0) })
        else { return nil }
        let failure = record["code"]?.uintValue.map {
            Failure(code: $0, message: record["failure"]?.textValue ?? "")
        }
        let logs = record["logs"]?.arrayValue ?? []
        self.init(
            hash: hash, height: height, stepUsed: UInt256(used), stepPrice: price,
            failure: failure, logs: logs.compactMap { ICONEventLog(row: $0) })
    }

    fileprivate var row: CBOR {
        CBOR.record([
            "code": failure.map { .unsigned($0.code) }, "hash": .bytes(hash),
            "logs": .array(logs.map(\.row)),
            "used": UInt64(stepUsed.decimal).map { .unsigned($0) },
            "price": .bytes(stepPrice.minimalBytes), "height": .unsigned(height),
            "failure": failure.map { .text($0.message) },
        ])
    }
}

extension ICONEventLog {
    fileprivate init?(row record: CBOR) {
        guard let contract = record["contract"]?.textValue.flatMap({ ICONAddress($0) }),
            let signature = record["signature"]?.textValue,
            let arguments = record["arguments"]?.arrayValue
        else { return nil }
        self.init(
            contract: contract, signature: signature, arguments: arguments.map(\.textValue))
    }

    fileprivate var row: CBOR {
        CBOR.record([
            "contract": .text(contract.text),
            "arguments": .array(arguments.map { $0.map { .text($0) } ?? .null }),
            "signature": .text(signature),
        ])
    }
}

/// A block of the sandbox, with the rows it replaced, so that it can be removed again.
struct ICONSandboxBlock {
    /// A row before the block; nil if there was none.
    struct Former {
        let key: Bytes
        let value: Bytes?
    }

    let parent: ICONTip
    /// The hashes of its transactions, in the order of their execution.
    let transactions: [Bytes]
    /// The balances before the block, of those that it changed.
    let former: [Former]

    init(parent: ICONTip, transactions: [Bytes], former: [Former]) {
        self.parent = parent
        self.transactions = transactions
        self.former = former
    }

    init?(_ row: Bytes) {
        guard let record = try? CBOR.decode(row),
            let parent = record["parent"]?.bytesValue.flatMap({ ICONTip($0) }),
            let transactions = record["transactions"]?.arrayValue,
            let former = record["former"]?.arrayValue
        else { return nil }
        self.init(
            parent: parent, transactions: transactions.compactMap(\.bytesValue),
            former: former.compactMap { pair in
                guard let pair = pair.arrayValue, let key = pair.first?.bytesValue else {
                    return nil
                }
                return Former(key: key, value: pair.last?.bytesValue)
            })
    }

    var row: Bytes {
        CBOR.record([
            "former": .array(
                former.map { .array([.bytes($0.key), $0.value.map { .bytes($0) } ?? .null]) }),
            "parent": .bytes(parent.row),
            "transactions": .array(transactions.map { .bytes($0) }),
        ]).encoded()
    }
}

/// The last block of the sandbox.
package struct ICONTip: Hashable, Sendable {
    package let height: UInt64
    /// Microseconds since 1970.
    package let time: UInt64
    package let hash: Bytes

    /// The first block of every sandbox.
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
            "hash": .bytes(hash), "time": .unsigned(time), "height": .unsigned(height),
        ]).encoded()
    }
}

/// The state of a transaction in the sandbox.
package enum ICONResult: Hashable, Sendable {
    case pending
    /// It is in a block; the receipt says whether it succeeded.
    case executed(ICONReceipt)
    /// It was never sent, or it expired before it was in a block.
    case unknown

    /// The error of `icx_getTransactionResult`; nil for an executed transaction.
    package func refusal(for hash: Bytes) -> ICONRefusal? {
        switch self {
        case .pending: .pending
        case .executed: nil
        case .unknown: .unknownTransaction(hash)
        }
    }
}

/// The keys of the ICON sandbox's rows.
enum ICONKey {
    static let tip = Bytes("icon/tip".utf8)
    static let switches = Bytes("icon/switches".utf8)
    static let counter = Bytes("icon/counter".utf8)
    static let pool = Bytes("icon/pool/".utf8)

    static func balance(_ holder: ICONAddress) -> Bytes {
        Bytes("icon/balance/\(holder.text)".utf8)
    }

    static func tokens(_ holder: ICONAddress) -> Bytes {
        Bytes("icon/tokens/\(holder.text)".utf8)
    }

    static func pooled(_ number: UInt64) -> Bytes { pool + BigEndian.bytes(number) }

    static func transaction(_ hash: Bytes) -> Bytes { Bytes("icon/transaction/".utf8) + hash }

    static func block(_ height: UInt64) -> Bytes {
        Bytes("icon/block/".utf8) + BigEndian.bytes(height)
    }
}

/// The parameters that execution needs; those of an estimation have no signature or step limit.
struct ICONWork {
    let from: ICONAddress
    let to: ICONAddress
    let value: UInt256
    let type: ICONDataType?
    let data: JSON?
    let dataSize: Int

    /// Reads well-formed params; nil for another version than 3.
    init?(_ params: JSON) {
        guard params["version"]?.stringValue == "0x3",
            let from = params["from"]?.stringValue.flatMap({ ICONAddress($0) }),
            let to = params["to"]?.stringValue.flatMap({ ICONAddress($0) }),
            let value = ICONInteger.parse(params["value"]?.stringValue ?? "0x0")
        else { return nil }
        self.from = from
        self.to = to
        self.value = value
        type = params["dataType"]?.stringValue.flatMap { ICONDataType(rawValue: $0) }
        data = params["data"]
        dataSize = ICONSteps.dataSize(of: params)
    }
}
