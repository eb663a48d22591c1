import DaybookChains
import DaybookCrypto
import DaybookDomain
public import DaybookEncoding
import DaybookSigner

/// A step of an approval that may take long.
public enum ApprovalStep: Sendable {
    /// A node is asked whether it answers, and what a transaction costs now.
    case askingNode
    /// The wallet's key is opened.
    case unlocking
    /// Another node is asked what it says of the coins and prices that the payment relies on.
    case comparingNodes
    /// The transaction is signed, and recorded with its signatures.
    case signing
    /// The transaction is sent, and the chain is asked what became of it.
    case sending
    /// A payment that requires InstantSend waits for its lock.
    case waitingForLock
}

/// Hears which step of an approval begins.
public typealias ApprovalProgress = @Sendable (ApprovalStep) -> Void

extension Store {
    /// Approves what was shown: unlocks the wallet, signs, sends, and makes the callback.
    ///
    /// The approval counts only if `prompt` is what would be done now, and the signer signs only a
    /// transaction that does what `prompt` says. The decision, the transaction and its signatures
    /// are recorded in one commit, before anything is sent. `amount` (minor units) is for requests
    /// that leave it to the user; then `prompt` comes from `prompt(for:amount:)`. Handing out an
    /// address or a key asks for the passphrase too; `bind` does not. Approving a request again
    /// whose transaction was not sent yet sends it. What is to be sent through a real node stays
    /// pending while that node does not answer. A payment that requires InstantSend waits half a
    /// minute for its lock; without one it stays `sent`, and `sync` tells when it comes.
    ///
    /// Where several nodes are set, another one is asked about the coins, balances and prices that
    /// the payment relies on; if the two contradict each other, nothing is signed. `progress` hears
    /// of each step. A task that is cancelled has signed nothing, or the payment is in flight and
    /// `sync` goes on with it.
    ///
    /// - Throws: `wrongPassphrase`, `lockedOut`, `promptChanged`, `alreadyDecided`, `expired`,
    ///   `unknownRequest`, `signingRefused`, `insufficientBalance`, `nodeContradiction`, the other
    ///   codes of nodes and the other refusals of `docs/EVENTS.md`.
    public func approve(
        _ id: RequestID, shown prompt: PromptText, wallet: WalletID? = nil, amount: UInt64? = nil,
        unlockedBy passphrase: consuming Passphrase?, progress: ApprovalProgress? = nil
    ) async throws -> WalletRequest {
        let plan = try await facing {
            try await journal.recordDue(settingClock: true)
            return try makePlan(for: id, wallet)
        }
        activeRequests.begin(id)
        defer { activeRequests.end(id) }
        if plan.status == .pending {
            try await facing { try await ask(plan, id, progress) }
            let approval = Approval(
                request: id, wallet: plan.wallet, prompt: prompt.digest, amount: amount,
                isUnlocked: plan.needsKey)
            if plan.needsKey {
                try facing { try refuseWatched(plan.row) }
                guard let passphrase else {
                    throw DaybookError(
                        "passphraseMissing", .passphrase, "the wallet's passphrase is needed")
                }
                progress?(.unlocking)
                guard let signer = try await unlock(plan, id, passphrase) else {
                    return try request(id)
                }
                // Others may have guessed meanwhile: of many guesses at once none counts then.
                try facing { try refuseGuesses(of: plan.wallet) }
                try await facing {
                    try await record(approval, progress) { proposal, previous in
                        try await Self.signatures(for: proposal, previous, by: signer)
                    }
                }
            } else {
                try await facing {
                    // Only altered rows could make a transaction of what needs no key.
                    try await record(approval, progress) { _, _ in
                        throw DaybookError(Refusal(.walletLocked))
                    }
                }
            }
        }
        return try await facing { try await finish(id, progress) }
    }

    /// Asks the chain what an approval needs to know of it.
    func ask(
        _ plan: Plan, _ id: RequestID, _ progress: ApprovalProgress? = nil
    ) async throws {
        if plan.isRemedy || plan.asksNode { progress?(.askingNode) }
        if plan.isRemedy { return try await worker.checkRemedy(id, plan.row) }
        if plan.asksNode { try await worker.reach(plan.row.chain, plan.row.network) }
    }

