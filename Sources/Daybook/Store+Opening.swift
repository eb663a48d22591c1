import DaybookChains
import DaybookCrypto
import DaybookDomain
public import DaybookEncoding
import DaybookLog
import DaybookSigner

/// A wallet's key, opened with its passphrase, and wiped when its last user lets it go.
///
/// Only `Store.openKey` makes one, so no command signs or exports without a counted passphrase. A
/// signature that has begun keeps the key, even if the wallet is locked meanwhile.
final class OpenedKey: Sendable {
    let wallet: WalletID
    let signer: Signer
    fileprivate let name: String
    /// The sealing that the passphrase opened; under another one the key counts no more.
    fileprivate let sealing: Sealing

    fileprivate init(
        of wallet: WalletID, _ signer: consuming Signer, _ name: String, _ sealing: Sealing
    ) {
        self.wallet = wallet
        self.signer = signer
        self.name = name
        self.sealing = sealing
    }
}

/// The sealed keys of a store's wallets.
///
/// Everybody may read their public material. Only this file reaches a secret that a passphrase
/// seals.
struct WalletKeys: Sendable {
    fileprivate let vault: any KeyVault

    init(_ vault: any KeyVault) { self.vault = vault }

    /// The public material of a sealed or watch-only wallet.
    func material(of name: String) throws(KeystoreError) -> PublicMaterial {
        try vault.material(of: name)
    }

    /// Stores the public material of a watch-only wallet, durably.
    func watch(_ material: PublicMaterial) throws(KeystoreError) { try vault.watch(material) }

    /// Whether a key was opened under the present sealing; false if that can't be read.
    func isCurrent(_ key: OpenedKey) -> Bool {
        (try? vault.sealing(of: key.name)) == key.sealing
    }
}

extension Store {
    /// Opens a wallet's sealed key: the only way to one, for every command and method.
    ///
    /// Guesses at a wallet's passphrase are made one after the other, in all processes: this waits
    /// for the lock of the sealed key, and each wrong guess is in the log before the lock is free
    /// again. So the check before key stretching sees all guesses that were made, and the check
    /// after it what else was recorded meanwhile. `use` runs while the lock is held.
    ///
    /// - Throws: `lockedOut`, `unknownWallet`, `watchOnly`, `keyMismatch`, `wrongPassphrase`, which
    ///   is recorded; and `KeystoreError`.
    func openKey<Value>(
        of wallet: WalletID, with passphrase: borrowing Passphrase,
        for request: Journal.Input.Request = .none, _ use: (OpenedKey) async throws -> Value
    ) async throws -> Value {
        let lock = try await keys.vault.lock(try openable(wallet, .published))
        defer { lock.end() }
        try await recordOwedGuesses(of: wallet)
        let name = try openable(wallet, .askedNow)
        // Read first: of a file that is replaced meanwhile, the key then counts no more.
        let sealing = try keys.vault.sealing(of: name)
        let signer: Signer
        do throws(KeystoreError) {
            signer = try await Self.unsealed(name, in: keys.vault, passphrase)
        } catch .wrongPassphrase {
            owedGuesses[wallet, default: []].append(request)
            try await recordOwedGuesses(of: wallet)
            throw KeystoreError.wrongPassphrase
        }
        // Meanwhile, other processes may have recorded anything.
        _ = try openable(wallet, .askedNow)
        return try await use(OpenedKey(of: wallet, signer, name, sealing))
    }

    /// Opens a wallet's sealed key, as the function above does.
    func openKey(
        of wallet: WalletID, with passphrase: borrowing Passphrase,
        for request: Journal.Input.Request = .none
    ) async throws -> OpenedKey {
        try await openKey(of: wallet, with: passphrase, for: request) { $0 }
    }

    /// The name of a wallet's sealed key, if it may be opened now.
    private func openable(_ wallet: WalletID, _ freshness: LogFreshness) throws -> String {
        try journal.readNow(freshness) { state, now in
            try Self.refuseGuesses(of: wallet, state, now)
            let owner = try keys.checked(wallet, in: state)
            try refuseWatchOnly(owner)
            return owner.fingerprint
        }
    }

