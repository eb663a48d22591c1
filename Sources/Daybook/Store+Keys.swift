import DaybookChains
import DaybookCrypto
import DaybookDomain
public import DaybookEncoding
import DaybookSigner
import DaybookSystem

/// Wallets' keys. The log is not trusted with them: someone who can write the log or its rows could
/// put any keys there, so a wallet's address is used only if its sealed file has the same keys.
extension WalletKeys {
    /// A wallet whose recorded keys are the sealed ones, so that its addresses may be used.
    ///
    /// Call it with the same state that the address is taken from.
    ///
    /// - Throws: `unknownWallet`, `keyMismatch`, `keyMissing`, `keyDamaged`, `permissionDenied`.
    func checked(_ id: WalletID, in state: State) throws -> WalletAdded {
        guard let wallet = state.wallet(id)?.wallet else {
            throw DaybookError("unknownWallet", .refused, "there is no such wallet")
        }
        try check(wallet, id)
        return wallet
    }

    /// The check of `checked`, for a wallet that may have been removed.
    func check(_ wallet: WalletAdded, _ id: WalletID) throws {
        switch KeyStanding(of: wallet, in: self) {
        case .agrees: return
        case .unreadable(let error): throw error
        case .differs:
            throw DaybookError(
                "keyMismatch", .store,
                "the keys of wallet \(id) are not those that were sealed for it: someone has "
                    + "changed the store; run `doctor` and `verify`", position: id.position)
        }
    }
}

extension Store {
    /// Throws if a request can't be shown for a wallet, because its keys are not the sealed ones.
    nonisolated func checkPrompt(
        for request: Request, in wallet: WalletID, _ state: State
    ) throws {
        guard !canPrompt(for: request, in: wallet, state) else { return }
        _ = try keys.checked(wallet, in: state)
    }

    /// Whether a request may be shown for a wallet.
    ///
    /// A missing or damaged key is reported only when it is to be unlocked, because the caller then
    /// gets an answer. Before that, only `bind` is not shown, which would show an address.
    nonisolated func canPrompt(
        for request: Request, in wallet: WalletID, _ state: State
    ) -> Bool {
        guard let owner = state.wallet(wallet)?.wallet else { return true }
        return switch KeyStanding(of: owner, in: keys) {
        case .agrees: true
        case .differs: false
        case .unreadable: request.action != .bind
        }
    }

    /// A wallet as front ends see it: without its address if the keys are not the sealed ones.
    func view(_ id: WalletID, _ row: WalletRow) -> Wallet {
        let problem: DaybookError?
        do {
            try keys.check(row.wallet, id)
            problem = nil
        } catch {
            problem = DaybookError.from(error)
        }
        return Wallet(id, row, problem: problem?.code, unlocked: unlocking(of: id))
    }
}

/// The result of comparing a wallet's recorded keys with its sealed file.
enum KeyStanding {
    case agrees
    /// The sealed file has other keys.
    case differs
    /// The sealed file is missing or can't be used.
    case unreadable(KeystoreError)

    init(of wallet: WalletAdded, in keys: WalletKeys) {
        do throws(KeystoreError) {
            let sealed = try keys.material(of: wallet.fingerprint)
            self = sealed == wallet.material ? .agrees : .differs
        } catch {
            self = .unreadable(error)
        }
    }
}

// MARK: - Passphrases

extension Store {
    /// Seals a wallet's key under another passphrase, with a new salt and today's scrypt cost.
    ///
    /// After a crash, exactly one of the two passphrases opens the key. Copies of the old file, for
    /// example in a backup, still open with the old passphrase.
    ///
    /// - Throws: `unknownWallet`, `wrongPassphrase`, `lockedOut`, `passphraseEmpty`,
    ///   `passphraseUntypable`, `passphraseWeak` (see `addWallet`), `keyMismatch`, `keyMissing`,
    ///   `keyDamaged`.
    public func changePassphrase(
        of wallet: WalletID, from old: consuming Passphrase, to new: consuming Passphrase,
        allowingWeak isWeakAllowed: Bool = false
    ) async throws(DaybookError) {
        try new.check(allowingWeak: isWeakAllowed)
        try await convertingErrors {
            let (salt, nonce) = (try Entropy.bytes(16), try Entropy.bytes(12))
            try await reseal(wallet, from: old, to: new, salt: salt, nonce: nonce)
        }
        probe?("key sealed again")
    }
}

extension Passphrase {
    /// Shorter passphrases can be guessed, however expensive each guess is.
    static let minimumCharacters = 8

