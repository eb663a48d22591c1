import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// Goes through a log from its first event on, and gathers what a page needs to know beforehand.
package struct ReportIndexer: ~Copyable {
    private var survey: Survey
    private var keeper = Bookkeeper()
    private var tree = TreeFold()
    /// The digest of the prompt that each request was offered with, while it waits.
    private var offered: [RequestID: Bytes] = [:]
    private var sessionPlaces: [SessionID: Int] = [:]
    private var balancePlaces: [BalanceKey: Int] = [:]

    package init(logID: Bytes) {
        let head = TreeHead(size: 0, root: .ofEmptyTree)
        survey = Survey(logID: logID, head: head, state: keeper.state)
    }

    /// Takes the next event.
    package mutating func feed(_ record: EventRecord) {
        tree.add(leaf: record.bytes)
        survey.times = (survey.times?.lowerBound ?? record.time)...max(
            record.time, survey.times?.upperBound ?? 0)
        let event = Recorded(record).event
        if let event { begin(event) }
        if let id = record.requestID, survey.tells(id) {
            survey.lastEvents[id] = record.id
        }
        if let place = sessionPlaces[record.sessionID] {
            survey.sessions[place].events += 1
            survey.sessions[place].lastEvent = record.time
        }
        if let event { take(event) }
    }

    /// What the events came down to.
    package consuming func finish() -> Survey {
        survey.head = TreeHead(size: tree.size, root: tree.root())
        survey.state = keeper.state
        for (id, lost) in survey.lost where lost.loss == .dropped {
            let row = survey.state.request(id)
            if row.map({ survey.state.isConflicted($0) }) ?? false {
                survey.lost[id]?.loss = .conflicted
            }
        }
        survey.balances.sort {
            $0.wallet == $1.wallet
                ? Text.precedes($0.asset.name, $1.asset.name) : $0.wallet < $1.wallet
        }
        return survey
    }

    private mutating func begin(_ event: Event) {
        switch event.payload {
        case .sessionStarted(let data) where event.session.position == event.position:
            sessionPlaces[event.session] = survey.sessions.count
            survey.sessions.append(
                Survey.SessionSurvey(
                    id: event.session, started: data, begins: event.time,
                    lastEvent: event.time))
        case .requestReceived where event.request?.position == event.position,
            .remedyRequested where event.request?.position == event.position:
            survey.lastEvents[RequestID(event.position)] = event.position
            if let place = sessionPlaces[event.session] { survey.sessions[place].requests += 1 }
        default: break
        }
    }

    private mutating func take(_ event: Event) {
        if let id = event.request {
            notePrompt(event, id)
            if case .bindingGranted = event.payload { survey.grants[id] = event.position }
            noteLoss(event, id)
        }
        guard let entry = keeper.take(event) else { return }
        for movement in entry.movements {
            survey.movements[movement.wallet, default: []].append(
                Survey.WalletMovement(
                    position: event.position, time: event.time, movement: movement))
        }
        for posting in entry.postings {
            guard case .wallet(let wallet, _) = posting.account else { continue }
            note(posting.asset, of: wallet, event)
        }
    }

    /// What is dropped can be mined after all, and a block that is lost gives a second chance.
    private mutating func noteLoss(_ event: Event, _ id: RequestID) {
        switch event.payload {
        case .transactionDropped: survey.lost[id] = (event.position, .dropped)
        case .transactionConfirmed(let data):
            survey.lost[id] = data.failure == nil ? nil : (event.position, .failedOnChain)
        case .transactionReorganised:
            if survey.lost[id]?.loss == .failedOnChain { survey.lost[id] = nil }
        default: break
        }
    }

    /// The prompt is made again as it was shown, before the decision changes anything.
    private mutating func notePrompt(_ event: Event, _ id: RequestID) {
        switch event.payload {
        case .requestAccepted(let data): offered[id] = data.digest
        case .requestExpired: offered[id] = nil
        case .decisionMade(let data):
            guard let shown = data.prompt, shown != offered[id] else { return }
            guard let row = keeper.state.request(id), let request = row.request else { return }
            let prompt = keeper.state.prompt(
                for: request, id: id, wallet: data.wallet, amount: data.amount,
                repeats: row.repeats)
            if prompt.digest == shown { survey.prompts[event.position] = prompt }
        default: break
        }
    }

    private mutating func note(_ asset: BookEntry.Asset, of wallet: WalletID, _ event: Event) {
        let key = BalanceKey(wallet, asset.name)
        let place: Int
        if let known = balancePlaces[key] {
            place = known
        } else {
            place = survey.balances.count
            balancePlaces[key] = place
            survey.balances.append(BalanceSeries(wallet: wallet, asset: asset))
        }
        let balance = keeper.state.balance(wallet, asset.name)
        survey.balances[place].add(balance, of: asset, at: event.position, event.time)
    }
}

