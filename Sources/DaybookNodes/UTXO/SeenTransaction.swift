import DaybookChains
import DaybookEncoding

/// A transaction as a node has it: its bytes, which prove themselves by their hash, and its place.
struct SeenTransaction: Sendable {
    let transaction: UTXOTransaction
    let place: Place
    /// Locked by InstantSend or by a ChainLock.
    let isLocked: Bool

    /// Where a transaction stands.
    enum Place: Equatable, Sendable {
        case mempool
        case block(UInt64)
        /// Only in a block that is no longer of the chain.
        case abandoned

        /// The height of the block.
        var height: UInt64? {
            if case .block(let height) = self { height } else { nil }
        }
    }

    /// The answer to `getrawtransaction`, checked against the id that was asked for.
    ///
    /// Of the node's own reading only the place and the locks are taken. Amounts and scripts come
    /// from the bytes, so that nothing else that it says of them matters.
    init(_ answer: NodeValue, txid: TransactionID, tip: UInt64) throws(ChainFailure) {
        transaction = try Self.transaction(try answer.member("hex"), txid)
        place = try Self.place(answer, tip: tip)
        var isLocked = false
        for name in ["instantlock", "instantlock_internal", "chainlock"] {
            isLocked = try answer.optional(name)?.flag ?? false || isLocked
        }
        self.isLocked = isLocked
    }

    /// A transaction from a node's hexadecimal digits, which must hash to its id.
    static func transaction(
        _ hex: NodeValue, _ txid: TransactionID
    ) throws(ChainFailure) -> UTXOTransaction {
        guard let bytes = Hex.decode(try hex.text) else { throw hex.wrong("hexadecimal") }
        guard TransactionID(hashing: bytes) == txid else {
            throw hex.wrong("the transaction \(txid.hex)")
        }
        let transaction: UTXOTransaction
        do {
            transaction = try UTXOTransaction.parse(bytes)
        } catch {
            throw hex.wrong("a transaction: \(error)")
        }
        guard Duffs.sum(transaction.outputs.map(\.amount)) != nil else {
            throw hex.wrong("a transaction of amounts that there are")
        }
        return transaction
    }

    private static func place(
        _ answer: NodeValue, tip: UInt64
    ) throws(ChainFailure) -> Place {
        guard let block = try answer.optional("blockhash") else {
            for name in ["height", "confirmations"] where try answer.optional(name) != nil {
                throw answer.wrong("in a block and in none")
            }
            return .mempool
        }
        _ = try block.id
        let confirmations = try answer.member("confirmations").height
        let height = try answer.optional("height")
        if confirmations == 0, height.map({ $0.json.intValue == -1 }) ?? true { return .abandoned }
        guard let height, try height.height >= 1, confirmations >= 1,
            try height.height + confirmations == tip + 1
        else { throw answer.wrong("in the chain whose height is \(tip)") }
        return .block(try height.height)
    }
}
