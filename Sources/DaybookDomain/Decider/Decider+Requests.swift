import DaybookChains
import DaybookCrypto
import DaybookEncoding

extension Decider {
    /// A link's text arrived.
    func receive(_ data: RequestReceived, _ input: Event, _ state: State) -> [Outcome] {
        let id = RequestID(input.position)
        switch parse(data.text) {
        case .refused(let refusal, let caller, let reference):
            let link = link(parsing: data.text)
            let refused = RequestRefused(
                refusal: refusal, protocolCode: link?.code(of: refusal).map(Int64.init),
                link: link?.id)
            let outcome = Outcome(.requestRefused(refused), request: id)
            guard let caller, !isBlocked(caller, input, state),
                let url = link?.callback(.refused(refusal), to: caller, reference: reference)
            else { return [outcome] }
            let callback = CallbackEmitted(url: url)
            return [outcome, Outcome(.callbackEmitted(callback), request: id)]
        case .request(let request):
            if isBlocked(request.caller, input, state) {
                return refuseSilently(request, .senderBlocked, id)
            }
            if let copy = coalesce(request, input, state) { return copy }
            if let code = queueLimit(request, input, state) {
                return refuseSilently(request, code, id)
            }
            if let refusal = refusal(of: request, state) {
                return refuse(request, refusal, id)
            }
            if request.needsChain {
                let deferred = RequestDeferred(request: request)
                return [Outcome(.requestDeferred(deferred), request: id)]
            }
            return accept(request, id, input, state)
        }
    }

    /// A node answered a question that a deferred request waits for.
    func resolveDeferred(
        _ id: RequestID, _ request: Request, _ data: ChainObserved,
        _ freed: [(wallet: WalletID, reserve: TransactionPrepared.Reserve)], _ input: Event,
        _ state: State
    ) -> [Outcome] {
        if case .remedy(let remedy, let payment) = request.action {
            return resolveDeferred(remedy, of: payment, id, request, data, input, state)
        }
        guard let wallet = state.candidates(for: request).first else {
            return refuse(request, Refusal(.walletNotFound), id)
        }
        func available(_ asset: String) -> UInt256 {
            let seen = data.balances.first { $0.address == wallet.row.address && $0.asset == asset }
            var held = state.balance(wallet.id, asset).reserved
            for item in freed where item.wallet == wallet.id && item.reserve.asset == asset {
                held = held.subtracting(item.reserve.amount) ?? .zero
            }
            return seen?.amount.subtracting(held) ?? .zero
        }
        if let refusal = insufficientFunds(
            request, wallet.row.wallet, estimate: data.estimate, state, available)
        {
            return refuse(request, refusal, id)
        }
        if let code = queueLimit(request, input, state) { return refuseSilently(request, code, id) }
        return accept(request, id, input, state)
    }

    /// Whether the balance lacks the amount or the fee; the amount is looked at first.
    func insufficientFunds(
        _ request: Request, _ wallet: WalletAdded, estimate: UInt64?, _ state: State,
        _ available: (String) -> UInt256
    ) -> Refusal? {
        var coins = UInt256.zero
        switch request.action {
        case .sendToken(_, _, let value, let contract):
            guard state.tokens.contains(TokenKey(wallet.network, contract)) else {
                // The chain has answered: what is there does not say that it is a token.
                return Refusal(.notAToken, parameter: "contractAddress")
            }
            if value > available(contract) { return Refusal(.insufficientBalance) }
        case .sendICX(_, _, let value, _):
            coins = value
        case .sendTransaction(let parameters):
            coins = parameters["value"]?.stringValue.flatMap(ICONInteger.parse) ?? .zero
        default: return nil
        }
        if coins > available("ICX") { return Refusal(.insufficientBalance) }
        guard let steps = state.steps(of: request, wallet, estimate: estimate),
            let price = state.chain(.icon, wallet.network).steps?.price
        else { return Refusal(.chainUnavailable) }
        guard let total = price.multiplied(by: steps)?.adding(coins),
            total <= available("ICX")
        else { return Refusal(.insufficientFee) }
        return nil
    }