    // Key stretching takes long; other requests continue meanwhile.
    @concurrent private static func unsealed(
        _ name: String, in vault: any KeyVault, _ passphrase: borrowing Passphrase
    ) async throws(KeystoreError) -> Signer {
        try vault.unlock(name: name, passphrase: passphrase.secret)
    }

    /// Records the wrong passphrases that were given for a wallet and are not recorded yet.
    ///
    /// If that fails, as on a full disk, there are no further guesses until it succeeds: otherwise
    /// a log that can't be written would make guesses free.
    private func recordOwedGuesses(of wallet: WalletID) async throws {
        guard let owed = owedGuesses[wallet] else { return }
        try await journal.record { _, _, _ in
            owed.map { .init(.unlockFailed(UnlockFailed(wallet: wallet)), request: $0) }
        }
        owedGuesses[wallet] = nil
    }

    /// Throws while a wallet is locked after too many wrong passphrases: then none is tried.
    ///
    /// - Throws: `lockedOut`.
    public func checkGuesses(of wallet: WalletID) throws(DaybookError) {
        try convertingErrors {
            try journal.readNow(.published) { state, now in
                try Self.refuseGuesses(of: wallet, state, now)
            }
        }
    }

    /// Throws `lockedOut` while the wallet is locked after too many wrong passphrases.
    static func refuseGuesses(
        of wallet: WalletID, _ state: State, _ now: UInt64
    ) throws {
        let row = state.unlocks[wallet]
        guard let until = row?.lockedUntil, until > now else { return }
        throw DaybookError(
            "lockedOut", .passphrase,
            "too many wrong passphrases; try again in \((until - now + 999_999) / 1_000_000) s")
    }
}

extension WalletKeys {
    /// Refuses what an opened key is used for if it counts no more in the state of a commit.
    func refuseOutdated(_ key: OpenedKey, _ state: State, _ now: UInt64) throws {
        try Store.refuseGuesses(of: key.wallet, state, now)
        if isCurrent(key) { return }
        throw DaybookError(
            "passphraseMissing", .passphrase,
            "the wallet's passphrase was changed meanwhile; give the new one")
    }
}

// MARK: - Sealing

extension Store {
    /// Seals a new wallet's key, and records the wallet before another task can do the same.
    ///
    /// A file that is there already was left by a crash or by a wallet that was removed: it holds
    /// the same secret, and gets the new passphrase.
    func seal(
        _ secret: borrowing WalletSecret, of material: PublicMaterial,
        with passphrase: borrowing Passphrase, salt: Bytes, nonce: Bytes, as added: WalletAdded
    ) async throws -> Wallet {
        let lock = try await keys.vault.lock(material.fingerprint)
        defer { lock.end() }
        try journal.read { try Self.refuseKnown(added.material, $0) }
        try keys.vault.seal(
            secret, of: material, passphrase: passphrase.secret, salt: salt, nonce: nonce)
        probe?("key sealed")
        return try await record(added)
    }

    /// Seals a wallet's key under another passphrase; nobody uses its unlocked key afterwards.
    func reseal(
        _ wallet: WalletID, from old: borrowing Passphrase, to new: borrowing Passphrase,
        salt: Bytes, nonce: Bytes
    ) async throws {
        try await openKey(of: wallet, with: old) { key in
            try await Self.reseal(key, in: keys.vault, from: old, to: new, salt: salt, nonce: nonce)
            lock(wallet)
        }
    }

    @concurrent private static func reseal(
        _ key: OpenedKey, in vault: any KeyVault, from old: borrowing Passphrase,
        to new: borrowing Passphrase, salt: Bytes, nonce: Bytes
    ) async throws(KeystoreError) {
        try vault.reseal(
            name: key.name, from: old.secret, to: new.secret, salt: salt, nonce: nonce)
    }
}
