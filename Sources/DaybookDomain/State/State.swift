package import DaybookChains
package import DaybookEncoding

/// All that the events add up to: tables of typed rows.
///
/// `evolve` writes what changed in memory, as values. Below may lie a base of rows in bytes, as of
/// some position: the derived tables of a log, or a file for a fold that memory would not hold. A
/// row of the base that does not decode means damage: it is remembered in `damage`, and whoever
/// owns the transaction refuses to commit what was computed from it.
package struct State {
    // In the order of their names, which is that of the rows in bytes.

    /// Addresses by their place. Written when a wallet is added, and when one receives or is given.
    package var addresses = StateTable<AddressKey, AddressRow>("addresses")
    /// Senders that the user approved a request of, beside those that look like them.
    package var approved = StateTable<Pair<KeyText, KeyText>, PointerRow<RequestID>>("approved")
    /// Attempts by what they pay. Written with `attempts`.
    package var attemptsByTerms = StateTable<TermsKey, PointerRow<RequestID>>("attemptTerms")
    /// Signed transactions that may be executed although no node has said that it has them.
    package var attempts = StateTable<TransactionKey, AttemptRow>("attempts")
    /// What a wallet holds of an asset. Written by the ledger's moves alone.
    package var balances = StateTable<BalanceKey, BalanceRow>("balances")
    /// What each request told its caller.
    package var bindings = StateTable<RequestID, BindingRow>("bindings")
    /// How far a branch of addresses is derived, used and asked about.
    package var branches = StateTable<BranchKey, BranchRow>("branches")
    /// Requests whose callbacks are due: to be opened, and not delivered yet.
    package var callbacks = StateTable<RequestID, PointerRow<RequestID>>("callbacks")
    /// Each caller's first request.
    package var callers = StateTable<KeyText, PointerRow<RequestID>>("callers")
    /// What is known of a chain's tip and prices. Written by `chain.observed`.
    package var chains = StateTable<ChainID, ChainRow>("chains")
    /// The session that first worked by the newest engine of the log.
    package var engines = StateTable<OnlyKey, PointerRow<SessionID>>("engine")
    /// Transactions whose fate is still open, so that `sync` need not look at all.
    package var followed = StateTable<TransactionKey, PointerRow<Position>>("followed")
    /// The last session of each front end.
    package var frontEnds = StateTable<KeyText, PointerRow<SessionID>>("frontEnds")
    /// What happened to a wallet's coins, by wallet and position.
    package var history = StateTable<Pair<WalletID, Position>, HistoryRow>("history")
    /// The latest request with the same link text.
    package var identical = StateTable<KeyDigest, PointerRow<RequestID>>("identical")
    /// Coinbase outputs that can't be spent yet.
    package var immature = StateTable<MaturityKey, PointerRow<WalletID>>("immature")
    /// The front ends' own keys for requests.
    package var requestKeys = StateTable<Pair<KeyText, KeyText>, PointerRow<RequestID>>("keys")
    /// Unspent outputs of a wallet. Written by `chain.observed`, and to hold coins back.
    package var outputs = StateTable<OutputKey, OutputRow>("outputs")
    /// Requests that wait for their user, by the time at which they expire.
    package var pending = StateTable<Pair<UInt64, RequestID>, PointerRow<RequestID>>("pending")
    /// Requests and how far they have come. Written by every event of a request.
    package var requests = StateTable<RequestID, RequestRow>("requests")
    /// Requests that hold back coins which no node shows now: a coin that comes back is theirs.
    package var reserved = StateTable<OutputKey, PointerRow<RequestID>>("reserved")
    /// Whose a script is.
    package var scripts = StateTable<ScriptKey, ScriptRow>("scripts")
    /// Which engine decides in a session, under which settings.
    package var sessions = StateTable<SessionID, SessionRow>("sessions")
    /// Outputs that a transaction spends, kept for a reorganisation that gives them back.
    package var spentOutputs = StateTable<OutputKey, OutputRow>("spent")
    /// What token contracts say of themselves.
    package var tokens = StateTable<TokenKey, TokenRow>("tokens")
    /// Transactions that concern a wallet.
    package var transactions = StateTable<TransactionKey, TransactionRow>("transactions")
    /// Outputs that no block had when the chain was last heard of, or whose spending none had.
    package var unconfirmed = StateTable<OutputKey, PointerRow<WalletID>>("unconfirmed")
    /// Wrong passphrases in a row, by wallet.
    package var unlocks = StateTable<WalletID, UnlockRow>("unlocks")
    /// Wallets, also those that were removed.
    package var wallets = StateTable<WalletID, WalletRow>("wallets")
    /// Requests for which something remains to be done; see `Work`.
    package var work = StateTable<RequestID, PointerRow<RequestID>>("work")
    /// The counterpart of every wallet: what came from and went to the rest of the world.
    package var externalAccounts = StateTable<AssetKey, ExternalAccountRow>("world")

    let branchKeys = BranchKeys()
    /// What was made of the state as it is; nil where nobody asks twice, as in a fold.
    private(set) var promptCache: PromptCache?
    private(set) var base: StateBase

    /// Nothing has happened, and nothing lies below.
    package init() { self.init(StateBase(nil)) }

    /// The state of which some rows are the spelling; they are only read, unless it is saved.
    package init(_ rows: any Rows) {
        self.init(StateBase(rows))
    }

    /// A state that keeps in rows of its own what memory would not hold.
    ///
    /// They are written when much has changed.
    package init(in rows: any Rows) {
        self.init(StateBase(rows, isOwn: true))
    }

    private init(_ base: StateBase) {
        self.base = base
        attach(to: base)
    }

    /// The same state, which from now on keeps in rows of its own what memory would not hold.
    ///
    /// What lies below stays as it is, and must stay for as long as the state is used.
    package func keeping(in changes: any Rows) -> State {
        var state = self
        let rows = base.rows.map { OverlayRows($0, changes: changes) }
        state.base = StateBase(rows ?? changes, isOwn: true)
        state.attach(to: state.base)
        return state
    }

    private mutating func attach(to base: StateBase) {
        var visitor = AttachBase(base: base)
        visit(&visitor)
    }

    /// Makes each prompt once, until the state changes.
    package mutating func rememberPrompts() {
        if promptCache == nil { promptCache = PromptCache() }
    }

    /// The state changes: nothing that was made of it before holds.
    mutating func forgetPrompts() { promptCache = nil }

    /// The first row of the base that did not decode, or that contradicts others.
    package var damage: FieldError? { base.damage }

    /// Remembers that rows contradict each other.
    func note(damage: FieldError) { base.note(damage: damage) }
}

