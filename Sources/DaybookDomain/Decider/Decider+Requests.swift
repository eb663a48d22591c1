import DaybookChains
import DaybookCrypto
import DaybookEncoding

extension Decider {
    /// Decides on a link's text that arrived: refused, coalesced, deferred, or accepted for the
    /// user.
    func receive(_ data: RequestReceived, _ input: Event, in state: State) -> [Outcome] {
        let id = RequestID(input.position)
        switch parse(data.text, state.rules) {
        case .refused(let refusal, let caller, let reference):
            let link = link(parsing: data.text)
            let refused = RequestRefused(
                refusal: refusal, protocolCode: link?.code(of: refusal).map(Int64.init),
                link: link?.id)
            let outcome = Outcome(.requestRefused(refused), request: id)
            guard let caller, !isBlocked(caller, input, in: state),
                let url = link?.callback(
                    .refused(refusal), to: caller, reference: reference, by: state.rules)
            else { return [outcome] }
            let callback = CallbackEmitted(url: url)
            return [outcome, Outcome(.callbackEmitted(callback), request: id)]
        case .request(let request):
            if isBlocked(request.caller, input, in: state) {
                return refuse(request, id, because: Refusal(.senderBlocked), in: state)
            }
            if let copy = coalesce(request, input, in: state) { return copy }
            if let code = queueLimit(request, input, in: state) {
                return refuse(request, id, because: Refusal(code), in: state)
            }
            if let refusal = refusal(of: request, in: state) {
                return refuse(request, id, because: refusal, in: state)
            }
            if request.needsChain {
                let deferred = RequestDeferred(request: request)
                return [Outcome(.requestDeferred(deferred), request: id)]
            }
            return accept(request, id, input, in: state)
        }
    }

    /// Decides on a deferred request with the node's answer: refused, or accepted for the user.
    func resolveDeferred(
        _ request: Request, _ id: RequestID, with data: ChainObserved,
        freed: [(wallet: WalletID, reserve: TransactionPrepared.Reserve)], input: Event,
        in state: State
    ) -> [Outcome] {
        if case .remedy(let remedy, let payment) = request.action {
            return resolveDeferred(
                remedy, of: payment, request, id, with: data, input: input, in: state)
        }
        guard let wallet = state.candidates(for: request).first else {
            return refuse(request, id, because: Refusal(.walletNotFound), in: state)
        }
        if let refusal = state.lowStepLimit(of: request, wallet.row.wallet) {
            return refuse(request, id, because: refusal, in: state)
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
            request, wallet, estimate: data.estimate, in: state,
            available: available)
        {
            return refuse(request, id, because: refusal, in: state)
        }
        if let code = queueLimit(request, input, in: state) {
            return refuse(request, id, because: Refusal(code), in: state)
        }
        return accept(request, id, input, in: state)
    }

    /// Returns why a wallet can't pay the amount or the fee of an ICON transaction; nil if it can.
    ///
    /// The amount is checked before the fee.
    func insufficientFunds(
        _ request: Request, _ owner: (id: WalletID, row: WalletRow), estimate: UInt64?,
        in state: State, available: (String) -> UInt256
    ) -> Refusal? {
        let wallet = owner.row.wallet
        func lacking(_ code: Refusal.Code, _ needed: UInt256, of asset: String) -> Refusal {
            let unit = state.tokens[TokenKey(wallet.network, asset)]?.unit(of: asset)
            let shortage = Shortage(
                of: owner.id, asset: asset, in: unit ?? wallet.chain.rules.coin, state)
            let missing = needed.subtracting(available(asset)) ?? .zero
            return Refusal(code, parameter: shortage.reason(lacking: missing))
        }
        var coins = UInt256.zero
        switch request.action {
        case .sendToken(_, _, let value, let contract):
            guard state.tokens.contains(TokenKey(wallet.network, contract)) else {
                // The node has answered: the contract at this address is not a token.
                return Refusal(.notAToken, parameter: "contractAddress")
            }
            if value > available(contract) {
                return lacking(.insufficientBalance, value, of: contract)
            }
        case .sendICX(_, _, let value, _):
            coins = value
        case .sendTransaction(let parameters):
            coins = parameters["value"]?.stringValue.flatMap(ICONInteger.parse) ?? .zero
        case .pay, .address, .masterPublicKey, .bind, .sign, .remedy: return nil
        }
        if coins > available("ICX") { return lacking(.insufficientBalance, coins, of: "ICX") }
        guard let steps = state.steps(of: request, wallet, estimate: estimate),
            let fees = state.chain(.icon, wallet.network).iconFees
        else { return Refusal(.chainUnavailable) }
        guard let total = fees.fee(ofSteps: steps)?.adding(coins) else {
            return Refusal(.insufficientFee)
        }
        return total <= available("ICX") ? nil : lacking(.insufficientFee, total, of: "ICX")
    }

