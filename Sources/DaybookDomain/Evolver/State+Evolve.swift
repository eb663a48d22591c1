import DaybookEncoding

extension State {
    /// Takes an event in. Nothing can go wrong here: the event has happened.
    ///
    /// The same code builds the live state in the append's transaction and every replay.
    package mutating func evolve(_ event: Event) {
        forgetPrompts()
        if event.position.number & 1023 == 0 { trim() }
        switch event.payload {
        case .sessionStarted(let data):
            start(data, event)
        case .timePassed, .decisionRefused, .chainUnavailable, .signatureMade, .signatureFailed,
            .checkpointMade:
            break
        case .clockSet(let data): evolve(data, event)
        case .walletAdded(let data): evolve(data, event)
        case .walletRemoved(let data): evolve(data)
        case .unlockFailed(let data):
            var row = unlocks[data.wallet] ?? UnlockRow(failures: 0)
            row.failures += 1
            unlocks[data.wallet] = row
        case .unlockLocked(let data):
            unlocks.update(data.wallet) { (row: inout UnlockRow) in
                row.lockedUntil = data.until
            }
        case .chainObserved(let data): evolve(data, event)
        case .paymentReceived(let data): evolve(data, event)
        case .paymentMade(let data): evolve(data, event)
        case .transactionLocked, .transactionConfirmed, .transactionReorganised,
            .transactionDropped:
            evolveTransaction(event)
        default: evolveRequest(event)
        }
    }

    private mutating func start(_ data: SessionStarted, _ event: Event) {
        let last = engine
        let id = SessionID(event.position)
        sessions[id] = SessionRow(engine: data.engine, settings: data.settings)
        frontEnds[KeyText(data.frontEnd)] = PointerRow(id, digest: data.digest)
        guard data.engine > last else { return }
        engines[OnlyKey()] = PointerRow(id)
    }
}
