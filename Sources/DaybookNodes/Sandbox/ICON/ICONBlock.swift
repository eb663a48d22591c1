import DaybookEncoding

/// A block: what it holds, and how to take it back.
struct ICONBlock {
    /// A row as it was before the block; a nil value means that there was none.
    struct Former {
        let key: Bytes
        let value: Bytes?
    }

    /// The block before this one.
    let parent: ICONTip
    /// The hashes of its transactions, in the order of their execution.
    let transactions: [Bytes]
    /// The balances that it changed.
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
            "parent": .bytes(parent.row),
            "transactions": .array(transactions.map { .bytes($0) }),
            "former": .array(
                former.map { .array([.bytes($0.key), $0.value.map { .bytes($0) } ?? .null]) }),
        ]).encoded()
    }
}
