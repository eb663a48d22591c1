import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// What a report needs to know about a log before it writes the lists of requests and events.
package struct ReportIndex {
    let logID: Bytes
    /// The tree over all events.
    var head: TreeHead
    /// The state after the last event.
    var state: State
    /// When the first and the last event happened.
    var times: ClosedRange<UInt64>?
    var sessions: [Session] = []
    /// How many events there are.
    package var events: UInt64 { head.size }
    /// The root of the tree over all events.
    package var root: Bytes { head.root.bytes }
    /// How many requests were received.
    package var requestCount: Int { lastEvents.count }
    /// How many payments were sent and came to nothing.
    package var lostCount: Int { lost.count }
    /// The last event of each request.
    var lastEvents: [RequestID: Position] = [:]
    /// The prompts that were approved, by decision, where they differ from the first one shown.
    var prompts: [Position: Prompt] = [:]
    /// The `binding.granted` event of each request that has one.
    var grants: [RequestID: Position] = [:]
    /// Payments that were sent and came to nothing: the event that says so, and why.
    var lost: [RequestID: (position: Position, loss: PaymentLoss)] = [:]
    /// The movements of each wallet.
    var movements: [WalletID: [Movement]] = [:]
    var balances: [BalanceSeries] = []

    /// A session, with counts of its events and requests.
    struct Session {
        let id: SessionID
        let started: SessionStarted
        let begins: UInt64
        var lastEvent: UInt64
        var events: UInt64 = 0
        var requests: UInt64 = 0
    }

    /// A movement in a wallet, and the event that made it.
    struct Movement {
        let position: Position
        let time: UInt64
        let movement: BookEntry.Movement
    }

    /// Whether the report lists a request.
    func lists(_ request: RequestID) -> Bool { lastEvents[request] != nil }
}

/// Reads a log once from its first event, and builds the index that a report is written from.
package struct ReportIndexer: ~Copyable {
    private var index: ReportIndex
    private var keeper = Bookkeeper()
    private var tree = TreeFold()
    /// The digest of the prompt of each pending request.
    private var offered: [RequestID: Bytes] = [:]
    private var sessionIndexes: [SessionID: Int] = [:]
    private var balanceIndexes: [BalanceKey: Int] = [:]

    package init(logID: Bytes) {
        let head = TreeHead(size: 0, root: .ofEmptyTree)
        index = ReportIndex(logID: logID, head: head, state: keeper.state)
    }

    /// Takes the next event.
    package mutating func feed(_ record: EventRecord) {
        tree.add(leaf: record.bytes)
        index.times = (index.times?.lowerBound ?? record.time)...max(
            record.time, index.times?.upperBound ?? 0)
        let event = try? record.event()
        if let event { begin(event) }
        if let id = record.requestID, index.lists(id) {
            index.lastEvents[id] = record.id
        }
        if let session = sessionIndexes[record.sessionID] {
            index.sessions[session].events += 1
            index.sessions[session].lastEvent = record.time
        }
        if let event { take(event) }
    }

    /// The index of all events that were fed.
    package consuming func finish() -> ReportIndex {
        index.head = TreeHead(size: tree.size, root: tree.root())
        index.state = keeper.state
        for (id, lost) in index.lost where lost.loss == .dropped {
            let row = index.state.request(id)
            if row.map({ index.state.isConflicted($0) }) ?? false {
                index.lost[id]?.loss = .conflicted
            }
        }
        index.balances.sort {
            $0.wallet == $1.wallet
                ? Text.precedes($0.asset.name, $1.asset.name) : $0.wallet < $1.wallet
        }
        return index
    }

    private mutating func begin(_ event: Event) {
        switch event.payload {
        case .sessionStarted(let data) where event.session.position == event.position:
            sessionIndexes[event.session] = index.sessions.count
            index.sessions.append(
                ReportIndex.Session(
                    id: event.session, started: data, begins: event.time,
                    lastEvent: event.time))
        case .requestReceived where event.request?.position == event.position,
            .remedyRequested where event.request?.position == event.position:
            index.lastEvents[RequestID(event.position)] = event.position
            if let session = sessionIndexes[event.session] { index.sessions[session].requests += 1 }
        default: break
        }
    }

    private mutating func take(_ event: Event) {
        if let id = event.request {
            notePrompt(event, id)
            if case .bindingGranted = event.payload { index.grants[id] = event.position }
            noteLoss(event, id)
        }
        guard let entry = keeper.take(event) else { return }
        for movement in entry.movements {
            index.movements[movement.wallet, default: []].append(
                ReportIndex.Movement(
                    position: event.position, time: event.time, movement: movement))
        }
        for posting in entry.postings {
            guard case .wallet(let wallet, _) = posting.account else { continue }
            note(posting.asset, of: wallet, event)
        }
    }

    /// Notes a payment that was lost, or one that was not lost after all.
    ///
    /// A dropped transaction may still be mined; a reorganization undoes a failure on the chain.
    private mutating func noteLoss(_ event: Event, _ id: RequestID) {
        switch event.payload {
        case .transactionDropped: index.lost[id] = (event.position, .dropped)
        case .transactionConfirmed(let data):
            index.lost[id] = data.failure == nil ? nil : (event.position, .failedOnChain)
        case .transactionReorganised:
            if index.lost[id]?.loss == .failedOnChain { index.lost[id] = nil }
        default: break
        }
    }

    /// Notes the prompt that a decision approved, computed from the state before the decision.
    private mutating func notePrompt(_ event: Event, _ id: RequestID) {
        switch event.payload {
        case .requestAccepted(let data): offered[id] = data.digest
        case .requestExpired: offered[id] = nil
        case .decisionMade(let data):
            guard let shown = data.prompt, shown != offered[id] else { return }
            guard let row = keeper.state.request(id), let request = row.request else { return }
            let prompt = keeper.state.prompt(
                for: request, id: id, wallet: data.wallet, amount: data.amount,
                coins: data.coins, repeats: row.repeats)
            if prompt.digest == shown { index.prompts[event.position] = prompt }
        default: break
        }
    }

    private mutating func note(_ asset: BookEntry.Asset, of wallet: WalletID, _ event: Event) {
        let key = BalanceKey(wallet, asset.name)
        let series: Int
        if let known = balanceIndexes[key] {
            series = known
        } else {
            series = index.balances.count
            balanceIndexes[key] = series
            index.balances.append(BalanceSeries(wallet: wallet, asset: asset))
        }
        let balance = keeper.state.balance(wallet, asset.name)
        index.balances[series].add(balance, of: asset, at: event.position, event.time)
    }
}