    /// Throws if nobody can type a new passphrase, or if it is weak without being allowed to be.
    borrowing func check(allowingWeak isWeakAllowed: Bool) throws(DaybookError) {
        // Continuation bytes of UTF-8 are not counted.
        let characters = secret.withBytes { bytes in
            bytes.indices.count { bytes[$0] & 0xc0 != 0x80 }
        }
        guard characters > 0 else {
            throw DaybookError("passphraseEmpty", .usage, "the passphrase is empty")
        }
        if let fault = secret.withBytes({ TextFault.of($0) }) {
            throw DaybookError("passphraseUntypable", .usage, "the passphrase \(fault)")
        }
        guard isWeakAllowed || characters >= Self.minimumCharacters else {
            throw DaybookError(
                "passphraseWeak", .usage,
                "the passphrase has fewer than \(Self.minimumCharacters) characters")
        }
    }
}

/// Exports for other wallets: ICON keystore files, and output descriptors without a secret.
extension Store {
    /// Exports an ICON wallet's key as a keystore file (V3) with a passphrase of its own.
    ///
    /// ICON's wallets and `WalletSource.keystore` read the file.
    ///
    /// - Throws: `unknownWallet`, `wrongChain`, `watchOnly`, `wrongPassphrase`, `lockedOut`,
    ///   `passphraseEmpty`, `passphraseUntypable`, `passphraseWeak` (see `addWallet`),
    ///   `keyMismatch`, `keyMissing`, `keyDamaged`.
    public func keystoreFile(
        of wallet: WalletID, unlockedBy passphrase: consuming Passphrase,
        sealedBy new: consuming Passphrase, allowingWeak isWeakAllowed: Bool = false
    ) async throws(DaybookError) -> [UInt8] {
        try new.check(allowingWeak: isWeakAllowed)
        return try await convertingErrors {
            let owner = try journal.read { try keys.checked(wallet, in: $0) }
            guard owner.chain.rules.hasKeystoreFiles else {
                throw DaybookError(
                    "wrongChain", .usage, "only an ICON wallet's key goes into a keystore file")
            }
            let key = try await openKey(of: wallet, with: passphrase)
            return try await Self.keystoreFile(
                by: key, sealedBy: new, random: try Entropy.bytes(48))
        }
    }

    // The new passphrase is stretched; other calls continue meanwhile.
    @concurrent private static func keystoreFile(
        by key: OpenedKey, sealedBy new: borrowing Passphrase, random: Bytes
    ) async throws(KeystoreError) -> Bytes {
        try key.signer.keystoreFile(password: new.secret, random: random)
    }

    /// Descriptors (BIP 380) of all addresses of a Dash or Axe wallet.
    ///
    /// Dash Core can watch the wallet with them; they contain no secret.
    ///
    /// - Throws: `unknownWallet`, `wrongChain`, `keyMismatch`, `keyMissing`, `keyDamaged`,
    ///   `permissionDenied`.
    public func descriptors(of wallet: WalletID) throws(DaybookError) -> [WalletDescriptor] {
        try convertingErrors {
            try journal.read { state in
                let owner = try keys.checked(wallet, in: state)
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
public struct WalletDescriptor: Codable, Hashable, Sendable {
    /// The descriptor with its checksum.
    public let text: String
    /// Whether Dash Core may take new addresses from it, as from one pair of branches of a wallet.
    public let isActive: Bool
    /// Whether it is for change.
    public let isChange: Bool
    /// The last index to watch; nil for a single key.
    public let lastIndex: UInt64?

    /// A descriptor for previews and tests of a front end.
    public init(text: String, isActive: Bool, isChange: Bool, lastIndex: UInt64? = nil) {
        (self.text, self.isActive) = (text, isActive)
        (self.isChange, self.lastIndex) = (isChange, lastIndex)
    }

    init(_ descriptor: OutputDescriptor, derived: UInt64) {
        text = descriptor.text
        isActive = descriptor.isBIP44 && descriptor.account == 0
        isChange = descriptor.isChange
        // Dash Core watches at least a thousand addresses.
        lastIndex = descriptor.account == nil ? nil : max(1000, derived)
    }
}

extension State {
    /// The number of derived addresses in a descriptor's branch.
    fileprivate func derived(_ wallet: WalletID, _ descriptor: OutputDescriptor) -> UInt64 {
        guard let account = descriptor.account else { return 1 }
        let kind: AddressRow.Branch.Kind =
            switch descriptor.kind {
            case .bip44: .bip44
            case .bip32: .bip32
            case .coinJoin: .coinJoin
            case nil: .single
            }
        let branch = AddressRow.Branch(
            kind: kind, account: account, isChange: descriptor.isChange)
        return branches[BranchKey(wallet, branch)]?.derived ?? 0
    }
}
