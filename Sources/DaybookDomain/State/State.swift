package import DaybookChains
package import DaybookEncoding

/// The current state, computed from the events: a set of tables of typed rows.
///
/// `evolve` keeps changes in memory, as values. Below them there can be a base of encoded rows as
/// of some position: the derived tables of a log, or a file where memory is too small. A base row
/// that does not decode is recorded in `damage`; the owner of the transaction must then not commit.
package struct State: Sendable {
    // In the order of the tables' names on disk, which is the order of the encoded rows.

    /// Addresses by wallet, branch and index. Written when derived, used, or given to a caller.
    package var addresses = StateTable<AddressKey, AddressRow>(
        "addresses", content: TableContent())
    /// Senders of whom the user approved a request, by confusable skeleton and scheme.
    package var approved = StateTable<Pair<KeyText, KeyText>, PointerRow<RequestID>>("approved")
    /// Attempts by their terms. Written with `attempts`.
    package var attemptsByTerms = StateTable<TermsKey, PointerRow<RequestID>>("attemptTerms")
    /// Signed transactions that may be executed although no node has confirmed that it has them.
    package var attempts = StateTable<TransactionKey, AttemptRow>("attempts")
    /// Balances by wallet and asset. Written only by the ledger's `move`.
    package var balances = StateTable<BalanceKey, BalanceRow>("balances")
    /// The values that each request disclosed to its caller.
    package var bindings = StateTable<RequestID, BindingRow>("bindings")
    /// How far the addresses of a branch are derived, used and asked about.
    package var branches = StateTable<BranchKey, BranchRow>("branches")
    /// Requests whose callbacks are to be opened and are not delivered yet.
    package var callbacks = StateTable<RequestID, PointerRow<RequestID>>("callbacks")
    /// Each caller's first request.
    package var callers = StateTable<KeyText, PointerRow<RequestID>>("callers")
    /// A chain's tip and prices. Written by `chain.observed`.
    package var chains = StateTable<ChainID, ChainRow>("chains")
    /// The first session of the newest engine of the log.
    package var engines = StateTable<OnlyKey, PointerRow<SessionID>>("engine")
    /// Where a transaction stands in a wallet's history of an asset. Written with `history`.
    package var entries = StateTable<EntryKey, EntryRow>("entries")
    /// Unsettled transactions, which every scan asks about.
    package var followed = StateTable<TransactionKey, PointerRow<Position>>(whole: "followed")
    /// The last session of each front end.
    package var frontEnds = StateTable<KeyText, PointerRow<SessionID>>("frontEnds")
    /// Coins that the user froze, also those that are spent or in no block now.
    package var frozen = StateTable<OutputKey, PointerRow<WalletID>>(whole: "frozen")
    /// The changes of wallets' balances by transactions. Written by `writeHistory` only.
    package var history = StateTable<HistoryKey, HistoryRow>("history")
    /// The latest request with the same link text.
    package var identical = StateTable<KeyDigest, PointerRow<RequestID>>("identical")
    /// Coinbase outputs that can't be spent yet.
    package var immature = StateTable<MaturityKey, PointerRow<WalletID>>(whole: "immature")
    /// Requests that wait or pay, by what they pay (`Invoice`).
    package var invoices = StateTable<InvoiceKey, PointerRow<RequestID>>("invoices")
    /// The front ends' own keys for requests.
    package var requestKeys = StateTable<Pair<KeyText, KeyText>, PointerRow<RequestID>>("keys")
    /// Labels of all but wallets, by the text of what they are about.
    package var labels = StateTable<KeyText, LabelRow>("labels")
    /// Unspent outputs of a wallet. Written by `chain.observed`, and to hold coins back.
    package var outputs = StateTable<OutputKey, OutputRow>("outputs")
    /// Requests that wait for their user, by expiry time.
    package var pending = StateTable<Pair<UInt64, RequestID>, PointerRow<RequestID>>(
        whole: "pending")
    /// The prices of assets, by asset, currency and time.
    package var prices = StateTable<PriceKey, PriceRow>("prices")
    /// Requests and their states. Written by every event of a request.
    package var requests = StateTable<RequestID, RequestRow>("requests")
    /// Reservations of coins that no node shows now: a coin that comes back is reserved again.
    package var reserved = StateTable<OutputKey, PointerRow<RequestID>>("reserved")
    /// The wallet and address that a script belongs to.
    package var scripts = StateTable<ScriptKey, ScriptRow>("scripts")
    /// Where searches look. Follows from the rest and from links' texts, and is not digested.
    package var searched = StateTable<SearchKey, SearchRow>("searched")
    /// The engine and the settings of each session.
    package var sessions = StateTable<SessionID, SessionRow>("sessions")
    /// Outputs that a wallet can spend, by amount. Follows from `outputs`, and is not digested.
    package var spendable = StateTable<CoinKey, PointerRow<WalletID>>("spendable")
    /// Spent outputs, kept because a reorganization can make them unspent again.
    package var spentOutputs = StateTable<OutputKey, OutputRow>("spent")
    /// Tokens, as their contracts describe themselves.
    package var tokens = StateTable<TokenKey, TokenRow>("tokens")
    /// Transactions that a wallet made or received.
    package var transactions = StateTable<TransactionKey, TransactionRow>("transactions")
    /// Outputs that were unconfirmed at the last scan, or whose spending was.
    package var unconfirmed = StateTable<OutputKey, PointerRow<WalletID>>(whole: "unconfirmed")
    /// Wrong passphrases in a row, by wallet.
    package var unlocks = StateTable<WalletID, UnlockRow>("unlocks")
    /// Wallets, including removed ones.
    package var wallets = StateTable<WalletID, WalletRow>("wallets")
    /// Requests for which something remains to be done; see `Work`.
    package var work = StateTable<RequestID, PointerRow<RequestID>>(whole: "work")
    /// The external accounts, the counterpart of all wallets: what came in and what went out.
    package var externalAccounts = StateTable<AssetKey, ExternalAccountRow>("world")

    /// The rules of the session that decides or shows; not a row.
    package var rules = Engines.known.current

    /// The highest fee rate that is paid, of the session that decides or shows; not a row.
    package var maxFeeRate = UTXOFees.highestRate

    /// Signatures that were verified before the turn that decides on them; not a row.
    package var verified: VerifiedSignatures?

    /// Whether it keeps the index for searches, as a store's does and a replay's does not; not a
    /// row.
    package var keepsSearchIndex = false

    /// The movements so far of the event that is being applied.
    var movements = Movements()
    let branchKeys = BranchKeys()
    /// The prompts and selections computed from this state; nil where each is needed once, as in
    /// replay.
    private(set) var promptCache: PromptCache?
    package private(set) var base: StateBase

    /// The state before the first event.
    package init() { self.init(StateBase(nil)) }

    /// The state that some encoded rows describe; they are only read, unless `save` is called.
    package init(_ rows: any Rows) {
        self.init(StateBase(rows))
    }

    /// A state that writes its changes into rows of its own when memory holds many of them.
    package init(in rows: any Rows) {
        self.init(StateBase(own: rows))
    }

    private init(_ base: StateBase) {
        self.base = base
        attach(to: base)
    }

    /// The same state, which from now on writes its changes into rows of its own.
    ///
    /// The rows below are not changed, and must stay valid for as long as the state is used.
    package func keeping(in changes: any Rows) -> State {
        var state = self
        state.keepsSearchIndex = false
        let rows = base.rows.map { OverlayRows($0, changes: changes) }
        state.base = StateBase(own: rows ?? changes)
        state.attach(to: state.base)
        return state
    }

    private mutating func attach(to base: StateBase) {
        var visitor = AttachBase(base: base)
        visit(&visitor)
    }

    /// Caches prompts until the state changes.
    package mutating func rememberPrompts() {
        if promptCache == nil { promptCache = PromptCache() }
    }

    /// Drops the cached prompts, because the state changes.
    mutating func forgetPrompts() { promptCache = nil }

    /// Drops the cached prompts of all requests but one, whose prompts and payments stay valid.
    ///
    /// Copies of the state keep the others.
    mutating func keepPrompts(of id: RequestID) { promptCache = promptCache?.keeping(id) }

    /// The first row of the base that did not decode or that contradicts others.
    package var damage: FieldError? { base.damage }

    /// Records that rows contradict each other.
    package func note(damage: FieldError) { base.note(damage: damage) }
}

