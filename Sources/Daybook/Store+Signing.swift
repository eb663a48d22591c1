import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import DaybookSigner

/// A user's approval, as it was passed to the facade in this call.
struct Approval: Sendable {
    let request: RequestID
    let wallet: WalletID
    /// The digest of the prompt that was shown.
    let prompt: Bytes
    /// The amount that the user entered, in minor units.
    let amount: UInt64?
    /// The coins that the user chose.
    var coins = CoinChoice.automatic
    /// Whether the wallet was unlocked, here or on the machine that has its key.
    let isUnlocked: Bool
    /// The time in a transaction that was signed on another machine; nil for the present.
    var began: UInt64?
}

/// The transaction that an approval would lead to now, and what its signer needs to know.
struct Proposal: Sendable {
    let request: RequestID
    let decision: DecisionMade
    /// When the approval began, in microseconds since 1970.
    let began: UInt64
    let wallet: WalletAdded
    /// The unsigned transaction; nil if there is none.
    let prepared: TransactionPrepared?
    /// Why the approval would be refused, if it would.
    let refusal: Refusal?
    /// The terms of the prompt; nil if the approval's digest is not the prompt's.
    let terms: Terms?
    /// Transactions of our own that made coins which it spends.
    let own: [UTXOTransaction]
}

extension MinorAmount {
    /// The amount that a user entered, in duffs, as it is recorded.
    func entered() throws(DaybookError) -> UInt64 {
        guard let duffs = UInt64(exactly: self) else {
            throw DaybookError("invalidAmount", .usage, "nobody has \(self) duffs to pay")
        }
        return duffs
    }
}

extension Store {
    /// Records an approval, its transaction and the signatures in one commit.
    ///
    /// `sign` makes the signatures of a transaction, given the previous transactions that it
    /// spends. It runs before the commit, in which the decision is made again. If the decision then
    /// leads to another transaction, because the coins have changed, that one is signed. A key that
    /// signs here must count in that commit.
    func record(
        _ approval: Approval, by key: OpenedKey? = nil, _ progress: ApprovalProgress? = nil,
        signedBy sign: (Proposal, _ previous: [UTXOTransaction]) async throws -> [Bytes]
    ) async throws {
        for _ in 0..<Self.attemptLimit {
            let proposal = try await compared(approval, progress)
            var transaction = Journal.Input.Transaction.none
            if let prepared = proposal.prepared {
                progress?(.signing)
                let previous = try await previousTransactions(of: prepared, proposal)
                let signatures = try await sign(proposal, previous)
                transaction = .signed(
                    try await Self.verified(signatures, of: prepared, on: proposal.wallet.chain))
                probe?("signed")
            }
            do {
                return try await decide(
                    approval.request, proposal.decision, by: key, preparing: transaction)
            } catch is TransactionChanged {
                continue
            }
        }
        throw DaybookError(Refusal(.promptChanged))
    }

    /// Verifies signatures off the store's actor, and before the turn that records them.
    ///
    /// Others could still be valid for the transaction that the signer saw. If they were recorded
    /// as failed, the payment could be made again while a reader of the log sends the first one.
    @concurrent private static func verified(
        _ signatures: [Bytes], of prepared: TransactionPrepared, on chain: Chain
    ) async throws -> VerifiedSignatures {
        guard let verified = VerifiedSignatures(of: prepared, on: chain, signatures) else {
            throw DaybookError(
                "signingRefused", .refused,
                "the signatures do not verify under the keys that the store names: nothing was "
                    + "recorded")
        }
        return verified
    }

    /// How many times in a row other payments may take the coins while a transaction is signed.
    private static var attemptLimit: Int { 10 }

    /// The proposal for an approval, after comparison with another node.
    func compared(
        _ approval: Approval, _ progress: ApprovalProgress? = nil
    ) async throws -> Proposal {
        let proposal = try proposal(for: approval)
        let begins: @Sendable () -> Void = { progress?(.comparingNodes) }
        guard try await worker.contradiction(to: proposal, begins) != nil else { return proposal }
        // The recorded state may only be outdated: the serving node is scanned again.
        try await worker.scan(proposal.wallet.chainID)
        let current = try self.proposal(for: approval)
        if let contradiction = try await worker.contradiction(to: current, begins) {
            throw contradiction
        }
        return current
    }

    /// The proposal for an approval in the present state.
    func proposal(for approval: Approval) throws -> Proposal {
        try journal.preview { preview in
            let state = preview.state
            guard let row = state.request(approval.request), let request = row.request,
                let wallet = state.wallet(approval.wallet)?.wallet
            else { throw DaybookError(Refusal(.unknownRequest)) }
            let began = approval.began ?? preview.time
            let decision = DecisionMade(
                decision: .approve, prompt: approval.prompt, wallet: approval.wallet,
                amount: approval.amount, coins: approval.coins, unlocked: approval.isUnlocked,
                began: began)
            let prompt = state.prompt(
                for: request, id: approval.request, wallet: approval.wallet,
                amount: approval.amount, coins: approval.coins, repeats: row.repeats)
            let outcomes = preview.outcomes(
                of: .decisionMade(decision), request: approval.request)
            let prepared = outcomes.prepared
            let own = try (prepared?.previous ?? []).sorted().compactMap { id in
                try state.request(signing: id.displayed, wallet.chain, wallet.network)
                    .map { try preview.log.signed(by: $0, id.displayed) }
            }.compactMap { try? UTXOTransaction.parse($0.bytes) }
            return Proposal(
                request: approval.request, decision: decision, began: began, wallet: wallet,
                prepared: prepared, refusal: outcomes.refusal,
                terms: prompt.digest == approval.prompt ? prompt.terms : nil, own: own)
        }
    }

    /// The whole transactions whose outputs a transaction spends; our own came from the log.
    func previousTransactions(
        of prepared: TransactionPrepared, _ proposal: Proposal
    ) async throws -> [UTXOTransaction] {
        let missing = prepared.previous.subtracting(proposal.own.map(\.txid)).sorted()
        if missing.isEmpty { return proposal.own }
        return proposal.own + (try await worker.transactions(missing, on: proposal.wallet.chainID))
    }

    // Keys are derived and used off the store's actor, so that other requests continue.
    @concurrent static func signatures(
        for proposal: Proposal, _ previous: [UTXOTransaction], by key: OpenedKey
    ) async throws -> [Bytes] {
        guard let prepared = proposal.prepared else { return [] }
        switch proposal.terms {
        case .payment(let terms):
            let paths = prepared.inputs.compactMap { DerivationPath($0.path) }
            let payment = UnsignedPayment(
                try UTXOTransaction.parse(prepared.bytes), inputPaths: paths,
                changePath: prepared.changePath.flatMap { DerivationPath($0) },
                previous: previous)
            return try key.signer.sign(payment, under: terms).map(\.signature.compact)
        case .icon(let terms):
            let params = try JSON.parse(prepared.bytes)
            return [try key.signer.sign(params, under: terms, at: proposal.began).bytes]
        case nil: throw DaybookError(Refusal(.promptChanged))
        }
    }
}

extension TransactionPrepared {
    /// The ids of the transactions whose outputs it spends.
    fileprivate var previous: Set<TransactionID> {
        Set(inputs.compactMap { $0.outpoint?.txid })
    }
}

extension [Outcome] {
    /// Why the decision was refused.
    fileprivate var refusal: Refusal? {
        lazy.compactMap { outcome -> Refusal? in
            switch outcome.payload {
            case .decisionRefused(let data): data.refusal
            case .transactionFailed(let data): data.refusal
            default: nil
            }
        }.first
    }
}
