import DaybookChains
package import DaybookEncoding

/// The business rules: computes the outcomes that follow from the state and one input.
///
/// `decide` is pure and total. `state` already contains the input; the caller then applies the
/// outcomes to it in order. Replay calls the same function with the recorded inputs. The
/// differences between engines are not here but in `Rules`: the code asks `state.rules`.
package struct Decider: Sendable {
    private let links: [any LinkProtocol]
    private let engines: Engines
    let parse: @Sendable (Bytes, Rules) -> LinkReading

    /// Creates a decider for some link protocols; `parse` parses a link's text with them.
    package init(
        links: [any LinkProtocol], by engines: Engines = .known,
        parse: @escaping @Sendable (Bytes, Rules) -> LinkReading
    ) {
        self.links = links
        self.engines = engines
        self.parse = parse
    }

    /// The outcomes of an input, in order; nil if the engine of its session is unknown.
    package func decide(_ state: State, _ input: Event) -> [Outcome]? {
        state.seen(in: input.session, by: engines) { outcomes(of: input, in: $0) }
    }

    private func outcomes(of input: Event, in state: State) -> [Outcome] {
        switch input.payload {
        case .requestReceived(let data): receive(data, input, in: state)
        case .remedyRequested(let data): receive(data, input, in: state)
        case .decisionMade(let data): decide(data, input, in: state)
        case .timePassed: expire(input, in: state)
        case .unlockFailed(let data): lock(data, input, in: state)
        case .chainObserved(let data): observe(data, input, in: state)
        case .chainUnavailable(let data): giveUp(data, input, in: state)
        case .signatureMade(let data): sign(data, input, in: state)
        case .signatureFailed: fail(.signingFailed, input, in: state)
        case .broadcastAnswered(let data): settle(data, input, in: state)
        case .sessionStarted, .clockSet, .walletAdded, .walletRenamed, .walletRemoved,
            .coinFrozen, .coinUnfrozen, .labelSet, .priceSet, .priceWithdrawn,
            .callbackDelivered, .checkpointMade, .checkpointCosigned, .checkpointStamped,
            .requestDeferred, .requestAccepted, .requestRefused, .requestCoalesced,
            .requestRejected, .requestExpired, .requestCancelled, .decisionRefused, .unlockLocked,
            .paymentReceived, .paymentMade, .transactionPrepared, .transactionSigned,
            .transactionSent, .transactionLocked, .transactionFailed, .transactionConfirmed,
            .transactionReorganised, .transactionDropped, .bindingGranted, .callbackEmitted:
            []
        }
    }

    /// The protocol that a recorded request belongs to.
    package func link(_ id: String) -> (any LinkProtocol)? {
        links.first { $0.id == id }
    }

    /// The protocol that can parse a text, and whose rules a refusal of it follows.
    package func link(parsing text: Bytes) -> (any LinkProtocol)? {
        let text = Text.trimmed(text)
        return links.first { $0.canParse(text) }
    }

    /// The callback that tells a caller the reply, if the request's protocol sends one.
    func callback(
        _ reply: Reply, to request: Request, id: RequestID?, in state: State
    ) -> [Outcome] {
        guard let caller = request.caller,
            let url = link(request.link)?.callback(
                reply, to: caller, reference: request.reference, by: state.rules)
        else { return [] }
        return [Outcome(.callbackEmitted(CallbackEmitted(url: url)), request: id)]
    }

    func code(of refusal: Refusal, _ request: Request) -> Int64? {
        link(request.link)?.code(of: refusal).map(Int64.init)
    }

    private func expire(_ input: Event, in state: State) -> [Outcome] {
        var outcomes: [Outcome] = []
        for id in state.requests(expiringBy: input.time) {
            guard let row = state.request(id), let request = row.request,
                let expires = row.expires, expires <= input.time
            else { continue }
            outcomes.append(Outcome(.requestExpired(RequestExpired()), request: id))
            outcomes += callback(.refused(Refusal(.expired)), to: request, id: id, in: state)
        }
        return outcomes
    }

    /// Locks a wallet after a few wrong passphrases in a row, each time for twice as long.
    private func lock(_ data: UnlockFailed, _ input: Event, in state: State) -> [Outcome] {
        let settings = settings(input, in: state)
        guard let row = state.unlocks[data.wallet],
            row.failures >= settings.freeUnlockFailures
        else { return [] }
        let limits = state.rules.limits
        // More doublings change nothing: 32 of a second are a century.
        let doublings = min(row.failures - settings.freeUnlockFailures, 32)
        let seconds = min(limits.firstLockSeconds << doublings, limits.longestLockSeconds)
        let locked = UnlockLocked(wallet: data.wallet, until: time(seconds, after: input))
        return [Outcome(.unlockLocked(locked), request: input.request)]
    }

    /// The time some seconds after an input; the greatest time if the sum overflows.
    func time(_ seconds: UInt64, after input: Event) -> UInt64 {
        let (wait, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (time, isTooLate) = input.time.addingReportingOverflow(wait)
        return isTooLong || isTooLate ? .max : time
    }

    func settings(_ input: Event, in state: State) -> Settings {
        state.sessions[input.session]?.settings ?? Settings()
    }
}
