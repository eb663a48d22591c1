import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import DaybookSigner

/// What a user agreed to, in the call in which they did.
struct Approval: Sendable {
    let request: RequestID
    let wallet: WalletID
    /// The digest of the prompt that was shown.
    let prompt: Bytes
    /// What the user entered, in minor units.
    let amount: UInt64?
    /// Whether the wallet's passphrase was given and right, here or where the key is.
    let isUnlocked: Bool
    /// The time that a transaction names which was signed elsewhere; nil for the present.
    var began: UInt64?
}

/// A transaction that an approval would come to now, with what its signer has to know.
struct Proposal: Sendable {
    let request: RequestID
    let decision: DecisionMade
    /// When the approval began, in microseconds since 1970.
    let began: UInt64
    let wallet: WalletAdded
    /// The transaction; nil where none follows.
    let prepared: TransactionPrepared?
    /// Why there is none, where the approval would be refused.
    let refusal: Refusal?
    /// The terms of the prompt whose digest the approval names.
    let terms: Terms?
    /// The requests whose transactions made coins it spends, and the ids of these as displayed.
    let own: [(request: RequestID, txid: Bytes)]
}

/// The transaction that follows from a decision is another one than the one that was signed.
private struct TransactionChanged: Error {}

extension Store {
    /// Records an approval, with the transaction that follows from it and its signatures, in one
    /// commit.
    ///
    /// `sign` makes the signatures of a transaction, given those that made its coins. This is done
    /// beside the log's writer; in its turn the transaction is made again. If it is another one
    /// there, because coins came or went, the new one is signed.
    func record(
        _ approval: Approval, _ progress: ApprovalProgress? = nil,
        signedBy sign: (Proposal, _ previous: [UTXOTransaction]) async throws -> [Bytes]
    ) async throws {
        for _ in 0..<Self.mostTransactions {
            let proposal = try await compared(approval, progress)
            var signatures: [Bytes] = []
            if let prepared = proposal.prepared {
                progress?(.signing)
                let previous = try await previousTransactions(of: prepared, proposal)
                signatures = try await sign(proposal, previous)
                probe?("signed")
            }
            do {
                return try await decide(
                    approval.request, proposal.decision,
                    with: Self.companions(proposal, signatures))
            } catch is TransactionChanged {
                continue
            }
        }
        throw DaybookError(Refusal(.promptChanged))
    }

    /// The signatures belong to the transaction that they were made for, and to no other.
    private static func companions(
        _ proposal: Proposal, _ signatures: [Bytes]
    ) -> @Sendable (State, [Outcome]) throws -> [Journal.Input] {
        { _, outcomes in
            guard outcomes.prepared == proposal.prepared else { throw TransactionChanged() }
            if signatures.isEmpty { return [] }
            let made = SignatureMade(signatures: signatures)
            return [
                .init(
                    .signatureMade(made), request: .at(proposal.request), actor: .keystore
                ) { _, outcomes in
                    try check(signatures, of: proposal, outcomes)
                    return []
                }
            ]
        }
    }

    /// Keeps a signature out of the log that does not verify under the keys which the log names.
    ///
    /// It is good for the transaction that the signer saw. On record as a failure, the payment
    /// could be made again, and whoever reads the log could still send the first one.
    private static func check(
        _ signatures: [Bytes], of proposal: Proposal, _ outcomes: [Outcome]
    ) throws {
        if outcomes.contains(where: { $0.isTransactionSigned }) { return }
        guard let prepared = proposal.prepared,
            Signing.finish(prepared, on: proposal.wallet.chain, with: signatures) == nil
        else { return }
        throw DaybookError(
            "signingRefused", .refused,
            "the signatures do not verify under the keys that the store names: nothing was recorded"
        )
    }

    /// So often in a row other payments may take the coins of a transaction that is being signed.
    private static var mostTransactions: Int { 10 }

