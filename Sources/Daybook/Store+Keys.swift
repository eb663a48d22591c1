import DaybookChains
import DaybookCrypto
import DaybookDomain
public import DaybookEncoding
import DaybookSigner
import DaybookSystem

/// The log is not trusted with addresses: a wallet's keys count only as far as its sealed file has
/// them too. Whoever can write the log may claim any keys there, and a row may say anything.
extension Store {
    /// A wallet whose keys are those that were sealed: only its addresses are shown or given away.
    ///
    /// Asked of the state from which the address is then taken, also in a transaction that writes.
    ///
    /// - Throws: `unknownWallet`, `keyMismatch`, `keyMissing`, `keyDamaged`, `permissionDenied`.
    nonisolated func checkedWallet(_ id: WalletID, in state: State) throws -> WalletAdded {
        guard let wallet = state.wallet(id)?.wallet else {
            throw DaybookError("unknownWallet", .refused, "there is no such wallet")
        }
        try check(wallet, id)
        return wallet
    }

    /// As `checkedWallet`, of a wallet that may have been removed since.
    nonisolated func check(_ wallet: WalletAdded, _ id: WalletID) throws {
        switch KeyStanding(of: wallet, in: keystore) {
        case .agrees: return
        case .unreadable(let error): throw error
        case .differs:
            throw DaybookError(
                "keyMismatch", .store,
                "the keys of wallet \(id) are not those that were sealed for it: someone has "
                    + "changed the store; run `doctor` and `verify`", position: id.position)
        }
    }

    /// Refuses to show a request in a wallet with other keys than the sealed ones.
    nonisolated func checkPrompt(
        for request: Request, in wallet: WalletID, _ state: State
    ) throws {
        guard !canPrompt(for: request, in: wallet, state) else { return }
        _ = try checkedWallet(wallet, in: state)
    }

    /// Whether a request may be shown in a wallet.
    ///
    /// A key that is missing or damaged is told when it is to be unlocked, because its caller then
    /// gets an answer; before that only the wallet's own address is not shown.
    nonisolated func canPrompt(
        for request: Request, in wallet: WalletID, _ state: State
    ) -> Bool {
        guard let owner = state.wallet(wallet)?.wallet else { return true }
        return switch KeyStanding(of: owner, in: keystore) {
        case .agrees: true
        case .differs: false
        case .unreadable: request.action != .bind
        }
    }

    /// A wallet as front ends see it: without its address where that can't be vouched for.
    nonisolated func view(_ id: WalletID, _ row: WalletRow) -> Wallet {
        let problem: DaybookError?
        do {
            try check(row.wallet, id)
            problem = nil
        } catch {
            problem = DaybookError.from(error)
        }
        return Wallet(id, row, problem: problem?.code)
    }
}

/// Whether what a log says of a wallet's keys is what lies sealed.
enum KeyStanding {
    case agrees
    /// There is a sealed file, and it says something else.
    case differs
    /// There is none, or none that can be used.
    case unreadable(KeystoreError)

    init(of wallet: WalletAdded, in keystore: any KeyVault) {
        do throws(KeystoreError) {
            let sealed = try keystore.material(of: wallet.fingerprint)
            self = sealed == wallet.material ? .agrees : .differs
        } catch {
            self = .unreadable(error)
        }
    }
}

// MARK: - Passphrases

extension Store {
    /// Seals a wallet's key again under another passphrase, with new salt and today's scrypt.
    ///
    /// After a crash one of the two passphrases opens the key, and the other does not. Copies of
    /// the old file, as in a backup, still open with the old passphrase.
    ///
    /// - Throws: `unknownWallet`, `wrongPassphrase`, `lockedOut`, `passphraseEmpty`,
    ///   `passphraseWeak` (see `addWallet`), `keyMismatch`, `keyMissing`, `keyDamaged`.
    public func changePassphrase(
        of wallet: WalletID, from old: consuming Passphrase, to new: consuming Passphrase,
        allowingWeak isWeakAllowed: Bool = false
    ) async throws {
        try new.check(allowingWeak: isWeakAllowed)
        let (name, salt, nonce) = try facing {
            try refuseGuesses(of: wallet)
            let owner = try journal.read { try checkedWallet(wallet, in: $0) }
            return (owner.fingerprint, try Entropy.bytes(16), try Entropy.bytes(12))
        }
        do throws(KeystoreError) {
            try await Self.reseal(name, in: keystore, old, new, salt, nonce)
        } catch .wrongPassphrase {
            throw try await recordWrongPassphrase(of: wallet)
        } catch {
            throw DaybookError.from(error)
        }
        probe?("key sealed again")
    }

    // To guess a passphrase has to take long, and so does to know it: other calls go on.
    @concurrent private static func reseal(
        _ name: String, in keystore: any KeyVault, _ old: borrowing Passphrase,
        _ new: borrowing Passphrase, _ salt: Bytes, _ nonce: Bytes
    ) async throws(KeystoreError) {
        try keystore.reseal(
            name: name, from: old.secret, to: new.secret, salt: salt, nonce: nonce)
    }

    /// Records that a passphrase was wrong, and gives the error that says so.
    ///
    /// Of many guesses at once none counts after those that locked the wallet.
    func recordWrongPassphrase(
        of wallet: WalletID, request: Journal.Input.Request = .none
    ) async throws -> DaybookError {
        _ = try await facing {
            try await journal.record { state, now in
                try Self.refuseGuesses(of: wallet, state, now)
                return [.init(.unlockFailed(UnlockFailed(wallet: wallet)), request: request)]
            }
        }
        return DaybookError.from(KeystoreError.wrongPassphrase)
    }

