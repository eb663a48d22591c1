import DaybookChains
import DaybookCrypto
import DaybookDomain
public import DaybookEncoding
import DaybookSigner
import DaybookSystem

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
            guard owner.chain == .icon else {
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
                guard owner.chain != .icon else {
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