    func refuse(
        _ request: Request, _ id: RequestID, because refusal: Refusal, in state: State
    ) -> [Outcome] {
        let isSilent = state.rules.outcomes.silentRefusals.contains(refusal.code)
        let refused = RequestRefused(
            refusal: refusal, protocolCode: isSilent ? nil : code(of: refusal, request),
            link: request.link)
        let outcome = Outcome(.requestRefused(refused), request: id)
        if isSilent { return [outcome] }
        return [outcome] + callback(.refused(refusal), to: request, id: id, in: state)
    }

    /// Ends a deferred request because no node answered.
    func giveUp(_ data: ChainUnavailable, _ input: Event, in state: State) -> [Outcome] {
        guard let id = input.request, let row = state.request(id), row.status == .deferred,
            let request = row.request
        else { return [] }
        let refusal = Refusal(.chainUnavailable, parameter: data.reason)
        return refuse(request, id, because: refusal, in: state)
    }

    func accept(_ request: Request, _ id: RequestID, _ input: Event, in state: State)
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
        // An incomplete prompt would ask the user to approve something that they can't see.
        if prompt.isIncomplete {
            let refusal = Refusal(.cannotBeShown, parameter: request.shownKey)
            return refuse(request, id, because: refusal, in: state)
        }
        let expires = time(settings(input, in: state).expirySeconds, after: input)
        let accepted = RequestAccepted(
            request: request, prompt: prompt, digest: prompt.digest, expires: expires)
        return [Outcome(.requestAccepted(accepted), request: id)]
    }

    /// Returns the outcomes for a repeated text; nil if it is to be decided on as a new request.
    ///
    /// While the earlier request is open, the new one is coalesced into it. A Connect request that
    /// was answered and has not expired gets the same answer again, instead of being paid twice.
    private func coalesce(_ request: Request, _ input: Event, in state: State) -> [Outcome]? {
        let id = RequestID(input.position)
        guard let row = state.request(id),
            let twin = state.identical[KeyDigest(row.textDigest)],
            let earlier = state.request(twin.target)
        else { return nil }
        let coalesced = Outcome(
            .requestCoalesced(RequestCoalesced(into: twin.target)), request: id)
        let choices = state.rules.outcomes
        if choices.coalesces(earlier) { return [coalesced] }
        guard choices.answersAgain(request, earlier, input.time), let url = earlier.callback else {
            return nil
        }
        // If the payment was lost since, the answer is no longer true: the user decides again.
        if state.loss(of: earlier) != nil { return nil }
        let again = CallbackEmitted(url: url)
        return [coalesced, Outcome(.callbackEmitted(again), request: id)]
    }

    /// Returns why no wallet can answer a request; nil if one can.
    private func refusal(of request: Request, in state: State) -> Refusal? {
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
        case .bind, .sign, .sendICX, .sendToken, .sendTransaction, .remedy:
            return Refusal(.walletNotFound)
        }
    }
}

/// Blocked senders, and limits on the number of waiting requests.
extension Decider {
    func isBlocked(_ caller: Caller?, _ input: Event, in state: State) -> Bool {
        guard let caller else { return false }
        return settings(input, in: state).blockedSenders.contains(caller.scheme)
    }

    /// Returns the limit that a request exceeds: of waiting requests of one sender, or of all
    /// senders.
    ///
    /// Anyone can make up sender names. The limit on all requests therefore holds for senders that
    /// the user never approved; approved ones have only their own limit.
    func queueLimit(_ request: Request, _ input: Event, in state: State) -> Refusal.Code? {
        let settings = settings(input, in: state)
        guard settings.pendingPerSender != nil || settings.pendingInTotal != nil else { return nil }
        // Requests are large and few of them wait: none is read while the count is below both
        // limits.
        let fewest = min(settings.pendingPerSender ?? .max, settings.pendingInTotal ?? .max)
        let most = Int(clamping: fewest)
        if state.pending.isShorter(than: most) { return nil }
        let scheme = request.caller?.scheme
        var (waiting, own): (UInt64, UInt64) = (0, 0)
        // Captured alone, because a closure that captures the whole state would copy it.
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
}