    /// Refuses a passphrase while too many wrong ones were given.
    func refuseGuesses(of wallet: WalletID) throws {
        let now = try journal.now()
        try journal.read { state in try Self.refuseGuesses(of: wallet, state, now) }
    }

    private static func refuseGuesses(
        of wallet: WalletID, _ state: State, _ now: UInt64
    ) throws {
        let row = state.unlocks[wallet]
        guard let until = row?.lockedUntil, until > now else { return }
        throw DaybookError(
            "lockedOut", .passphrase,
            "too many wrong passphrases; try again in \((until - now + 999_999) / 1_000_000) s")
    }
}

extension Passphrase {
    /// A passphrase of fewer characters is guessed, whatever a guess costs.
    static let leastCharacters = 8

    /// Refuses a new passphrase that is empty, or weak where that is not allowed.
    borrowing func check(allowingWeak isWeakAllowed: Bool) throws {
        // Bytes of UTF-8 that go on with a character are none of their own.
        let characters = secret.withBytes { bytes in
            bytes.indices.count { bytes[$0] & 0xc0 != 0x80 }
        }
        guard characters > 0 else {
            throw DaybookError("passphraseEmpty", .usage, "the passphrase is empty")
        }
        guard isWeakAllowed || characters >= Self.leastCharacters else {
            throw DaybookError(
                "passphraseWeak", .usage,
                "the passphrase has fewer than \(Self.leastCharacters) characters")
        }
    }
}

/// What other wallets read of ours: ICON's keystore files, and descriptors without a secret.
extension Store {
    /// An ICON wallet's key as a keystore file (V3), under a passphrase of the file's own.
    ///
    /// ICON's wallets read the file, and so does `WalletSource.keystore`.
    ///
    /// - Throws: `unknownWallet`, `wrongChain`, `watchOnly`, `wrongPassphrase`, `lockedOut`,
    ///   `passphraseEmpty`, `passphraseWeak` (see `addWallet`), `keyMismatch`, `keyMissing`,
    ///   `keyDamaged`.
    public func keystoreFile(
        of wallet: WalletID, unlockedBy passphrase: consuming Passphrase,
        sealedBy new: consuming Passphrase, allowingWeak isWeakAllowed: Bool = false
    ) async throws -> [UInt8] {
        try new.check(allowingWeak: isWeakAllowed)
        let (owner, random) = try facing {
            try refuseGuesses(of: wallet)
            let owner = try journal.read { try checkedWallet(wallet, in: $0) }
            guard owner.chain.rules.hasKeystoreFiles else {
                throw DaybookError(
                    "wrongChain", .usage, "only an ICON wallet's key goes into a keystore file")
            }
            guard !owner.isWatchOnly else {
                throw DaybookError("watchOnly", .refused, "the wallet's key is on another machine")
            }
            return (owner, try Entropy.bytes(48))
        }
        do throws(KeystoreError) {
            return try await Self.keystoreFile(owner, in: keystore, passphrase, new, random)
        } catch .wrongPassphrase {
            throw try await recordWrongPassphrase(of: wallet)
        } catch {
            throw DaybookError.from(error)
        }
    }

    // Two passphrases are stretched: other calls go on meanwhile.
    @concurrent private static func keystoreFile(
        _ owner: WalletAdded, in keystore: any KeyVault, _ passphrase: borrowing Passphrase,
        _ new: borrowing Passphrase, _ random: Bytes
    ) async throws(KeystoreError) -> Bytes {
        let signer = try keystore.unlock(
            name: owner.fingerprint, passphrase: passphrase.secret)
        return try signer.keystoreFile(password: new.secret, random: random)
    }

    /// Descriptors (BIP 380) of all addresses of a Dash or Axe wallet.
    ///
    /// Dash Core can watch the wallet by them; there is no secret in them.
    ///
    /// - Throws: `unknownWallet`, `wrongChain`, `keyMismatch`, `keyMissing`, `keyDamaged`,
    ///   `permissionDenied`.
    public func descriptors(of wallet: WalletID) throws -> [WalletDescriptor] {
        try facing {
            try journal.read { state in
                let owner = try checkedWallet(wallet, in: state)
                guard owner.chain.rules.ledger == .outputs else {
                    throw DaybookError(
                        "wrongChain", .usage, "an ICON wallet is one address and has no descriptor")
                }
                return OutputDescriptor.all(of: owner.material).map { descriptor in
                    WalletDescriptor(descriptor, derived: state.derived(wallet, descriptor))
                }
            }
        }
    }
}

/// A descriptor of addresses of a wallet, as Dash Core's `importdescriptors` takes it.
public struct WalletDescriptor: Equatable, Sendable {
    /// The descriptor with its checksum.
    public let text: String
    /// Whether the node may take new addresses from it: one pair of branches of a wallet can.
    public let isActive: Bool
    /// Whether the wallet puts its change there.
    public let isChange: Bool
    /// The last index to watch; nil for a single key.
    public let lastIndex: UInt64?

    init(_ descriptor: OutputDescriptor, derived: UInt64) {
        text = descriptor.text
        isActive = descriptor.isBIP44 && descriptor.account == 0
        isChange = descriptor.isChange
        // Dash Core watches a thousand addresses at least.
        lastIndex = descriptor.account == nil ? nil : max(1000, derived)
    }
}

extension State {
    /// How many addresses of a descriptor's branch are derived.
    fileprivate func derived(_ wallet: WalletID, _ descriptor: OutputDescriptor) -> UInt64 {
        guard let account = descriptor.account else { return 1 }
        let branch = AddressRow.Branch(
            kind: descriptor.isBIP44 ? .bip44 : .bip32, account: account,
            isChange: descriptor.isChange)
        return branches[BranchKey(wallet, branch)]?.derived ?? 0
    }
}
