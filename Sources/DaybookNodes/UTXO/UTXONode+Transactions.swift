package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

extension UTXONode {
    /// The most transactions of one call; a transaction below 100 000 bytes has fewer inputs.
    package static let maximumTransactions = 1000
    /// The most bytes of one call's transactions; one transaction has at most 100 000.
    package static let maximumTransactionBytes = 16 << 20

    package func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes] {
        guard ids.count <= Self.maximumTransactions else {
            throw ChainFailure(
                .tooLong, "more than \(Self.maximumTransactions) transactions are asked for")
        }
        let found = try await cachedOrFetched(ids.map { displayed in
            (displayed, TransactionID(displayed: displayed))
        })
        var size = 0
        for bytes in found {
            size += bytes.count
            guard size <= Self.maximumTransactionBytes else {
                throw ChainFailure(
                    .tooLong,
                    "the transactions have more than \(Self.maximumTransactionBytes) bytes")
            }
        }
        return found
    }

    /// Takes transactions from the cache, and fetches all others by one batch.
    private func cachedOrFetched(
        _ ids: [(displayed: Bytes, txid: TransactionID?)]
    ) async throws(ChainFailure) -> [Bytes] {
        var batch = RPCBatch()
        var known: [TransactionID: UTXOTransaction] = [:]
        var asked: [TransactionID: RPCBatch.Pending<UTXOTransaction?>] = [:]
        for (displayed, txid) in ids {
            guard let txid else { throw .missing(displayed) }
            if known[txid] != nil || asked[txid] != nil { continue }
            known[txid] = await cache.transaction(txid)
            if known[txid] == nil { asked[txid] = batch.add(CoreCalls.bytes(of: txid)) }
        }
        if !asked.isEmpty {
            let answers = try await calls.forOneQuery().answers(to: batch)
            for (txid, pending) in asked.sorted(by: { $0.key < $1.key }) {
                guard let found = try answers.value(pending) else { continue }
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

extension UTXONode {
    package func times(
        of blocks: [NamedBlock], below tip: ChainQuery.Tip
    ) async throws(ChainFailure) -> BlockTimes {
        var times = BlockTimes()
        guard let tip = TransactionID(displayed: tip.hash) else { return times }
        var batch = RPCBatch()
        let asked = blocks.compactMap { block in
            TransactionID(displayed: block.txid).map {
                (block.height, batch.add(CoreCalls.time(ofBlock: block.height, with: $0)))
            }
        }
        guard let answers = try await calls.forOneQuery().answers(to: batch, at: tip) else {
            return times
        }
        for (height, call) in asked {
            do throws(ChainFailure) {
                if let seconds = try answers.value(call) {
                    times.add(seconds: seconds, ofBlock: height)
                } else {
                    times.note(height, because: "the node does not find the block's transaction")
                }
            } catch {
                guard error.isUnclear else { throw error }
                times.note(height, because: error.message)
            }
        }
        return times
    }
}

extension BlockTimes {
    /// Adds a time in seconds; one that does not fit is not understood.
    mutating func add(seconds: UInt64, ofBlock height: UInt64) {
        let (micros, isTooLate) = seconds.multipliedReportingOverflow(by: 1_000_000)
        if isTooLate {
            note(height, because: "its time is after all times")
        } else {
            told.append(ChainObserved.Block(height: height, time: micros))
        }
    }
}

extension ChainFailure {
    /// The failure of a node that reports one of our coins as spent without a valid signature.
    package init(unproven coin: Outpoint) {
        self.init(
            .unprovenSpend,
            "the node says that \(coin.text) is spent, but no signature of its key shows it")
    }

    /// The failure of a node that lacks a transaction, whose id is given as displayed.
    package static func missing(_ displayed: Bytes) -> ChainFailure {
        ChainFailure(
            .missingTransaction, "the node does not have the transaction \(Hex.encode(displayed))")
    }
}

/// A persistent cache of transactions, kept from one run of a program to the next.
///
/// Its content is not trusted: bytes that do not hash to the id are fetched again.
package protocol TransactionFiles: Sendable {
    /// The bytes stored for an id; nil if there are none.
    func bytes(of txid: String) -> Bytes?
    /// Stores the bytes of a transaction; after a failure they are just fetched again.
    func keep(_ bytes: Bytes, of txid: String)
}

/// A cache of verified transactions, in memory and perhaps in files; their bytes never change.
actor TransactionCache {
    private var transactions: [TransactionID: UTXOTransaction] = [:]
    private var size = 0
    private let limit: Int
    private let files: (any TransactionFiles)?

    /// Keeps at most `limit` bytes of transactions in memory, and all of them in files.
    init(bytes limit: Int = 32 << 20, files: (any TransactionFiles)? = nil) {
        self.limit = limit
        self.files = files
    }

    /// A cached transaction; nil if it has to be fetched.
    func transaction(_ txid: TransactionID) -> UTXOTransaction? {
        if let known = transactions[txid] { return known }
        guard let bytes = files?.bytes(of: txid.hex),
            let transaction = try? UTXOTransaction.parse(bytes, ifIDIs: txid),
            Duffs.sum(transaction.outputs.map(\.amount)) != nil
        else { return nil }
        remember(transaction, txid, bytes.count)
        return transaction
    }

    /// Adds a transaction; a full memory cache is emptied first.
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

/// A transaction that a node has: its verified bytes, its location and whether it is locked.
struct SeenTransaction: Sendable {
    let transaction: UTXOTransaction
    let location: Location
    /// Locked by InstantSend or by a ChainLock.
    let isLocked: Bool

    /// The mempool, or the height of a block.
    enum Location: Equatable, Sendable {
        case mempool
        case block(UInt64)
        /// Only in a block that a reorganization has removed from the chain.
        case abandoned

        /// The height of the block.
        var height: UInt64? {
            if case .block(let height) = self { height } else { nil }
        }
    }

    /// The answer to `getrawtransaction`, checked against the id that was asked for.
    ///
    /// Only the location and the locks are believed. Amounts and scripts are read from the bytes,
    /// so that the node's own decoding of them does not matter.
    init(_ answer: NodeValue, txid: TransactionID, tip: UInt64) throws(ChainFailure) {
        transaction = try Self.transaction(try answer.member("hex"), txid)
        location = try Self.location(answer, tip: tip)
        var isLocked = false
        for name in ["instantlock", "instantlock_internal", "chainlock"] {
            // Only a plain "true" locks anything.
            isLocked = try answer.optional(name)?.json.boolValue ?? false || isLocked
        }
        self.isLocked = isLocked
    }

    /// A transaction from a node's hexadecimal digits, which must hash to its id.
    static func transaction(
        _ hex: NodeValue, _ txid: TransactionID
    ) throws(ChainFailure) -> UTXOTransaction {
        guard let bytes = Hex.decode(try hex.text) else { throw hex.wrong("hexadecimal") }
        let parsed: UTXOTransaction?
        do {
            parsed = try UTXOTransaction.parse(bytes, ifIDIs: txid)
        } catch {
            throw hex.wrong("a transaction: \(error)")
        }
        guard let transaction = parsed else { throw hex.wrong("the transaction \(txid.hex)") }
        guard Duffs.sum(transaction.outputs.map(\.amount)) != nil else {
            throw hex.wrong("a transaction of amounts that there are")
        }
        return transaction
    }

    private static func location(
        _ answer: NodeValue, tip: UInt64
    ) throws(ChainFailure) -> Location {
        guard let block = try answer.optional("blockhash") else {
            for name in ["height", "confirmations"] where try answer.optional(name) != nil {
                throw answer.wrong("in a block and in none")
            }
            return .mempool
        }
        _ = try block.id
        let confirmations = try answer.member("confirmations").height
        let height = try answer.optional("height")
        if confirmations == 0, height.map({ $0.integer == -1 }) ?? true { return .abandoned }
        guard let height, try height.height >= 1, confirmations >= 1,
            try height.height + confirmations == tip + 1
        else { throw answer.wrong("in the chain whose height is \(tip)") }
        return .block(try height.height)
    }
}