/// A row of a table: a value with exactly one encoding.
package protocol StateRow: Recorded, Equatable, Sendable {}

/// An operation on every table of a state, for any type of key and row.
protocol TableVisitor {
    mutating func visit<Key, Row>(_ table: inout StateTable<Key, Row>)
}

extension State {
    /// Visits every table, in the order of the encoded rows.
    mutating func visit(_ visitor: inout some TableVisitor) {
        visitor.visit(&addresses)
        visitor.visit(&approved)
        visitor.visit(&attemptsByTerms)
        visitor.visit(&attempts)
        visitor.visit(&balances)
        visitor.visit(&bindings)
        visitor.visit(&branches)
        visitor.visit(&callbacks)
        visitor.visit(&callers)
        visitor.visit(&chains)
        visitor.visit(&engines)
        visitor.visit(&entries)
        visitor.visit(&followed)
        visitor.visit(&frontEnds)
        visitor.visit(&frozen)
        visitor.visit(&history)
        visitor.visit(&identical)
        visitor.visit(&immature)
        visitor.visit(&invoices)
        visitor.visit(&requestKeys)
        visitor.visit(&labels)
        visitor.visit(&outputs)
        visitor.visit(&pending)
        visitor.visit(&prices)
        visitor.visit(&requests)
        visitor.visit(&reserved)
        visitor.visit(&scripts)
        visitor.visit(&searched)
        visitor.visit(&sessions)
        visitor.visit(&spendable)
        visitor.visit(&spentOutputs)
        visitor.visit(&tokens)
        visitor.visit(&transactions)
        visitor.visit(&unconfirmed)
        visitor.visit(&unlocks)
        visitor.visit(&wallets)
        visitor.visit(&work)
        visitor.visit(&externalAccounts)
    }

