import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookSigner

extension Store {
    /// Approves what was shown: unlocks the wallet, signs, sends, and makes the callback.
    ///
    /// The approval counts only if `prompt` is what would be done now. `amount` (minor units) is
    /// for requests that leave it to the user; then `prompt` comes from `prompt(for:amount:)`.
    /// Handing out an address or a key asks for the passphrase too; `bind` does not. Approving a
    /// request again that a crash cut off goes on with it. What is to be sent through a real node
    /// stays pending while that node does not answer. A payment that requires InstantSend waits
    /// half a minute for its lock; without one it stays `sent`, and `sync` tells when it comes.
    ///
    /// - Throws: `wrongPassphrase`, `lockedOut`, `promptChanged`, `alreadyDecided`, `expired`,
    ///   `unknownRequest`, `insufficientBalance` and the other refusals of `docs/EVENTS.md`.
    public func approve(
        _ id: UInt64, shown prompt: PromptText, wallet: UInt64? = nil, amount: UInt64? = nil,
        unlockedBy passphrase: consuming Passphrase?
    ) async throws -> WalletRequest {
        let plan = try await facing {
            try await journal.recordDue()
            return try makePlan(for: id, wallet)
        }
        underway.begin(id)
        defer { underway.end(id) }
        if plan.asksNode {
            try await facing { try await worker.reach(plan.row.chain, plan.row.network) }
        }
        var unlocked: UnlockedWallet?
        if plan.needsKey {
            guard let passphrase else {
                throw DaybookError(
                    "passphraseMissing", .passphrase, "the wallet's passphrase is needed")
            }
            unlocked = try await unlock(plan, id, passphrase)
            if unlocked == nil { return try request(id) }
            // Others may have guessed meanwhile: of many guesses at once none counts after that.
            try facing { try refuseWhileLocked(plan.wallet) }
        }
        do {
            if plan.status == .pending {
                try await decide(
                    id,
                    DecisionMade(
                        decision: .approve, prompt: prompt.digest, wallet: plan.wallet,
                        amount: amount, unlocked: plan.needsKey))
            }
            if let key = unlocked.take() { try await sign(id, key) }
            try await worker.run(for: id)
            try await worker.waitForLock(of: id)
            return try view(id)
        } catch {
            throw DaybookError.from(error)
        }
    }

    /// What an approval works on.
    private struct Plan {
        let wallet: UInt64
        let row: WalletAdded
        let status: RequestRow.Status
        let needsKey: Bool
        /// Whether a real node must answer before the user's word is taken.
        let asksNode: Bool
    }

    private func makePlan(for id: UInt64, _ wallet: UInt64?) throws -> Plan {
        try journal.read { state in
            guard let row = state.request(id) else {
                throw DaybookError(Refusal(.unknownRequest))
            }
            guard let request = row.request, row.status.canBeApproved else {
                throw DaybookError(Refusal(row.status == .expired ? .expired : .alreadyDecided))
            }
            let chosen = row.status == .pending ? wallet : row.wallet
            guard let number = chosen ?? state.candidates(for: request).first?.id,
                let owner = state.wallet(number)
            else { throw DaybookError(Refusal(.wrongWallet)) }
            return Plan(
                wallet: number, row: owner.wallet, status: row.status,
                needsKey: request.action != .bind && row.status.needsSignature,
                asksNode: request.sendsTransaction && row.status == .pending
                    && owner.wallet.network != .sandbox)
        }
    }

    // MARK: - Unlocking

    /// Opens the wallet's sealed key. A wrong passphrase is an event, and after some of them none
    /// is taken for a while. A key that is gone or damaged ends a request whose protocol has an
    /// answer for that; then nil is returned.
    private func unlock(_ plan: Plan, _ id: UInt64, _ passphrase: borrowing Passphrase)
        async throws -> UnlockedWallet?
    {
        try facing { try refuseWhileLocked(plan.wallet) }
        do throws(KeystoreError) {
            return try await Self.opened(plan.row.fingerprint, in: keystore, passphrase)
        } catch .wrongPassphrase {
            _ = try await facing {
                try await journal.record { [self] state in
                    try refuseWhileLocked(plan.wallet, state)
                    let failed = UnlockFailed(wallet: plan.wallet)
                    return [.init(.unlockFailed(failed), request: .at(id))]
                }
            }
            throw DaybookError(
                "wrongPassphrase", .passphrase, KeystoreError.wrongPassphrase.description)
        } catch {
            let reason = error
            if reason.canBeMended { throw DaybookError.from(reason) }
            try await facing {
                try await journal.record { _ in
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
    @concurrent private static func opened(
        _ name: String, in keystore: any KeyVault, _ passphrase: borrowing Passphrase
    ) async throws(KeystoreError) -> UnlockedWallet {
        try keystore.unlock(name: name, passphrase: passphrase.secret)
    }

    private func refuseWhileLocked(_ wallet: UInt64) throws {
        try journal.read { state in try refuseWhileLocked(wallet, state) }
    }

    private func refuseWhileLocked(_ wallet: UInt64, _ state: State) throws {
        let row: UnlockRow? = state.get(Key.unlock(wallet))
        let now = try journal.now()
        guard let until = row?.lockedUntil, until > now else { return }
        let seconds = (until - now + 999_999) / 1_000_000
        throw DaybookError(
            "lockedOut", .passphrase,
            "too many wrong passphrases; try again in \(seconds) s")
    }

    // MARK: - Signing

    /// Signs what the state says is to be signed, and nothing else.
    private func sign(_ id: UInt64, _ key: consuming UnlockedWallet) async throws {
        let work = try journal.read { state -> (Chain, TransactionPrepared)? in
            guard let row = state.request(id), row.status == .approved,
                let chain = row.request?.chain, let prepared = row.prepared
            else { return nil }
            return (chain, prepared)
        }
        guard let (chain, prepared) = work else { return }
        let signatures = try await Self.signatures(for: prepared, on: chain, by: key)
        probe?("signed")
        try await journal.record { state in
            guard state.request(id)?.status == .approved else { return [] }
            return [
                .init(
                    .signatureMade(SignatureMade(signatures: signatures)), request: .at(id),
                    actor: .keystore)
            ]
        }
        probe?("signature recorded")
    }

    @concurrent private static func signatures(
        for prepared: TransactionPrepared, on chain: Chain, by key: consuming UnlockedWallet
    ) async throws -> [Bytes] {
        var signatures: [Bytes] = []
        for input in prepared.inputs {
            guard let path = DerivationPath(input.path) else { continue }
            signatures.append(
                chain == .icon
                    ? try key.signRecoverable(digest: input.digest, at: path).bytes
                    : try key.sign(digest: input.digest, at: path).compact)
        }
        return signatures
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
    /// Whether approving is the user's to do, or was done and then cut off.
    fileprivate var canBeApproved: Bool {
        switch self {
        case .pending, .approved, .signed, .sent: true
        default: false
        }
    }

    /// Whether the wallet's key is still to be used.
    fileprivate var needsSignature: Bool { self == .pending || self == .approved }
}