    /// What an approval would come to now, after another node was asked about it.
    func compared(
        _ approval: Approval, _ progress: ApprovalProgress? = nil
    ) async throws -> Proposal {
        let proposal = try proposal(for: approval)
        let begins: @Sendable () -> Void = { progress?(.comparingNodes) }
        guard try await worker.contradiction(to: proposal, begins) != nil else { return proposal }
        // What is on record may only be old: the node that serves has to say it now.
        try await worker.look(proposal.wallet.chain, proposal.wallet.network)
        let current = try self.proposal(for: approval)
        if let contradiction = try await worker.contradiction(to: current, begins) {
            throw contradiction
        }
        return current
    }

    /// What an approval would come to now.
    func proposal(for approval: Approval) throws -> Proposal {
        try journal.preview { preview in
            let state = preview.state
            guard let row = state.request(approval.request), let request = row.request,
                let wallet = state.wallet(approval.wallet)?.wallet
            else { throw DaybookError(Refusal(.unknownRequest)) }
            let began = approval.began ?? preview.time
            let decision = DecisionMade(
                decision: .approve, prompt: approval.prompt, wallet: approval.wallet,
                amount: approval.amount, unlocked: approval.isUnlocked, began: began)
            let prompt = state.prompt(
                for: request, id: approval.request, wallet: approval.wallet,
                amount: approval.amount, repeats: row.repeats)
            let outcomes = preview.outcomes(
                of: .decisionMade(decision), request: approval.request)
            let prepared = outcomes.prepared
            let own = (prepared?.previous ?? []).sorted().compactMap { id in
                state.request(signing: id.displayed, wallet.chain, wallet.network)
                    .map { (request: $0, txid: id.displayed) }
            }
            return Proposal(
                request: approval.request, decision: decision, began: began, wallet: wallet,
                prepared: prepared, refusal: outcomes.refusal,
                terms: prompt.digest == approval.prompt ? prompt.terms : nil, own: own)
        }
    }

    /// The whole transactions that made the coins of another; our own need no node.
    func previousTransactions(
        of prepared: TransactionPrepared, _ proposal: Proposal
    ) async throws -> [UTXOTransaction] {
        let own = try proposal.own.compactMap { request, txid in
            let signed = try journal.signed(by: request, txid)
            return try? UTXOTransaction.parse(signed.bytes)
        }
        let missing = prepared.previous.subtracting(own.map(\.txid)).sorted()
        if missing.isEmpty { return own }
        let (chain, network) = (proposal.wallet.chain, proposal.wallet.network)
        return own + (try await worker.transactions(missing, chain, network))
    }

    // Keys are derived and used beside the store's actor, so that other requests go on.
    @concurrent static func signatures(
        for proposal: Proposal, _ previous: [UTXOTransaction], by signer: borrowing Signer
    ) async throws -> [Bytes] {
        guard let prepared = proposal.prepared else { return [] }
        switch proposal.terms {
        case .payment(let terms):
            let paths = prepared.inputs.compactMap { DerivationPath($0.path) }
            let payment = UnsignedPayment(
                try UTXOTransaction.parse(prepared.bytes), inputPaths: paths,
                changePath: prepared.changePath.flatMap { DerivationPath($0) },
                previous: previous)
            return try signer.sign(payment, under: terms).map(\.signature.compact)
        case .icon(let terms):
            let params = try JSON.parse(prepared.bytes)
            return [try signer.sign(params, under: terms, at: proposal.began).bytes]
        case nil: throw DaybookError(Refusal(.promptChanged))
        }
    }
}

extension TransactionPrepared {
    /// The ids of the transactions that made the coins it spends.
    fileprivate var previous: Set<TransactionID> {
        Set(inputs.compactMap { $0.outpoint?.txid })
    }
}

extension Outcome {
    fileprivate var isTransactionSigned: Bool {
        if case .transactionSigned = payload { true } else { false }
    }
}

extension [Outcome] {
    /// The transaction that is among the outcomes of a decision.
    fileprivate var prepared: TransactionPrepared? {
        lazy.compactMap { outcome -> TransactionPrepared? in
            if case .transactionPrepared(let data) = outcome.payload { data } else { nil }
        }.first
    }

    /// Why there is none.
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