/// A row of the state: a value with one spelling in bytes.
package protocol StateRow: Equatable, Sendable {
    var coded: CBOR { get }
    init(_ fields: Fields) throws(FieldError)
}

/// Work on each table of a state, whatever its rows are.
protocol TableVisitor {
    mutating func visit<Key, Row>(_ table: inout StateTable<Key, Row>)
}

extension State {
    /// Visits every table, in the order of the rows in bytes.
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
        visitor.visit(&followed)
        visitor.visit(&frontEnds)
        visitor.visit(&history)
        visitor.visit(&identical)
        visitor.visit(&immature)
        visitor.visit(&requestKeys)
        visitor.visit(&outputs)
        visitor.visit(&pending)
        visitor.visit(&requests)
        visitor.visit(&reserved)
        visitor.visit(&scripts)
        visitor.visit(&sessions)
        visitor.visit(&spentOutputs)
        visitor.visit(&tokens)
        visitor.visit(&transactions)
        visitor.visit(&unconfirmed)
        visitor.visit(&unlocks)
        visitor.visit(&wallets)
        visitor.visit(&work)
        visitor.visit(&externalAccounts)
    }

    /// Lies above other rows with the same content as those that it and its copies lay above.
    ///
    /// What was read of them stays known.
    package mutating func move(above rows: (any Rows)?) {
        base.rows = rows
        base.damage = nil
    }

    /// Forgets what differs from the rows that it lies above, because they have it by now.
    package mutating func forgetChanges() {
        var forget = ForgetChanges()
        visit(&forget)
    }

    /// Saves a state that has rows of its own, once much has changed.
    mutating func trim() {
        if base.isOwn, changeCount >= Self.maxChangesInMemory { save() }
    }

    /// So many changed rows are held in memory.
    private static let maxChangesInMemory = 16_384

    /// Writes what changed into the rows that the state lies above, if it lies above any.
    package mutating func save() {
        guard var rows = base.rows else { return }
        let changes = changes
        // Rows that nobody else holds are changed where they are.
        base.rows = nil
        for (key, value) in changes {
            if let value { rows.set(key, value) } else { rows.remove(key) }
        }
        base.rows = rows
        forgetChanges()
    }

    /// The rows in bytes: those that it lies above, with what changed.
    package var rows: OverlayRows {
        var changed = MemoryRows()
        for (key, value) in changes { changed.set(key, value ?? []) }
        return OverlayRows(base.rows ?? MemoryRows(), changes: changed)
    }

    /// Hands out the rows in bytes, in the order of their keys.
    package func walk(_ body: (_ key: Bytes, _ value: Bytes) -> Void) {
        if base.rows != nil { return rows.walk(body) }
        for (key, value) in changes {
            if let value { body(key, value) }
        }
    }

    /// How many rows differ from those that it lies above.
    package var changeCount: Int {
        var copy = self
        var count = CountChanges()
        copy.visit(&count)
        return count.count
    }

    /// What differs from the rows that it lies above, in bytes; nil for each that was removed.
    ///
    /// In the order of the keys.
    package var changes: [(key: Bytes, value: Bytes?)] {
        var copy = self
        var changes = CollectChanges()
        copy.visit(&changes)
        return changes.changes
    }
}

struct AttachBase: TableVisitor {
    let base: StateBase

    func visit<Key, Row>(_ table: inout StateTable<Key, Row>) { table.attach(to: base) }
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
    var changes: [(key: Bytes, value: Bytes?)] = []

    mutating func visit<Key, Row>(_ table: inout StateTable<Key, Row>) {
        changes += table.encodedChanges
    }
}
