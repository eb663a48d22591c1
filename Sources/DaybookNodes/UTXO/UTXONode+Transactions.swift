package import DaybookChains
package import DaybookEncoding

extension UTXONode {
    /// More inputs than this no transaction of a wallet has, which stays below 100 000 bytes.
    package static let mostTransactions = 1000
    /// All transactions of one call together; Dash and Axe take none above 100 000 bytes.
    package static let mostTransactionBytes = 16 << 20

    package func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes] {
        guard ids.count <= Self.mostTransactions else {
            throw ChainFailure(
                .tooLong, "more than \(Self.mostTransactions) transactions are asked for")
        }
        let found = try await whole(ids.map { displayed in
            (displayed, TransactionID(displayed: displayed))
        })
        var size = 0
        for bytes in found {
            size += bytes.count
            guard size <= Self.mostTransactionBytes else {
                throw ChainFailure(
                    .tooLong, "the transactions have more than \(Self.mostTransactionBytes) bytes")
            }
        }
        return found
    }

    /// Transactions of the cache, and all others by one question.
    private func whole(
        _ ids: [(displayed: Bytes, txid: TransactionID?)]
    ) async throws(ChainFailure) -> [Bytes] {
        var batch = RPCBatch()
        var known: [TransactionID: UTXOTransaction] = [:]
        var asked: [TransactionID: RPCBatch.Place<UTXOTransaction?>] = [:]
        for (displayed, txid) in ids {
            guard let txid else { throw .missing(displayed) }
            if known[txid] != nil || asked[txid] != nil { continue }
            known[txid] = await cache.transaction(txid)
            if known[txid] == nil { asked[txid] = batch.add(CoreCalls.bytes(of: txid)) }
        }
        if !asked.isEmpty {
            let answers = try await calls.forOneQuestion().answers(to: batch)
            for (txid, place) in asked.sorted(by: { $0.key < $1.key }) {
                guard let found = try answers.value(place) else { continue }
                await cache.keep(found, txid)
                known[txid] = found
            }
        }
        var all: [Bytes] = []
        for (displayed, txid) in ids {
            guard let found = txid.flatMap({ known[$0] }) else { throw .missing(displayed) }
            all.append(found.serialized())
        }
        return all
    }
}

extension ChainFailure {
    /// That a node says of a coin of ours that it is spent, and can't show a signature.
    package init(unproven coin: Outpoint) {
        self.init(
            .unprovenSpend,
            "the node says that \(coin.text) is spent, but no signature of its key shows it")
    }

    /// That a node does not have a transaction, whose id is as displayed.
    package static func missing(_ displayed: Bytes) -> ChainFailure {
        ChainFailure(
            .missingTransaction, "the node does not have the transaction \(Hex.encode(displayed))")
    }
}

/// Where transactions are kept from one run of a program to the next.
///
/// What it gives back is not believed: bytes that do not hash to the id are asked for again.
package protocol TransactionFiles: Sendable {
    /// The bytes that were kept under an id; nil where there are none.
    func bytes(of txid: String) -> Bytes?
    /// Keeps the bytes of a transaction; a failure to do so costs only another question.
    func keep(_ bytes: Bytes, of txid: String)
}

/// Transactions that proved themselves before: their bytes never change, wherever they stand.
actor TransactionCache {
    private var transactions: [TransactionID: UTXOTransaction] = [:]
    private var size = 0
    private let limit: Int
    private let files: (any TransactionFiles)?

    /// Keeps transactions of at most so many bytes together in memory, and all in files.
    init(bytes limit: Int = 32 << 20, files: (any TransactionFiles)? = nil) {
        self.limit = limit
        self.files = files
    }

    /// A transaction that was kept.
    func transaction(_ txid: TransactionID) -> UTXOTransaction? {
        if let known = transactions[txid] { return known }
        guard let bytes = files?.bytes(of: txid.hex), TransactionID(hashing: bytes) == txid,
            let transaction = try? UTXOTransaction.parse(bytes),
            Duffs.sum(transaction.outputs.map(\.amount)) != nil
        else { return nil }
        remember(transaction, txid, bytes.count)
        return transaction
    }

    /// Keeps a transaction, and forgets all others when they are too long together.
    func keep(_ transaction: UTXOTransaction, _ txid: TransactionID) {
        guard transactions[txid] == nil else { return }
        let bytes = transaction.serialized()
        remember(transaction, txid, bytes.count)
        files?.keep(bytes, of: txid.hex)
    }

    private func remember(
        _ transaction: UTXOTransaction, _ txid: TransactionID, _ bytes: Int
    ) {
        guard bytes <= limit else { return }
        if size + bytes > limit { (transactions, size) = ([:], 0) }
        transactions[txid] = transaction
        size += bytes
    }
}

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