    func refuse(_ request: Request, _ refusal: Refusal, _ id: RequestID) -> [Outcome] {
        let refused = RequestRefused(
            refusal: refusal, protocolCode: code(of: refusal, request), link: request.link)
        return [Outcome(.requestRefused(refused), request: id)]
            + callback(.refused(refusal), to: request, id: id)
    }

    /// No node answered: a request that waits for one ends as its protocol says.
    func giveUp(_ data: ChainUnavailable, _ input: Event, _ state: State) -> [Outcome] {
        guard let id = input.request, let row = state.request(id), row.status == .deferred,
            let request = row.request
        else { return [] }
        return refuse(request, Refusal(.chainUnavailable, parameter: data.reason), id)
    }

    func accept(_ request: Request, _ id: RequestID, _ input: Event, _ state: State)
        -> [Outcome]
    {
        let row = state.request(id)
        let latest = row.flatMap {
            state.identical[KeyDigest($0.textDigest)]?.target
        }
        let repeats = row?.repeats ?? (latest == id ? nil : latest)
        let prompt = state.prompt(
            for: request, id: id, wallet: state.offered(for: request, id, repeats: repeats),
            amount: nil, repeats: repeats)
        // Cut short, it would have its user agree to what nobody saw.
        if prompt.isIncomplete {
            return refuse(request, Refusal(.cannotBeShown, parameter: request.shownKey), id)
        }
        let expires = time(settings(input, state).expirySeconds, after: input)
        let accepted = RequestAccepted(
            request: request, prompt: prompt, digest: prompt.digest, expires: expires)
        return [Outcome(.requestAccepted(accepted), request: id)]
    }

    /// The same text again: while the first is open it is one request; a Connect request that was
    /// answered a moment ago gets the same answer again instead of being paid twice.
    private func coalesce(_ request: Request, _ input: Event, _ state: State) -> [Outcome]? {
        let id = RequestID(input.position)
        guard let row = state.request(id),
            let twin = state.identical[KeyDigest(row.textDigest)],
            let earlier = state.request(twin.target)
        else { return nil }
        let coalesced = Outcome(
            .requestCoalesced(RequestCoalesced(into: twin.target)), request: id)
        if !earlier.status.isTerminal { return [coalesced] }
        let isFresh = earlier.expires.map { $0 > input.time } ?? false
        // One that was executed after it had failed has told its caller that it failed.
        guard request.reference != nil, earlier.status == .completed, earlier.refusal == nil,
            isFresh, let url = earlier.callback
        else { return nil }
        // Nor is the answer true of a payment that came to nothing since: its user decides anew.
        if state.loss(of: earlier) != nil { return nil }
        let again = CallbackEmitted(url: url)
        return [coalesced, Outcome(.callbackEmitted(again), request: id)]
    }

    /// What the wallets that there are say against a request.
    private func refusal(of request: Request, _ state: State) -> Refusal? {
        let wallets = state.wallets(of: request.chain)
        guard !wallets.isEmpty else {
            guard let from = request.action.sender else { return Refusal(.noWallet) }
            return Refusal(.walletNotFound, parameter: from)
        }
        if let from = request.action.sender {
            let owners = wallets.filter { $0.row.address == from }
            guard !owners.isEmpty else { return Refusal(.walletNotFound, parameter: from) }
            if request.action.receiver == from { return Refusal(.sameAddress) }
            if let nid = request.action.networkID,
                !owners.contains(where: { $0.row.wallet.networkID == nid })
            {
                return Refusal(.invalidParameter, parameter: "nid")
            }
        }
        guard state.candidates(for: request).isEmpty else { return nil }
        switch request.action {
        case .pay: return Refusal(.wrongNetwork)
        case .address, .masterPublicKey: return Refusal(.unknownAccount)
        default: return Refusal(.walletNotFound)
        }
    }
}

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
