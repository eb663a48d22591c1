import DaybookEncoding

/// Senders that the user has blocked, and limits of how many requests may wait.
extension Decider {
    func isBlocked(_ caller: Caller?, _ input: Event, _ state: State) -> Bool {
        guard let caller else { return false }
        return settings(input, state).blockedSenders.contains(caller.scheme)
    }

    /// The limit that a request exceeds: how many may wait of one sender, and how many in all.
    ///
    /// Anyone can make up sender names. The limit on all requests therefore holds for senders that
    /// the user never approved; approved ones have only their own limit.
    func queueLimit(_ request: Request, _ input: Event, _ state: State) -> Refusal.Code? {
        let settings = settings(input, state)
        guard settings.pendingPerSender != nil || settings.pendingInTotal != nil else { return nil }
        // Requests are large, and mostly few wait: none is read while all of them would fit.
        let fewest = min(settings.pendingPerSender ?? .max, settings.pendingInTotal ?? .max)
        let most = Int(clamping: fewest)
        if state.pending.isShorter(than: most) { return nil }
        let scheme = request.caller?.scheme
        var (waiting, own): (UInt64, UInt64) = (0, 0)
        // A closure that holds the whole state would copy it.
        let requests = state.requests
        state.pending.walk { _, row in
            let sender = requests.read(row.target) { $0.callerScheme } ?? nil
            if let sender {
                waiting += 1
                if sender == scheme { own += 1 }
            }
            return true
        }
        if let most = settings.pendingPerSender, own >= most { return .tooManyFromSender }
        let isApproved = request.caller.map { state.hasApproved($0) } ?? false
        if let most = settings.pendingInTotal, waiting >= most, !isApproved {
            return .tooManyRequests
        }
        return nil
    }

    /// Refuses without an answer to the sender: a flood must not make the front end open as many
    /// URLs of the sender's.
    func refuseSilently(_ request: Request, _ code: Refusal.Code, _ id: RequestID) -> [Outcome] {
        let refused = RequestRefused(
            refusal: Refusal(code), protocolCode: nil, link: request.link)
        return [Outcome(.requestRefused(refused), request: id)]
    }
}