    /// Refuses to unlock what has no key here.
    private func refuseWatched(_ wallet: WalletAdded) throws {
        guard wallet.isWatchOnly else { return }
        throw DaybookError(
            "watchOnly", .refused,
            "the wallet's key is on another machine: write what it signs with `--offline FILE`")
    }

    /// Sends what was approved, and waits for the lock that it may demand.
    func finish(
        _ id: RequestID, _ progress: ApprovalProgress? = nil
    ) async throws -> WalletRequest {
        progress?(.sending)
        try await worker.run(for: id)
        try await worker.waitForLock(of: id) { progress?(.waitingForLock) }
        return try view(id)
    }

    /// What an approval works on.
    struct Plan {
        let wallet: WalletID
        let row: WalletAdded
        let status: RequestRow.Status
        let needsKey: Bool
        /// Whether a real node must answer before the user's word is taken.
        let asksNode: Bool
        /// Whether a transaction follows, which is signed here or elsewhere.
        let makesTransaction: Bool
        /// Whether that transaction names the time of its approval.
        let takesTimeOfApproval: Bool
        /// Whether it bumps or cancels another.
        let isRemedy: Bool
    }

    func makePlan(for id: RequestID, _ wallet: WalletID?) throws -> Plan {
        try journal.read { state in
            guard let row = state.request(id) else {
                throw DaybookError(Refusal(.unknownRequest))
            }
            guard let request = row.request, row.status.canBeApproved else {
                throw DaybookError(Refusal(row.status == .expired ? .expired : .alreadyDecided))
            }
            let chosen = row.status == .pending ? wallet : row.wallet
            let offered = state.offered(for: request, id, repeats: row.repeats)
            guard let number = chosen ?? offered,
                let owner = state.wallet(number)
            else { throw DaybookError(Refusal(.wrongWallet)) }
            return Plan(
                wallet: number, row: owner.wallet, status: row.status,
                needsKey: request.needsKey(of: owner.wallet),
                asksNode: request.sendsTransaction && owner.wallet.network != .sandbox,
                makesTransaction: request.action.makesTransaction,
                takesTimeOfApproval: request.action.takesTimeOfApproval,
                isRemedy: request.action.isRemedy)
        }
    }

    // MARK: - Unlocking

    /// Opens the wallet's sealed key. A wrong passphrase is an event, and after some of them none
    /// is taken for a while. A key that is gone or damaged ends a request whose protocol has an
    /// answer for that; then nil is returned.
    private func unlock(_ plan: Plan, _ id: RequestID, _ passphrase: borrowing Passphrase)
        async throws -> Signer?
    {
        try facing { try refuseGuesses(of: plan.wallet) }
        do throws(KeystoreError) {
            return try await Self.opened(plan.row.fingerprint, in: keystore, passphrase)
        } catch .wrongPassphrase {
            throw try await recordWrongPassphrase(of: plan.wallet, request: .at(id))
        } catch {
            let reason = error
            if reason.canBeMended { throw DaybookError.from(reason) }
            try await facing {
                try await journal.record { _, _ in
                    let failed = SignatureFailed(reason: DaybookError.from(reason).code)
                    return [
                        .init(.signatureFailed(failed), request: .at(id), actor: .keystore)
                    ]
                }
                if try view(id).status == .pending { throw reason }
            }
            return nil
        }
    }

    // To guess a passphrase has to take long, and so does to know it: other requests go on.
    @concurrent static func opened(
        _ name: String, in keystore: any KeyVault, _ passphrase: borrowing Passphrase
    ) async throws(KeystoreError) -> Signer {
        try keystore.unlock(name: name, passphrase: passphrase.secret)
    }
}

extension KeystoreError {
    /// Whether the key is there and whole, so that the user can approve again.
    fileprivate var canBeMended: Bool {
        switch self {
        case .permission, .tooNew, .system, .keyDerivation: true
        default: false
        }
    }
}

extension RequestRow.Status {
    /// Whether approving is the user's to do, or its transaction is still to be sent.
    fileprivate var canBeApproved: Bool {
        switch self {
        case .pending, .signed, .sent: true
        default: false
        }
    }
}