/// What a log comes down to: all that a page says before and after its long lists.
package struct Survey {
    let logID: Bytes
    /// The tree over all events.
    var head: TreeHead
    /// The state after the last event.
    var state: State
    /// When the first and the last event happened.
    var times: ClosedRange<UInt64>?
    var sessions: [SessionSurvey] = []
    /// How many events there are.
    package var events: UInt64 { head.size }
    /// The root of the tree over all events.
    package var root: Bytes { head.root.bytes }
    /// How many requests have come.
    package var requestCount: Int { lastEvents.count }
    /// How many payments counted as paid and are not.
    package var lostCount: Int { lost.count }
    /// For each request, by its id, the last event that belongs to it.
    var lastEvents: [RequestID: Position] = [:]
    /// What was approved, by the decision, where it is not what was first offered.
    var prompts: [Position: Prompt] = [:]
    /// For each request that told its caller something, the event by which.
    var grants: [RequestID: Position] = [:]
    /// Payments that counted as paid and are not, by request: the event by which, and why.
    var lost: [RequestID: (position: Position, loss: PaymentLoss)] = [:]
    /// What moved, by wallet.
    var movements: [WalletID: [WalletMovement]] = [:]
    var balances: [BalanceSeries] = []

    /// A session, and what belongs to it.
    struct SessionSurvey {
        let id: SessionID
        let started: SessionStarted
        let begins: UInt64
        var lastEvent: UInt64
        var events: UInt64 = 0
        var requests: UInt64 = 0
    }

    /// What one event moved in a wallet.
    struct WalletMovement {
        let position: Position
        let time: UInt64
        let movement: BookEntry.Movement
    }

    /// Whether the page tells a request's story.
    func tells(_ request: RequestID) -> Bool { lastEvents[request] != nil }
}

/// A record, and the event in it if it can be read as one.
///
/// A page shows every record; that one can't be read is for the findings to say.
struct Recorded {
    let record: EventRecord
    let event: Event?

    init(_ record: EventRecord) {
        self.record = record
        let reading = Result { () throws(FieldError) in try record.event() }
        event = try? reading.get()
    }
}

/// Puts the stories of requests, whose events lie among each other, back together.
///
/// A story is handed out as soon as it and those before it are whole, so that memory holds the
/// requests that were open at the same time, not all.
struct RequestTimeline {
    private let lastEvents: [RequestID: Position]
    private var stories: [RequestID: Story] = [:]
    private var order: [RequestID] = []
    private var next = 0

    /// A queue for requests whose last events are known.
    init(lastEvents: [RequestID: Position]) {
        self.lastEvents = lastEvents
    }

    /// Takes the next event; returns the stories that are now to be told.
    mutating func take(_ event: Event?, at position: Position) -> [Story] {
        if let event, let id = event.request, lastEvents[id] != nil {
            if id.position == position { order.append(id) }
            stories[id, default: Story(id: id)].events.append(event)
        }
        var told: [Story] = []
        while next < order.count, let last = lastEvents[order[next]], last <= position {
            if let story = stories.removeValue(forKey: order[next]) { told.append(story) }
            next += 1
        }
        if next > 1024 {
            order.removeFirst(next)
            next = 0
        }
        return told
    }
}

/// A request and the events that belong to it, in their order.
struct Story {
    let id: RequestID
    var events: [Event] = []

    /// What the user was first offered.
    var offer: RequestAccepted? {
        for event in events {
            if case .requestAccepted(let data) = event.payload { return data }
        }
        return nil
    }

    /// The wallet that was offered first.
    var wallet: WalletID? { offer?.prompt["wallet"].flatMap { UInt64($0) }.map { WalletID($0) } }

    /// When it came.
    var received: UInt64 { events.first?.time ?? 0 }
}

/// Which requests stand together: those of a day, and not too many of them.
///
/// A browser lays out a part of the page only when it is opened, so that a long page stays quick.
struct RequestPages {
    /// How many requests stand together at most.
    static let most = 100

    private var day: String?
    private(set) var stories: [Story] = []

    /// Adds a story; returns those before it if they are a part of their own.
    mutating func add(_ story: Story) -> [Story] {
        let day = Moment.day(story.received)
        let isNew = self.day != day || stories.count == Self.most
        defer { self.day = day }
        guard isNew else {
            stories.append(story)
            return []
        }
        defer { stories = [story] }
        return stories
    }
}
