import DaybookChains
import DaybookCrypto
import DaybookDomain
public import DaybookEncoding
import DaybookLog
import DaybookSigner

/// A step of an approval that may take some time.
public enum ApprovalStep: String, Codable, Hashable, Sendable, CaseIterable {
    /// Checking that a node answers, and the present fee rate.
    case askingNode
    /// Unlocking the wallet's key.
    case unlocking
    /// Asking another node about the coins and prices that the payment relies on.
    case comparingNodes
    /// Signing the transaction and recording it with its signatures.
    case signing
    /// Sending the transaction and scanning the chain for it.
    case sending
    /// Waiting for the InstantSend lock that a payment requires.
    case waitingForLock
}

/// Called when a step of an approval begins.
public typealias ApprovalProgress = @Sendable (ApprovalStep) -> Void

extension Store {
    /// Approves a request as shown: unlocks the wallet, signs, sends, and makes the callback.
    ///
    /// The approval is valid only if the prompt still has the digest `shown`, and the signer signs
    /// only a transaction that does what that prompt says. The decision, the transaction and its
    /// signatures are recorded in one commit, before anything is sent. `amount` is for requests
    /// that leave it to the user, as are all coins (`.all`); the prompt then comes from
    /// `prompt(for:amount:coins:)`.
    /// Giving an address or a public key needs the passphrase as well; `bind` does not. Without a
    /// passphrase, a payment is signed with the key that `unlock` holds. Approving a signed request
    /// again sends its transaction. A request that needs a node stays pending while that node
    /// does not answer. A payment that requires InstantSend waits half a minute for its lock;
    /// without a lock it stays `sent`, and `sync` records the lock later.
    ///
    /// If several nodes are set, another one is asked about the coins, balances and prices that the
    /// payment relies on; if the two contradict each other, nothing is signed. `progress` is called
    /// at each step. If the task is cancelled, either nothing was signed, or the payment is in
    /// flight and `sync` continues it.
    ///
    /// - Throws: `wrongPassphrase`, `passphraseMissing`, `lockedOut`, `promptChanged`,
    ///   `alreadyDecided`, `expired`, `unknownRequest`, `signingRefused`, `insufficientBalance`,
    ///   `nodeContradiction`, the other codes of nodes and the other refusals of `docs/EVENTS.md`.
    @discardableResult
    public func approve(
        _ id: RequestID, shown digest: PromptDigest, wallet: WalletID? = nil,
        amount: MinorAmount? = nil, coins: ChosenCoins = .automatic,
        unlockedBy passphrase: consuming Passphrase?, progress: ApprovalProgress? = nil
    ) async throws(DaybookError) -> WalletRequest {
        // Taken out and wiped as soon as the key is unlocked.
        var passphrase = consume passphrase
        return try await convertingErrors {
            let plan = try await journal.readCurrent(settingClock: true) { state, _ in
                try Plan(for: id, wallet, in: state)
            }
            activeRequests.begin(id)
            defer { activeRequests.end(id) }
            if plan.status == .pending {
                try await ask(plan, id, progress)
                let approval = Approval(
                    request: id, wallet: plan.wallet, prompt: digest.bytes,
                    amount: try amount?.entered(),
                    coins: try coins.recorded(), isUnlocked: plan.needsKey)
                guard try await record(approval, for: plan, with: &passphrase, progress) else {
                    return try view(id)
                }
            }
            return try await finish(plan, id, progress)
        }
    }

    /// Records an approval with what it leads to; false if the key is gone, which is recorded.
    private func record(
        _ approval: Approval, for plan: Plan, with passphrase: inout Passphrase?,
        _ progress: ApprovalProgress?
    ) async throws -> Bool {
        guard plan.needsKey else {
            try await record(approval, progress) { _, _ in
                // Only altered rows could lead to a transaction of a request without a key.
                throw DaybookError(Refusal(.walletLocked))
            }
            return true
        }
        try refuseWatchOnly(plan.row)
        guard let passphrase = passphrase.take() else {
            try await approveUnlocked(approval, plan, progress)
            return true
        }
        progress?(.unlocking)
        guard let key = try await unlock(plan, approval.request, passphrase) else {
            return false
        }
        try await record(approval, by: key, progress) { proposal, previous in
            try await Self.signatures(for: proposal, previous, by: key)
        }
        return true
    }

    /// Approves a request whose prompt was shown; otherwise as with the prompt's digest.
    @discardableResult
    public func approve(
        _ id: RequestID, shown prompt: PromptText, wallet: WalletID? = nil,
        amount: MinorAmount? = nil, coins: ChosenCoins = .automatic,
        unlockedBy passphrase: consuming Passphrase?, progress: ApprovalProgress? = nil
    ) async throws(DaybookError) -> WalletRequest {
        try await approve(
            id, shown: prompt.digest, wallet: wallet, amount: amount, coins: coins,
            unlockedBy: passphrase, progress: progress)
    }

