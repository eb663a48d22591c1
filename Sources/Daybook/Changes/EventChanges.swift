import DaybookChains
import DaybookDomain
import DaybookEncoding

/// The table of what each type of event changes for front ends.
///
/// A change too many makes a front end read something again, and a change too few makes it show
/// something old: where an event alone does not say which wallets it concerns, all are named that
/// it can concern.
enum EventChanges {
    /// The changes that follow from an event; `state` is that of any later event.
    static func of(_ event: Event, in state: State) -> [StoreChange.Change] {
        let request = event.request.map { [StoreChange.Change(.request, request: $0)] } ?? []
        return switch event.payload {
        case .sessionStarted(let data): changesSettings(data, event, state) ? [.init(.policy)] : []
        case .clockSet: [.init(.request)]
        case .walletAdded: [.init(.wallet, wallet: WalletID(event.position))]
        // Prompts show the label.
        case .walletRenamed(let data): [.init(.wallet, wallet: data.wallet), .init(.request)]
        case .walletRemoved(let data):
            [.init(.wallet, wallet: data.wallet), .init(.balance, wallet: data.wallet)]
        case .coinFrozen(let data): coins(of: data.wallet)
        case .coinUnfrozen(let data): coins(of: data.wallet)
        case .labelSet(let data): labels(data, state)
        case .priceSet, .priceWithdrawn: histories(state)
        case .unlockLocked(let data): [.init(.wallet, wallet: data.wallet)]
        case .chainObserved(let data): [.init(.node)] + balances(data, state)
        case .chainUnavailable(let data):
            [.init(.node)] + (event.request == nil ? outage(data, state) : [])
        case .paymentReceived(let data): [.init(.balance, wallet: data.wallet)]
        case .paymentMade(let data): [.init(.balance, wallet: data.wallet)]
        case .bindingGranted(let data): request + [.init(.wallet, wallet: data.wallet)]
        case .callbackEmitted: request + callback(event)
        case .callbackDelivered: callback(event)
        case .transactionPrepared(let data): request + [.init(.balance, wallet: data.wallet)]
        case .transactionLocked(let data): request + [.init(.balance, wallet: data.wallet)]
        case .transactionConfirmed(let data): request + [.init(.balance, wallet: data.wallet)]
        case .transactionReorganised(let data): request + [.init(.balance, wallet: data.wallet)]
        case .transactionDropped(let data): request + [.init(.balance, wallet: data.wallet)]
        case .transactionSent, .transactionFailed, .requestRejected, .requestCancelled:
            request + balance(event, state)
        case .requestReceived, .remedyRequested, .requestDeferred, .requestAccepted,
            .requestRefused, .requestCoalesced, .requestExpired, .decisionMade,
            .transactionSigned, .broadcastAnswered:
            request
        // An outcome follows that says what has changed, or nothing is shown of them.
        case .timePassed, .unlockFailed, .signatureMade, .signatureFailed, .decisionRefused,
            .checkpointMade, .checkpointCosigned, .checkpointStamped:
            []
        }
    }

    /// Prompts depend on the coins that can be spent.
    private static func coins(of wallet: WalletID) -> [StoreChange.Change] {
        [.init(.balance, wallet: wallet), .init(.request)]
    }

    /// The lists that show labels: requests, and the wallets' histories and coins.
    private static func labels(_ data: LabelSet, _ state: State) -> [StoreChange.Change] {
        let requests = data.labels.map { label -> StoreChange.Change in
            if case .request(let id) = label.subject { return .init(.request, request: id) }
            return .init(.request)
        }
        return requests + histories(state)
    }

    private static func histories(_ state: State) -> [StoreChange.Change] {
        state.wallets().map { .init(.balance, wallet: $0.id) }
    }

    /// The balances of the wallets whose chain can't be read, which then say so.
    private static func outage(_ data: ChainUnavailable, _ state: State) -> [StoreChange.Change] {
        state.wallets(of: data.chain).filter { $0.row.wallet.network == data.network }
            .map { .init(.balance, wallet: $0.id) }
    }

    private static func callback(_ event: Event) -> [StoreChange.Change] {
        event.request.map { [.init(.callback, request: $0)] } ?? []
    }

    /// The balance of the wallet that a request's payment is from, if it has one.
    private static func balance(_ event: Event, _ state: State) -> [StoreChange.Change] {
        let wallet = event.request.flatMap { state.request($0)?.wallet }
        return wallet.map { [.init(.balance, wallet: $0)] } ?? []
    }

    /// The balances of the chain's wallets, if anything is new that amounts depend on.
    ///
    /// A new tip counts as such: it can make block rewards spendable.
    private static func balances(_ data: ChainObserved, _ state: State) -> [StoreChange.Change] {
        let isOfAmounts = data.height != nil || !data.outputs.isEmpty || !data.removed.isEmpty
            || !data.balances.isEmpty || !data.tokens.isEmpty
        guard isOfAmounts else { return [] }
        return state.wallets(of: data.chain)
            .filter { $0.row.wallet.network == data.network }
            .map { .init(.balance, wallet: $0.id) }
    }

    /// Whether a session began with other settings than the one before it.
    private static func changesSettings(
        _ data: SessionStarted, _ event: Event, _ state: State
    ) -> Bool {
        var before: Settings?
        state.sessions.walkBackward(before: SessionID(event.position)) { _, row in
            before = row.settings
            return false
        }
        return before.map { $0 != data.settings } ?? false
    }
}