/// Collects the events of each request, which interleave in the log, into timelines.
///
/// Timelines come out in the order of their requests, each as soon as it and all before it are
/// complete, so that memory holds only the requests that were open at the same time.
struct TimelineCollector {
    private let lastEvents: [RequestID: Position]
    private var timelines: [RequestID: RequestTimeline] = [:]
    private var order: [RequestID] = []
    private var next = 0

    /// A collector for requests whose last events are known.
    init(lastEvents: [RequestID: Position]) {
        self.lastEvents = lastEvents
    }

    /// Takes the next event; returns the timelines that are complete now.
    mutating func take(_ event: Event?, at position: Position) -> [RequestTimeline] {
        if let event, let id = event.request, lastEvents[id] != nil {
            if id.position == position { order.append(id) }
            timelines[id, default: RequestTimeline(id: id)].events.append(event)
        }
        var complete: [RequestTimeline] = []
        while next < order.count, let last = lastEvents[order[next]], last <= position {
            if let timeline = timelines.removeValue(forKey: order[next]) {
                complete.append(timeline)
            }
            next += 1
        }
        if next > 1024 {
            order.removeFirst(next)
            next = 0
        }
        return complete
    }
}

/// A request and its events, in order.
struct RequestTimeline {
    let id: RequestID
    var events: [Event] = []

    /// The prompt that the user was shown first.
    var offer: RequestAccepted? {
        for event in events {
            if case .requestAccepted(let data) = event.payload { return data }
        }
        return nil
    }

    /// The wallet in the first prompt.
    var wallet: WalletID? { offer?.prompt["wallet"].flatMap { UInt64($0) }.map { WalletID($0) } }

    /// When the request was received.
    var received: UInt64 { events.first?.time ?? 0 }
}

/// Groups requests into parts of the page: one part a day, or several for a busy day.
///
/// A browser lays a part out only when the reader opens it, so that a long page stays quick.
struct RequestPages {
    /// How many requests a part has at most.
    static let most = 100

    private var day: String?
    private(set) var timelines: [RequestTimeline] = []

    /// Adds a timeline; returns the part before it if the timeline begins a new one.
    mutating func add(_ timeline: RequestTimeline) -> [RequestTimeline] {
        let day = Timestamp.day(timeline.received)
        let isNew = self.day != day || timelines.count == Self.most
        defer { self.day = day }
        guard isNew else {
            timelines.append(timeline)
            return []
        }
        defer { timelines = [timeline] }
        return timelines
    }
}
