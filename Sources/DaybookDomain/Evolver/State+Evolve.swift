import DaybookEncoding

extension State {
    /// Applies an event to the state. This never fails: the event has happened.
    ///
    /// The live store and every replay call this same function.
    package mutating func evolve(_ event: Event) {
        if let id = requestKeepingPrompts(event) {
            keepPrompts(of: id)
        } else {
            forgetPrompts()
        }
        if event.position.number & 1023 == 0 { trim() }
        switch event.payload {
        case .sessionStarted(let data):
            start(data, event)
        case .timePassed, .decisionRefused, .signatureMade, .signatureFailed, .checkpointMade,
            .checkpointCosigned, .checkpointStamped:
            break
        case .clockSet(let data): evolve(data, event)
        case .walletAdded(let data): evolve(data, event)
        case .walletRenamed(let data):
            wallets.update(data.wallet) { $0 = $0.labelled(data.label) }
        case .walletRemoved(let data): evolve(data)
        case .coinFrozen(let data): freeze(data.coins, of: data.wallet, true)
        case .coinUnfrozen(let data): freeze(data.coins, of: data.wallet, false)
        case .labelSet(let data): evolve(data)
        case .priceSet(let data): evolve(data)
        case .priceWithdrawn(let data): evolve(data)
        case .unlockFailed(let data):
            var row = unlocks[data.wallet] ?? UnlockRow(failures: 0)
            row.failures += 1
            unlocks[data.wallet] = row
        case .unlockLocked(let data):
            unlocks.update(data.wallet) { (row: inout UnlockRow) in
                row.lockedUntil = data.until
            }
        case .chainObserved(let data): evolve(data, event)
        case .chainUnavailable(let data): evolve(data, event)
        case .paymentReceived(let data): evolve(data, event)
        case .paymentMade(let data): evolve(data)
        case .transactionLocked, .transactionConfirmed, .transactionReorganised,
            .transactionDropped:
            evolveTransaction(event)
        case .requestReceived, .remedyRequested, .decisionMade, .broadcastAnswered,
            .callbackDelivered, .requestDeferred, .requestAccepted, .requestRefused,
            .requestCoalesced, .requestRejected, .requestExpired, .requestCancelled,
            .transactionPrepared, .transactionSigned, .transactionSent, .transactionFailed,
            .bindingGranted, .callbackEmitted:
            evolveRequest(event)
        }
        writeHistory(event)
    }

    /// The request whose prompts an event leaves as they are, like all payments; nil if there is
    /// none.
    ///
    /// A request's acceptance and the decision on it do so: what they change in its row, and in the
    /// indexes, is in no payment, and in no prompt but those of other requests.
    private func requestKeepingPrompts(_ event: Event) -> RequestID? {
        guard promptCache != nil, let id = event.request else { return nil }
        switch event.payload {
        // A bump or cancellation changes the row of its payment.
        case .requestAccepted(let data) where !data.request.action.isRemedy: break
        case .decisionMade: break
        default: return nil
        }
        let isUnsigned = requests.read(id) { row in
            row.txid == nil && row.request?.action.isRemedy != true
        }
        return isUnsigned == true ? id : nil
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

extension State {
    /// Moves deadlines when the clock was set back: each keeps the time that it still had to wait.
    mutating func evolve(_ data: ClockSet, _ event: Event) {
        func moved(_ time: UInt64) -> UInt64 {
            guard time > data.from else { return min(time, event.time) }
            let (moved, isTooLate) = event.time.addingReportingOverflow(time - data.from)
            return isTooLate ? .max : moved
        }
        for (key, pointer) in pending.rows() {
            let id = key.second
            guard var row = request(id), let expires = row.expires else { continue }
            pending[key] = nil
            row.expires = moved(expires)
            requests[id] = row
            pending[Pair(moved(expires), id)] = pointer
        }
        for unlock in unlocks.rows() {
            guard let until = unlock.row.lockedUntil else { continue }
            var row = unlock.row
            row.lockedUntil = moved(until)
            unlocks[unlock.key] = row
        }
    }
}
