import DaybookChains
import DaybookDomain
public import DaybookEncoding
import DaybookLog
import DaybookSigner
import DaybookSystem

/// A wallet whose key is held in memory for a while, and what may still be signed with it.
struct UnlockedWallet: Sendable {
    let key: OpenedKey
    /// When the key is dropped, in microseconds since 1970.
    let until: UInt64
    /// The rest of the limit, which fees count for too, in minor units of the chain's coin.
    var remaining: UInt256
    /// Drops the key when the time is over.
    let expiry: Task<Void, Never>
}

extension Store {
    /// Unlocks a wallet for a while: approvals of its payments then need no passphrase.
    ///
    /// `seconds` is 1 to 86 400. `limit` is the sum of the amounts and highest fees that may be
    /// signed meanwhile, of the chain's coin. It covers payments in the coin; token transfers,
    /// calls, addresses and public keys still need the passphrase.
    /// The key is in this process's memory alone, and is wiped when the time is over, by `lock`,
    /// when any process changes the passphrase or removes the wallet, and with the store. A `lock`
    /// during this call has the last word. Unlocking again replaces time and limit. Nothing is
    /// recorded, but `wallets` shows it, and subscribers to `changes` in this process are told.
    ///
    /// - Returns: When the key is dropped.
    /// - Throws: `invalidTime`, `invalidAmount`, `unknownWallet`, `watchOnly`, `wrongPassphrase`,
    ///   `lockedOut`, `unlockOvertaken`, `keyMismatch`, `keyMissing`, `keyDamaged`,
    ///   `permissionDenied`.
    @discardableResult
    public func unlock(
        _ wallet: WalletID, with passphrase: consuming Passphrase, seconds: Int,
        limit: MinorAmount
    ) async throws(DaybookError) -> Timestamp {
        guard (1...86_400).contains(seconds) else {
            throw DaybookError("invalidTime", .usage, "a wallet is unlocked for 1 to 86400 s")
        }
        guard !limit.isNegative else {
            throw DaybookError("invalidAmount", .usage, "the limit is less than zero")
        }
        lastUnlocking += 1
        let number = lastUnlocking
        unlockings[wallet, default: []].insert(number)
        defer { endUnlocking(number, of: wallet) }
        return try await convertingErrors {
            try await openKey(of: wallet, with: passphrase) { key in
                guard unlockings[wallet]?.contains(number) == true else {
                    throw DaybookError(
                        "unlockOvertaken", .refused, "the wallet was locked meanwhile")
                }
                return Timestamp(microseconds: hold(key, seconds, limit.magnitude))
            }
        }
    }

    private func endUnlocking(_ number: UInt64, of wallet: WalletID) {
        unlockings[wallet]?.remove(number)
        if unlockings[wallet]?.isEmpty == true { unlockings[wallet] = nil }
    }

    /// Holds a key that was opened just now; returns until when.
    private func hold(_ key: OpenedKey, _ seconds: Int, _ limit: UInt256) -> UInt64 {
        drop(key.wallet)
        let until = clock() + UInt64(seconds) * 1_000_000
        unlockedWallets[key.wallet] = UnlockedWallet(
            key: key, until: until, remaining: limit,
            expiry: expiry(of: key.wallet, after: seconds))
        watchKeys()
        feed.noteUnlocking(of: key.wallet)
        return until
    }

    /// Drops the unlocked key of a wallet, if there is one, and ends calls of `unlock` in progress.
    ///
    /// The wallet need not be in the store any more.
    public func lock(_ wallet: WalletID) {
        unlockings[wallet] = nil
        if drop(wallet) { feed.noteUnlocking(of: wallet) }
    }

    /// Drops the unlocked key of a wallet; false if there is none.
    @discardableResult
    private func drop(_ wallet: WalletID) -> Bool {
        guard let unlocked = unlockedWallets.removeValue(forKey: wallet) else { return false }
        unlocked.expiry.cancel()
        return true
    }

    /// How a wallet is unlocked in this process; nil if it is not.
    func unlocking(of wallet: WalletID) -> WalletUnlocking? {
        guard let unlocked = unlockedWallets[wallet], clock() < unlocked.until,
            keys.isCurrent(unlocked.key)
        else { return nil }
        return WalletUnlocking(
            until: Timestamp(microseconds: unlocked.until),
            remaining: MinorAmount(unlocked.remaining))
    }

    /// A task that locks a wallet after a while, also if the clock is set back meanwhile.
    ///
    /// It owns neither key nor store.
    private func expiry(of wallet: WalletID, after seconds: Int) -> Task<Void, Never> {
        Task { [weak self] in
            guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
            await self?.expire(wallet)
        }
    }

