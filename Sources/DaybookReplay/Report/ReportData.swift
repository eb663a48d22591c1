import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog

/// Writes the data of a page, piece by piece, from the records of a log.
///
/// A piece is one script of JSON with columns of numbers and a table of its own for the texts in
/// them, so that memory holds one piece. An event and its step are in the piece of its part of
/// the log, and a request in the piece after the one in which it was judged.
struct ReportData: ~Copyable {
    private let index: ReportIndex
    private let engines: Engines
    private let write: (String, JSON) throws -> Void
    /// The state before the next event.
    private var state: State
    private var events = EventColumns(first: 0)
    private var requests = RequestColumns()
    /// The requests that are not written yet.
    private var open: [RequestID: RequestColumns.Item] = [:]
    /// The digest of the prompt that each pending request was shown with first.
    private var offered: [RequestID: Bytes] = [:]
    private let showsValues: Bool

    /// How many events a piece has: a whole subtree, whose hash is a node of the tree.
    private static let piece = 1024
    /// A longer period is listed without the events' values, so that the page stays small.
    private static let mostWithValues: UInt64 = 20_000

    init(
        _ index: ReportIndex, into state: State, by engines: Engines,
        write: @escaping (String, JSON) throws -> Void
    ) {
        self.index = index
        self.engines = engines
        self.write = write
        self.state = state
        self.state.balances.trackReplaced()
        let count = index.period.upperBound.number - index.period.lowerBound.number
        showsValues = index.scope.showsEvents && count <= Self.mostWithValues
    }

    /// Takes the next event.
    mutating func take(_ record: EventRecord) throws {
        let event = (try? record.event()) ?? nil
        let row = record.requestID.flatMap { index.listed($0) }
        let step = event.flatMap { ReportStep($0, state, prompt: prompt(of: $0)) }
        if let event { state.evolve(event) }
        let moved = state.balances.takeReplaced()
        events.add(leaf: record.bytes)
        if row != nil || isListed(record, moved.map(\.key.first)) {
            events.add(record, step, showsValues ? RecordedValues.of(record.data) : [])
        }
        if let event, let id = record.requestID, let row { try note(event, of: id, row) }
        if events.count == Self.piece { try flush() }
    }

    /// Writes what is left, after the last event.
    mutating func finish() throws {
        try flush()
        for (id, item) in open.sorted(by: { $0.key < $1.key }) {
            guard let row = index.listed(id) else { continue }
            requests.add(id, row, item, in: index)
            if requests.count == Self.piece { try flushRequests() }
        }
        try flushRequests()
    }

    /// Writes the movements of the wallets in the period.
    func writeMovements(_ totals: ReportTotals) throws {
        var columns = MovementColumns()
        let worth = BookWorth(index.state)
        var failure: (any Error)?
        ReportMovement.walk(index) { movement in
            guard failure == nil, !index.scope.isBefore(movement.time) else { return }
            let key = BalanceKey(movement.wallet, movement.row.asset)
            guard let asset = totals.asset(key, index.state) else { return }
            columns.add(movement, asset, worth)
            guard columns.count == Self.piece else { return }
            do { try write("movements", columns.json) } catch { failure = error }
            columns = MovementColumns()
        }
        if let failure { throw failure }
        if columns.count > 0 { try write("movements", columns.json) }
    }

    private mutating func flush() throws {
        if events.count > 0 { try write("events", events.json(isWhole: index.scope.showsEvents)) }
        events = EventColumns(first: events.first + UInt64(events.count))
        try flushRequests()
    }

    private mutating func flushRequests() throws {
        if requests.count > 0 { try write("requests", requests.json) }
        requests = RequestColumns()
    }

    /// Whether an event is listed that belongs to no listed request.
    private func isListed(_ record: EventRecord, _ moved: [WalletID]) -> Bool {
        // The page takes names from these two.
        if record.type == SessionStarted.type || record.type == WalletAdded.type { return true }
        guard index.scope.showsEvents, index.period.contains(record.id) else { return false }
        guard let wallet = index.scope.wallet else { return true }
        return record.stream == "wallet/\(wallet)" || moved.contains(wallet)
    }

    /// The prompt of a decision, made again, if it is not the one that was shown first.
    ///
    /// Only the rules of the session's engine can make it again.
    private func prompt(of event: Event) -> Prompt? {
        guard let id = event.request, case .decisionMade(let data) = event.payload,
            let shown = data.prompt, shown != offered[id],
            let row = state.request(id), let request = row.request
        else { return nil }
        return state.seen(in: event.session, by: engines) { state in
            state.prompt(
                for: request, id: id, wallet: data.wallet, amount: data.amount, coins: data.coins,
                repeats: row.repeats)
        }
    }

