import DaybookChains
package import DaybookDomain
import DaybookEncoding
package import DaybookLog

/// Reads the records of a log in order: all of a replay's work that needs no state.
///
/// Another core than the one that decides can do it, some events ahead. It verifies signatures of
/// the recorded transaction; they count only if deciding leads to the very same transaction.
package struct RecordReader: Sendable {
    /// The tree over the events so far, if nobody else hashes them.
    private(set) var tree: TreeFold
    /// The chains of the wallets so far.
    private var chains: [WalletID: Chain]
    /// The last transaction that was prepared, whose signatures are recorded in the same commit.
    private var prepared: (request: RequestID, transaction: TransactionPrepared)?

    /// A reader of a log, or of its continuation after the events of a tree and of a state.
    package init(after tree: TreeFold = TreeFold(), _ state: State? = nil) {
        self.tree = tree
        let wallets = state?.wallets.rows() ?? []
        chains = Dictionary(
            wallets.map { ($0.key, $0.row.wallet.chain) }, uniquingKeysWith: { $1 })
    }

    /// Hashes the next record, and verifies the signatures in it.
    package mutating func read(_ decoded: DecodedRecord) -> ReadRecord {
        let isCheckpoint = decoded.record.isCheckpoint
        let head = isCheckpoint ? TreeHead(size: tree.size, root: tree.root()) : nil
        tree.add(leaf: decoded.record.bytes)
        return read(decoded, after: head)
    }

    /// The same for one that was hashed; a checkpoint has the tree's head before it.
    package mutating func read(_ decoded: DecodedRecord, after head: TreeHead?) -> ReadRecord {
        var verified: VerifiedSignatures?
        if case .success(let event?) = decoded.event { verified = verify(event) }
        return ReadRecord(decoded: decoded, head: head, verified: verified)
    }

    /// Verifies the signatures in an event; nil if there are none, or an invalid one.
    private mutating func verify(_ event: Event) -> VerifiedSignatures? {
        if case .walletAdded(let data) = event.payload {
            chains[WalletID(event.position)] = data.chain
        } else if case .transactionPrepared(let data) = event.payload, let id = event.request {
            prepared = (id, data)
        } else if case .signatureMade(let data) = event.payload, let prepared,
            prepared.request == event.request, let chain = chains[prepared.transaction.wallet]
        {
            self.prepared = nil
            return VerifiedSignatures(of: prepared.transaction, on: chain, data.signatures)
        }
        return nil
    }
}

/// A record, with all of a replay's work on it that needs no state.
package struct ReadRecord: Sendable {
    let decoded: DecodedRecord
    /// The head of the tree over the events before a checkpoint; nil before other events.
    let head: TreeHead?
    /// The signatures in the event, if each of them is valid for the recorded transaction.
    package let verified: VerifiedSignatures?

    package var record: EventRecord { decoded.record }
    /// The event in it, which is nil if it is of an unknown type.
    package var event: Result<Event?, FieldError> { decoded.event }
}
