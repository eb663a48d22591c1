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
