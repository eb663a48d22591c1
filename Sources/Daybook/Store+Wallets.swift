import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookSigner
import DaybookLog
import DaybookSystem

/// A wallet that was just added; the words of a new one are shown once and kept nowhere in clear.
public struct AddedWallet: ~Copyable, Sendable {
    /// The wallet as it was recorded.
    public let wallet: Wallet
    private let words: SecretBytes?

    init(wallet: Wallet, words: consuming SecretBytes?) {
        self.wallet = wallet
        self.words = words
    }

    /// Calls `body` with the UTF-8 bytes of the new wallet's words; not at all if it has none.
    public func withMnemonic(_ body: (Span<UInt8>) throws -> Void) rethrows {
        try words?.withBytes(body)
    }
}

extension Store {
    /// Seals a secret under a passphrase and records the wallet's public part.
    ///
    /// `accounts` is how many BIP 44 accounts an HD wallet has; `coinType` is for Axe, whose
    /// document says 5 (the default) and whose Core says 4242. `networkID` is ICON's nid where it
    /// is not the network's own (1, 2 or 3).
    ///
    /// - Throws: `walletExists`, `invalidMnemonic`, `invalidKey`, `wrongPassphrase` (of a keystore
    ///   file), `passphraseEmpty`, `wrongChain`.
    public func addWallet(
        _ source: consuming WalletSource, chain: ChainName, network: NetworkName = .sandbox,
        label: String? = nil, accounts: Int = 1, coinType: UInt32? = nil,
        networkID: UInt64? = nil, sealedBy passphrase: consuming Passphrase
    ) async throws -> AddedWallet {
        let kind = (DaybookChains.Chain(chain), DaybookChains.Network(network))
        guard passphrase.secret.count > 0 else {
            throw DaybookError("passphraseEmpty", .usage, "the passphrase is empty")
        }
        guard (1...100).contains(accounts), label.map({ $0.utf8.count <= 64 }) ?? true else {
            throw DaybookError("invalidWallet", .usage, "1 to 100 accounts, a label of 64 bytes")
        }
        var reader = try SecretReader(source, kind.0, kind.1)
        let material = try Self.material(reader.secret, kind, coinType, accounts)
        let added = try Self.event(material, kind, label, networkID)
        let seal = try facing { (try Entropy.bytes(16), try Entropy.bytes(12)) }
        do throws(KeystoreError) {
            try keystore.seal(
                reader.secret, name: material.fingerprint, passphrase: passphrase.secret,
                salt: seal.0, nonce: seal.1)
        } catch .exists {
            // A crash may have come between the file and the event: then the event is still due,
            // if the passphrase opens the file.
            try facing { try adopt(material.fingerprint, passphrase) }
        } catch {
            throw DaybookError.from(error)
        }
        probe?("key sealed")
        let wallet = try await facing { try await record(added) }
        probe?("wallet recorded")
        return AddedWallet(wallet: wallet, words: reader.takeWords())
    }

    /// The wallets of the store, in the order in which they were added.
    public func wallets() throws -> [Wallet] {
        try facing {
            try journal.read { state in state.wallets().map { Wallet($0.id, $0.row) } }
        }
    }

    /// The next receive address that nobody has paid or been given.
    ///
    /// - Throws: `unknownWallet`.
    public func address(of wallet: UInt64) throws -> String {
        try facing {
            try journal.read { state in
                guard let row = state.wallet(wallet) else {
                    throw DaybookError("unknownWallet", .refused, "there is no such wallet")
                }
                return state.nextAddress(wallet, account: 0, caller: nil)?.text ?? row.address
            }
        }
    }

    /// Takes a wallet out of the store: no request is for it any more, its history stays.
    ///
    /// Its sealed file stays under `keys/` as well, so that adding the wallet again brings it
    /// back; who wants the key gone deletes that file.
    ///
    /// - Throws: `unknownWallet`, `walletBusy` while a transaction of it is under way.
    public func removeWallet(_ wallet: UInt64) async throws {
        _ = try await facing {
            try await journal.record { state in
                guard state.wallet(wallet) != nil else {
                    throw DaybookError("unknownWallet", .refused, "there is no such wallet")
                }
                let isBusy = state.list(Key.work, PointerRow.self).contains { key, _ in
                    guard let row = state.request(Key.lastNumber(key)) else { return false }
                    guard row.status == .deferred, let request = row.request else {
                        return row.wallet == wallet
                    }
                    // Without a wallet that could answer it, it would wait for its chain for ever.
                    return state.candidates(for: request).contains { $0.id == wallet }
                }
                if isBusy {
                    throw DaybookError(
                        "walletBusy", .refused, "a transaction of this wallet is under way")
                }
                return [.init(.walletRemoved(WalletRemoved(wallet: wallet)))]
            }
        }
    }

    private func adopt(_ name: String, _ passphrase: borrowing Passphrase) throws {
        let known = try journal.read { state in
            state.wallets().contains { $0.row.wallet.fingerprint == name }
        }
        if known {
            throw DaybookError("walletExists", .refused, "the store has this wallet already")
        }
        _ = try keystore.unlock(name: name, passphrase: passphrase.secret)
    }

    private func record(_ added: WalletAdded) async throws -> Wallet {
        let events = try await journal.record { state in
            if state.wallets().contains(where: {
                $0.row.wallet.fingerprint == added.fingerprint
            }) {
                throw DaybookError("walletExists", .refused, "the store has this wallet already")
            }
            return [.init(.walletAdded(added))]
        }
        guard let id = events.last?.position,
            let wallet = try journal.read({ state in
                state.wallet(id).map { Wallet(id, $0) }
            })
        else { throw DaybookError("unknownWallet", .store, "the wallet was not recorded") }
        return wallet
    }

    // MARK: - Secrets

    private static func material(
        _ secret: borrowing WalletSecret, _ kind: (Chain, Network), _ coinType: UInt32?,
        _ accounts: Int
    ) throws -> PublicMaterial {
        let material: PublicMaterial?
        do {
            material = try secret.publicMaterial(
                kind.0, kind.1, coinType: coinType, accounts: (0..<accounts).map { UInt32($0) })
        } catch {
            throw DaybookError.from(error)
        }
        guard let material else {
            throw DaybookError(
                "invalidWallet", .usage, "this kind of secret makes no \(kind.0.rawValue) wallet")
        }
        return material
    }

    private static func event(
        _ material: PublicMaterial, _ kind: (Chain, Network), _ label: String?,
        _ networkID: UInt64?
    ) throws -> WalletAdded {
        let keys: WalletAdded.Keys
        switch material.keys {
        case .single(let publicKey, let compressed):
            guard compressed else {
                throw DaybookError(
                    "uncompressedKey", .usage,
                    "the key is for an uncompressed public key, whose coins cost more to spend; "
                        + "move them to a new wallet")
            }
            keys = .single(publicKey: publicKey)
        case .accounts(let accounts):
            keys = .accounts(
                accounts.map {
                    .init(
                        number: $0.number, bip32: $0.bip32, bip44: $0.bip44,
                        coinType: $0.coinType)
                })
        }
        let standard: [Network: UInt64] = [.mainnet: 1, .testnet: 2, .regtest: 3, .sandbox: 3]
        return WalletAdded(
            chain: kind.0, network: kind.1,
            networkID: kind.0 == .icon ? networkID ?? standard[kind.1] : nil, label: label,
            fingerprint: material.fingerprint, keys: keys)
    }
}