    /// Sends a signed request's transaction again, as a repeated `approve` does.
    ///
    /// - Throws: `unknownRequest`, `notSigned`, `alreadyDecided`, `expired`, codes of nodes.
    public func send(
        _ id: RequestID, progress: ApprovalProgress? = nil
    ) async throws(DaybookError) -> WalletRequest {
        try await convertingErrors {
            let plan = try journal.read { try Plan(for: id, nil, in: $0) }
            guard plan.status != .pending else {
                throw DaybookError("notSigned", .refused, "request \(id) is not signed yet")
            }
            activeRequests.begin(id)
            defer { activeRequests.end(id) }
            return try await finish(plan, id, progress)
        }
    }

    /// Asks the chain what must be known before an approval.
    func ask(
        _ plan: Plan, _ id: RequestID, _ progress: ApprovalProgress? = nil
    ) async throws {
        guard let question = plan.question else { return }
        progress?(.askingNode)
        if plan.isRemedy { return try await worker.checkRemedy(id, plan.row) }
        try await worker.checkReachable(plan.row.chainID, question)
    }

    /// Refuses to unlock a wallet whose key is on another machine.
    func refuseWatchOnly(_ wallet: WalletAdded) throws {
        guard wallet.isWatchOnly else { return }
        throw DaybookError(
            "watchOnly", .refused,
            "the wallet's key is on another machine: write a signing request with `--offline FILE`")
    }

    /// Sends an approved transaction, and waits for the InstantSend lock that it may require.
    func finish(
        _ plan: Plan, _ id: RequestID, _ progress: ApprovalProgress? = nil
    ) async throws -> WalletRequest {
        progress?(.sending)
        try await worker.run(for: id)
        try await worker.waitForLock(of: id) { progress?(.waitingForLock) }
        return try viewRecorded(id, answering: true)
    }

    /// The work of an approval for a request.
    struct Plan {
        let wallet: WalletID
        let row: WalletAdded
        let status: RequestRow.Status
        let needsKey: Bool
        /// The question for a node before the approval is recorded; nil if it sends nothing.
        let question: ChainQuery?
        /// Whether the approval leads to a transaction, signed here or on another machine.
        let makesTransaction: Bool
        /// Whether the transaction contains the time of its approval.
        let takesTimeOfApproval: Bool
        /// Whether the transaction bumps or cancels another.
        let isRemedy: Bool

        init(for id: RequestID, _ wallet: WalletID?, in state: borrowing State) throws {
            guard let request = state.request(id) else {
                throw DaybookError(Refusal(.unknownRequest))
            }
            status = request.status
            guard let asked = request.request, status.canBeApproved else {
                throw DaybookError(closed: id, request, in: state)
            }
            let chosen = status == .pending ? wallet : request.wallet
            let number: WalletID? =
                if let chosen { chosen } else {
                    state.offered(for: asked, id, repeats: request.repeats)
                }
            guard let number, let owner = state.wallet(number)?.wallet else {
                throw DaybookError(Refusal(.wrongWallet))
            }
            (self.wallet, row) = (number, owner)
            needsKey = asked.needsKey(of: owner)
            question = asked.sendsTransaction
                ? ChainQuery(identityOf: owner.chain, owner.network, in: state) : nil
            makesTransaction = asked.action.makesTransaction
            takesTimeOfApproval = asked.action.takesTimeOfApproval
            isRemedy = asked.action.isRemedy
        }
    }

    // MARK: - Unlocking

    /// Unlocks the wallet's sealed key.
    ///
    /// A wrong passphrase is recorded, and several of them lock the wallet for a while. A missing
    /// or damaged key ends a request whose protocol has a code for that; then the result is nil.
    private func unlock(
        _ plan: Plan, _ id: RequestID, _ passphrase: borrowing Passphrase
    ) async throws(DaybookError) -> OpenedKey? {
        do {
            return try await openKey(of: plan.wallet, with: passphrase, for: .at(id))
        } catch let reason as KeystoreError {
            if reason.isRetryable { throw DaybookError.from(reason) }
            try await convertingErrors {
                let failed = SignatureFailed(reason: DaybookError.from(reason).code.rawValue)
                try await journal.record(
                    .init(.signatureFailed(failed), request: .at(id), actor: .keystore))
                if try view(id).status == .pending { throw reason }
            }
            return nil
        } catch {
            throw DaybookError.from(error)
        }
    }
}

extension KeystoreError {
    /// Whether the key is intact, so that the user can approve again.
    fileprivate var isRetryable: Bool {
        switch self {
        case .wrongPassphrase, .permission, .unknownFormat, .system, .keyDerivation: true
        default: false
        }
    }
}

extension RequestRow.Status {
    /// Whether the request waits for the user's approval, or for its transaction to be sent.
    fileprivate var canBeApproved: Bool {
        switch self {
        case .pending, .signed, .sent: true
        case .received, .deferred, .approved, .completed, .refused, .coalesced, .rejected,
            .expired, .failed, .cancelled:
            false
        }
    }
}