    private func expire(_ wallet: WalletID) {
        // Locking and unlocking again cancel this task before they change the wallet.
        if !Task.isCancelled { lock(wallet) }
    }

    /// Begins to look whether other processes change the passphrases of unlocked wallets, or remove
    /// them: each change of the log is looked at, and the sealed files once a second.
    private func watchKeys() {
        guard isShared, keyWatch == nil else { return }
        // A commit is reported several times, and one look serves all reports before it.
        let isDue = Monitor(false)
        let changed = log.watch { [weak self] _ in
            let isLate = isDue.change { due in
                defer { due = true }
                return due
            }
            if !isLate { Task { await self?.dropRemoved(isDue) } }
        }
        let files = FileWatch(of: nil, orEvery: 1000) { [weak self] in
            Task { await self?.dropOutdated() }
        }
        keyWatch = (changed, files)
    }

    private func dropRemoved(_ isDue: Monitor<Bool>) {
        isDue.change { $0 = false }
        for wallet in unlockedWallets.keys where !isInStore(wallet) { lock(wallet) }
    }

    private func dropOutdated() {
        for (wallet, unlocked) in unlockedWallets where !counts(unlocked) { lock(wallet) }
    }

    /// Whether an unlocked wallet may still be used: within its time, in the store, and under the
    /// passphrase that unlocked it.
    private func counts(_ unlocked: UnlockedWallet) -> Bool {
        clock() < unlocked.until && keys.isCurrent(unlocked.key) && isInStore(unlocked.key.wallet)
    }

    private func isInStore(_ wallet: WalletID) -> Bool {
        // A log that can't be read now may say so later; whoever uses the key reads it, too.
        (try? journal.recorded(.askedNow) { state, _ in state.wallet(wallet) != nil }) ?? true
    }

    // MARK: - Approving with an unlocked wallet

    /// Records an approval signed with the wallet's held key, within its time and limit.
    func approveUnlocked(
        _ approval: Approval, _ plan: Plan, _ progress: ApprovalProgress?
    ) async throws(DaybookError) {
        let wallet = approval.wallet
        guard let key = held(wallet)?.key else {
            throw Self.passphraseMissing("the wallet's passphrase is needed")
        }
        guard plan.makesTransaction else {
            throw Self.passphraseMissing("an unlocked wallet only pays; give the passphrase")
        }
        var reserved: UInt256?
        do {
            try await record(approval, by: key, progress) { proposal, previous in
                guard let unlocked = held(wallet), unlocked.key === key else {
                    throw Self.passphraseMissing("the wallet was locked; give the passphrase")
                }
                // The terms stay the same if the transaction is made anew.
                if reserved == nil { reserved = try reserve(proposal, of: unlocked) }
                return try await Self.signatures(for: proposal, previous, by: key)
            }
        } catch {
            let error = DaybookError.from(error)
            // After a failed write the payment may be recorded: its part of the limit is spent.
            if let reserved, error.kind != .store { refund(reserved, to: wallet, key) }
            throw error
        }
    }

    /// The unlocked wallet, if it may still be used.
    private func held(_ wallet: WalletID) -> UnlockedWallet? {
        guard let unlocked = unlockedWallets[wallet] else { return nil }
        guard counts(unlocked) else {
            lock(wallet)
            return nil
        }
        return unlocked
    }

    /// Takes what a payment costs at most from the limit, before it is signed.
    ///
    /// Payments that are approved at once can't exceed the limit together.
    private func reserve(_ proposal: Proposal, of unlocked: UnlockedWallet) throws -> UInt256 {
        guard let terms = proposal.terms else { throw DaybookError(Refusal(.promptChanged)) }
        guard terms.movesOnlyCoins, let cost = terms.highestCost else {
            throw Self.passphraseMissing(
                "an unlocked wallet only pays in its chain's coin; give the passphrase")
        }
        guard let remaining = unlocked.remaining.subtracting(cost) else {
            throw Self.passphraseMissing(
                "the payment exceeds what is left of the wallet's limit; give the passphrase")
        }
        unlockedWallets[unlocked.key.wallet]?.remaining = remaining
        feed.noteUnlocking(of: unlocked.key.wallet)
        return cost
    }

    private func refund(_ cost: UInt256, to wallet: WalletID, _ key: OpenedKey) {
        guard let unlocked = unlockedWallets[wallet], unlocked.key === key,
            let remaining = unlocked.remaining.adding(cost)
        else { return }
        unlockedWallets[wallet]?.remaining = remaining
        feed.noteUnlocking(of: wallet)
    }

    private static func passphraseMissing(_ message: String) -> DaybookError {
        DaybookError("passphraseMissing", .passphrase, message)
    }
}