    /// Puts the state above new rows that have its changes; copies stay above the old ones.
    ///
    /// Decoded rows stay cached, unless `isSound` says that the old rows had failed by then.
    package mutating func rebase(above rows: any Rows, ifKept isSound: @escaping () -> Bool) {
        let damage = base.damage
        base = StateBase(rows)
        if let damage { base.note(damage: damage) }
        var visitor = Rebase(base: base, isSound: isSound)
        visit(&visitor)
    }

    /// Drops the changes, because the base contains them by now.
    mutating func forgetChanges() {
        var forget = ForgetChanges()
        visit(&forget)
    }

    /// Saves a state that has its own rows, if memory holds many changes.
    mutating func trim() {
        if base.isOwn, changeCount >= Self.maxChangesInMemory { save() }
    }

    /// The number of changed rows that memory may hold.
    private static let maxChangesInMemory = 16_384

    /// Writes the changes into the base, if there is one.
    package mutating func save() {
        guard base.isOwn else { return }
        let changes = changes
        base.change { rows in
            for (key, value) in changes {
                if let value { rows.set(key, value) } else { rows.remove(key) }
            }
        }
        forgetChanges()
    }

    /// The encoded rows: those of the base, with the changes.
    package var rows: OverlayRows {
        var changed = MemoryRows()
        for (key, value) in changes { changed.set(key, value ?? []) }
        return OverlayRows(base.rows ?? MemoryRows(), changes: changed)
    }

    /// Calls `body` with each encoded row that follows from no other, in the order of the keys.
    package func walk(_ body: (_ key: Bytes, _ value: Bytes) -> Void) {
        func pass(_ key: Bytes, _ value: Bytes) {
            let follows = ByteOrder.begins(key, with: spendable.name)
                || ByteOrder.begins(key, with: searched.name)
            if !follows { body(key, value) }
        }
        if base.hasRows { return rows.walk(pass) }
        for (key, value) in changes {
            if let value { pass(key, value) }
        }
    }

    /// The number of rows that differ from the base.
    package var changeCount: Int {
        var copy = self
        var count = CountChanges()
        copy.visit(&count)
        return count.count
    }

    /// The encoded rows that differ from the base, in the order of their keys; nil for a removed
    /// row.
    package var changes: [(key: Bytes, value: Bytes?)] { encodingChanges() }

    /// Encodes the same on any thread.
    package var encodingChanges: @Sendable () -> [(key: Bytes, value: Bytes?)] {
        var copy = self
        var collect = CollectChanges()
        copy.visit(&collect)
        return { [tables = collect.tables] in tables.flatMap { $0() } }
    }
}

private struct AttachBase: TableVisitor {
    let base: StateBase

    func visit<Key, Row>(_ table: inout StateTable<Key, Row>) { table.attach(to: base) }
}

private struct Rebase: TableVisitor {
    let base: StateBase
    let isSound: () -> Bool

    func visit<Key, Row>(_ table: inout StateTable<Key, Row>) {
        table.rebase(above: base, ifKept: isSound)
    }
}

private struct ForgetChanges: TableVisitor {
    func visit<Key, Row>(_ table: inout StateTable<Key, Row>) { table.forgetChanges() }
}

private struct CountChanges: TableVisitor {
    var count = 0

    mutating func visit<Key, Row>(_ table: inout StateTable<Key, Row>) {
        count += table.changeCount
    }
}

private struct CollectChanges: TableVisitor {
    var tables: [@Sendable () -> [(key: Bytes, value: Bytes?)]] = []

    mutating func visit<Key, Row>(_ table: inout StateTable<Key, Row>) {
        tables.append(table.encodingChanges)
    }
}