    /// Notes what the list of requests says of one, and adds it once that is known.
    private mutating func note(_ event: Event, of id: RequestID, _ row: RequestRow) throws {
        var item = open[id] ?? RequestColumns.Item()
        item.course.apply(event)
        var isKnown = false
        switch event.payload {
        case .requestAccepted(let data):
            offered[id] = data.digest
            item.show(data.prompt)
            isKnown = true
        case .requestRefused, .requestCoalesced: isKnown = true
        default: break
        }
        if row.status != .pending, state.requests[id]?.status.isTerminal ?? true {
            offered[id] = nil
        }
        // Of such a payment the later events say more than its row.
        if isKnown, !index.state.paymentState(of: row).hasCourse {
            requests.add(id, row, item, in: index)
            open[id] = nil
        } else if open[id] != nil || event.position == id.position {
            open[id] = item
        }
    }
}

/// The texts in a piece of the data: the first is empty, and each is there once.
private struct TextTable {
    private var places: [KeyText: Int] = [KeyText(""): 0]
    private(set) var json: [JSON] = [.string("")]

    /// The place of a text whose invisible characters are escaped.
    mutating func place(_ text: String) -> Int {
        let key = KeyText(text)
        if let place = places[key] { return place }
        places[key] = json.count
        json.append(.string(text))
        return json.count - 1
    }
}

/// A row of numbers of which a column has the differences.
private struct Differences {
    private var last: UInt64 = 0
    private(set) var json: [JSON] = []

    mutating func add(_ value: UInt64) {
        json.append(.int(Int64(clamping: value) - Int64(clamping: last)))
        last = value
    }
}

/// The events of a part of the log, and the leaves of the tree over all of them.
private struct EventColumns {
    let first: UInt64
    private(set) var count = 0
    private var tree = TreeFold()
    private var leaves = Bytes()
    private var texts = TextTable()
    private var positions = Differences()
    private var times = Differences()
    private var sessions: [JSON] = []
    private var columns: [[JSON]] = Array(repeating: [], count: 4)

    private static let names = ["type", "cause", "request", "step"]

    init(first: UInt64) {
        self.first = first
    }

    mutating func add(leaf bytes: Bytes) {
        leaves += tree.add(leaf: bytes).bytes
        count += 1
    }

    private var values: [JSON] = []

    /// Adds an event.
    ///
    /// A cause is a distance, an actor is negative; a request is a distance and one, 0 for none.
    mutating func add(
        _ record: EventRecord, _ step: ReportStep?, _ values: [RecordedValues.Value]
    ) {
        positions.add(record.position)
        times.add(record.time)
        let request = record.request.map { record.position - min($0, record.position) + 1 }
        let cause = record.cause.map { JSON.int(record.position - min($0, record.position)) }
        let row: [JSON] = [
            .int(texts.place(ReportText.excerpt(record.type))),
            cause ?? .int(-texts.place(ReportText.excerpt(record.actor))),
            .int(request ?? 0), step.map { json($0) } ?? .int(0),
        ]
        for (column, value) in row.enumerated() { columns[column].append(value) }
        sessions.append(.int(record.session))
        let named = values.flatMap { [$0.name, $0.text] }
        self.values.append(.array(named.map { .int(texts.place(Text.escaped($0))) }))
    }

    /// The event, the rest of the sentence, its request, the values' names, and the values.
    private mutating func json(_ step: ReportStep) -> JSON {
        let names = step.values.map(\.name).joined(separator: "\n")
        let parts = [
            texts.place(step.what), texts.place(step.text),
            step.request.map { Int($0.number) } ?? 0, texts.place(names),
        ]
        let values = step.values.map { texts.place($0.text) }
        return .array((parts + values).map { .int($0) })
    }

    /// `isWhole` says that the leaves are listed, from which proofs are made.
    func json(isWhole: Bool) -> JSON {
        var members: [JSON.Member] = [.init(name: "first", value: .int(first))]
        func add(_ name: String, _ value: JSON) { members.append(.init(name: name, value: value)) }
        if isWhole {
            add("node", .string(Base64.encode(tree.root().bytes)))
            if !positions.json.isEmpty { add("leaves", .string(Base64.encode(leaves))) }
        }
        if !positions.json.isEmpty {
            // Where all events are listed, the first position says all.
            if positions.json.count < count { add("position", .array(positions.json)) }
            add("time", .array(times.json))
            let isOneSession = sessions.allSatisfy { $0 == sessions[0] }
            add("session", isOneSession ? sessions[0] : .array(sessions))
            for (name, column) in zip(Self.names, columns) { add(name, .array(column)) }
            if values.contains(where: { $0 != .array([]) }) { add("values", .array(values)) }
            add("texts", .array(texts.json))
        }
        return .object(members)
    }
}

