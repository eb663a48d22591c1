import DaybookChains
import DaybookEncoding

/// A transaction as the sandbox keeps it: waiting, or with what became of it.
struct ICONEntry {
    /// When it came, counted: the order of the pool, also after a reorganisation.
    let number: UInt64
    /// The signed params as JSON.
    let params: String
    /// Nil while it waits.
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

    /// The transaction, which was well-formed when it was let in.
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
            "hash": .bytes(hash), "height": .unsigned(height),
            "used": UInt64(stepUsed.decimal).map { .unsigned($0) },
            "price": .bytes(stepPrice.minimalBytes),
            "code": failure.map { .unsigned($0.code) },
            "failure": failure.map { .text($0.message) },
            "logs": .array(logs.map(\.row)),
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
            "contract": .text(contract.text), "signature": .text(signature),
            "arguments": .array(arguments.map { $0.map { .text($0) } ?? .null }),
        ])
    }
}