/// The requests of a list.
private struct RequestColumns {
    /// The facts that only the events of a request have.
    struct Item {
        var course = PaymentCourse()
        var headline: String?
        var amount = ""

        mutating func show(_ prompt: Prompt) {
            let content = prompt.content
            headline = Text.onOneLine(content.headline)
            let amount = content.amounts.first { !Text.equal($0.name, "fee") }
            self.amount = Text.onOneLine(amount?.text ?? "")
        }
    }

    private(set) var count = 0
    private var texts = TextTable()
    private var ids = Differences()
    private var times = Differences()
    private var columns: [[JSON]] = Array(repeating: [], count: 9)

    private static let names = [
        "headline", "amount", "sender", "wallet", "status", "sentence", "advice", "label", "known",
    ]

    mutating func add(
        _ id: RequestID, _ row: RequestRow, _ item: Item, in index: ReportIndex
    ) {
        count += 1
        ids.add(id.number)
        times.add(row.received)
        let standing = index.state.standing(of: id, row, item.course)
        let isLost = index.lost[id] != nil
        let headline = item.headline ?? ReportText.excerpt(Self.headline(row))
        let values = [
            texts.place(headline), texts.place(item.amount),
            texts.place(ReportText.excerpt(row.request?.caller?.scheme ?? "")),
            row.wallet.map { Int($0.number) } ?? -1,
            texts.place(standing.status.rawValue + (isLost ? ", not paid" : "")),
            texts.place(ReportText.excerpt(standing.sentence)),
            texts.place(ReportText.excerpt(standing.advice ?? "")),
            texts.place(
                ReportText.excerpt(
                    index.state.label(ofTransaction: row.txid, by: id) ?? "")),
            texts.place(ReportText.excerpt(Self.known(row, index.state))),
        ]
        for (column, value) in values.enumerated() { columns[column].append(.int(value)) }
    }

    /// The user's labels of a request's sender and of the address that it pays.
    private static func known(_ row: RequestRow, _ state: State) -> String {
        let subjects: [LabelSubject?] = [
            row.request?.caller.map { .sender($0.scheme) },
            row.request?.action.recipient.map { .address($0) },
        ]
        return subjects.compactMap { $0.flatMap(state.label) }.joined(separator: ", ")
    }

    /// The headline of a request that no user was shown.
    private static func headline(_ row: RequestRow) -> String {
        if let into = row.into { return "The same as request \(into)" }
        let what =
            row.request.map { "\($0.action.method) on \($0.chain.rawValue)" }
            ?? row.link.map { "Link of \($0)" } ?? "Link of no known protocol"
        return row.refusal.map { "\(what): \($0.reason)" } ?? what
    }

    var json: JSON {
        .object(
            [
                .init(name: "id", value: .array(ids.json)),
                .init(name: "time", value: .array(times.json)),
            ] + zip(Self.names, columns).map { .init(name: $0, value: .array($1)) }
                + [.init(name: "texts", value: .array(texts.json))])
    }
}

/// The movements of the wallets.
private struct MovementColumns {
    private(set) var count = 0
    private var texts = TextTable()
    private var columns: [[JSON]] = Array(repeating: [], count: 10)

    private static let names = [
        "wallet", "asset", "time", "amount", "fee", "kind", "transaction", "request", "position",
        "worth",
    ]

    mutating func add(_ movement: ReportMovement, _ asset: Int, _ worth: BookWorth) {
        count += 1
        let row = movement.row
        let worth = worth.worth(of: row, in: movement.wallet)
            .map { "\($0.amount) \($0.currency)" } ?? ""
        let values: [JSON] = [
            .int(movement.wallet.number), .int(asset), .int(movement.time),
            .string(row.amount.decimal), .string(movement.fee?.decimal ?? ""),
            .int(texts.place(movement.kind.rawValue)),
            .string(row.txid.map(Base64.encode) ?? ""),
            .int(movement.request.map { Int64(clamping: $0.number) } ?? -1),
            .int(row.position.number), .int(texts.place(worth)),
        ]
        for (column, value) in values.enumerated() { columns[column].append(value) }
    }

    var json: JSON {
        .object(
            zip(Self.names, columns).map { .init(name: $0, value: .array($1)) }
                + [.init(name: "texts", value: .array(texts.json))])
    }
}
