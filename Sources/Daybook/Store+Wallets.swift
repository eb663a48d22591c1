import DaybookChains
import DaybookCrypto
import DaybookDomain
public import DaybookEncoding
import DaybookSigner
import DaybookLog
import DaybookSystem

/// A wallet that was just added, with the words of a new one, which are stored nowhere in clear.
public struct AddedWallet: ~Copyable, Sendable {
    /// The wallet as it was recorded.
    public let wallet: Wallet
    /// The address of the same words at ICON's other derivation path, which may also hold coins.
    public let otherAddress: String?
    /// The search on the chain; nil unless the wallet was restored with a gap.
    public let search: WalletSearch?
    /// Whether the words may be Electrum's too, which makes other keys of them.
    public let mayBeElectrum: Bool
    private let words: SecretBytes?

    init(wallet: Wallet, search: WalletSearch?, _ reader: consuming SecretReader) {
        self.wallet = wallet
        self.search = search
        otherAddress = reader.otherAddress
        mayBeElectrum = reader.mayBeElectrum
        words = reader.takeWords()
    }

    /// Calls `body` with the new wallet's words, unless it has none.
    ///
    /// For example, to print them:
    ///
    ///     added.withMnemonic { print(String(copying: $0)) }
    ///
    /// The words are wiped with this value. A `String` of them is not.
    public func withMnemonic<Failure>(
        _ body: (UTF8Span) throws(Failure) -> Void
    ) throws(Failure) {
        try words?.withBytes { bytes throws(Failure) in
            // The words come from BIP 39's lists, which are in UTF-8.
            try body(unsafe UTF8Span(unchecked: bytes))
        }
    }
}

extension Store {
    /// Seals a secret under a passphrase and records the wallet's public part.
    ///
    /// `accounts` is the number of BIP 44 accounts of an HD wallet. `coinType` is for Axe (5, the
    /// default, in its document, 4242 in Axe Core) and for words on ICON (74, the default, in most
    /// wallets, 4801368 in Ledger's). `networkID` is ICON's nid if it is not the network's usual
    /// one (1, 2 or 3). A passphrase needs at least eight characters, unless `allowingWeak`, and
    /// has none that nobody can type.
    ///
    /// With a `gap` (20 to 1000), a Dash or Axe wallet of words is restored: a node is asked which
    /// accounts were used, and on which of them DIP 9's path of mixed coins was. The wallet gets
    /// those accounts, and looks at so many unused addresses ahead from then on. If no node
    /// answers, the wallet is added without them, and `search` says so.
    ///
    /// - Throws: `walletExists`, `invalidMnemonic`, `invalidKey`, `wrongPassphrase` (of a keystore
    ///   file), `passphraseEmpty`, `passphraseUntypable`, `passphraseWeak`, `wrongChain`,
    ///   `permissionDenied`.
    public func addWallet(
        _ source: consuming WalletSource, chain: ChainName, network: NetworkName = .sandbox,
        label: String? = nil, accounts: Int = 1, coinType: UInt32? = nil,
        networkID: UInt64? = nil, gap: Int? = nil, sealedBy passphrase: consuming Passphrase,
        allowingWeak isWeakAllowed: Bool = false
    ) async throws(DaybookError) -> AddedWallet {
        let kind = (DaybookChains.Chain(chain), DaybookChains.Network(network))
        try passphrase.check(allowingWeak: isWeakAllowed)
        guard (1...Self.mostAccounts).contains(accounts), Self.isValid(label: label) else {
            throw DaybookError("invalidWallet", .usage, "1 to 100 accounts, a label of 64 bytes")
        }
        guard gap.map(Self.gaps.contains) ?? true else {
            throw DaybookError("invalidWallet", .usage, "a gap is 20 to 1000 addresses")
        }
        let reader = try SecretReader.read(
            source, kind.0, kind.1, coinType: coinType)
        let nid = kind.0.rules.hasNetworkIDs ? networkID ?? Self.networkID(of: kind.1) : nil
        let numbers = (0..<accounts).map { UInt32($0) }
        var material = try Self.material(
            of: reader.secret, kind, networkID: nid, coinType: coinType,
            accounts: numbers, coinJoin: gap == nil ? [] : Set(numbers))
        try convertingErrors {
            // A key is sealed only where its wallet can be recorded.
            try journal.read(.asWriter) { state, _ in try Self.refuseKnown(material, state) }
        }
        var search: WalletSearch?
        if let gap, case .accounts = material.keys {
            let found = try await convertingErrors {
                try await restored(reader.secret, of: material, coinType: coinType, gap: gap)
            }
            (material, search) = (found.material, found.search)
        }
        let added = WalletAdded(
            chain: kind.0, network: kind.1, networkID: nid, label: label, keys: material.keys,
            gap: search.flatMap { $0.gap > Self.gaps.lowerBound ? UInt64($0.gap) : nil })
        let wallet = try await convertingErrors {
            try await seal(
                reader.secret, of: material, with: passphrase, salt: try Entropy.bytes(16),
                nonce: try Entropy.bytes(12), as: added)
        }
        probe?("wallet recorded")
        return AddedWallet(wallet: wallet, search: search, reader)
    }

    private static let gaps = Int(State.gapLimit)...Int(WalletAdded.maximumGap)

    /// The wallets of the store, in the order in which they were added.
    public func wallets() throws(DaybookError) -> [Wallet] {
        try convertingErrors {
            try journal.read { state in state.wallets().map { view($0.id, $0.row) } }
        }
    }

    /// The next receive address that was neither paid to nor given to a caller.
    ///
    /// It is derived from the wallet's keys, after a check that they are the sealed ones.
    ///
    /// - Throws: `unknownWallet`, `keyMismatch`, `keyMissing`, `keyDamaged`, `permissionDenied`.
    public func address(of wallet: WalletID) throws(DaybookError) -> String {
        try convertingErrors {
            try journal.read { state in
                let owner = try keys.checked(wallet, in: state)
                return state.nextAddress(wallet, caller: nil)?.text ?? owner.firstAddress
            }
        }
    }

    /// Removes a wallet from the store; its history stays.
    ///
    /// Its sealed file stays under `keys/` as well, so that the wallet can be added again; to
    /// destroy the key, delete that file.
    ///
    /// - Throws: `unknownWallet`, `walletBusy` while a transaction of the wallet is in flight.
    public func removeWallet(_ wallet: WalletID) async throws(DaybookError) {
        _ = try await convertingErrors {
            try await journal.record { state, _, _ in
                guard state.wallet(wallet) != nil else {
                    throw DaybookError("unknownWallet", .refused, "there is no such wallet")
                }
                let isBusy = state.work.rows().contains { key, _ in
                    guard let row = state.request(key) else { return false }
                    guard row.status == .deferred, let request = row.request else {
                        return row.wallet == wallet
                    }
                    // Without this wallet, a deferred request would wait for ever.
                    return state.candidates(for: request).contains { $0.id == wallet }
                }
                if isBusy {
                    throw DaybookError(
                        "walletBusy", .refused, "a transaction of this wallet is under way")
                }
                return [.init(.walletRemoved(WalletRemoved(wallet: wallet)))]
            }
        }
        lock(wallet)
    }

    /// Gives a wallet another label of at most 64 bytes, or none.
    ///
    /// Prompts show the label: a prompt that was shown before is no longer up to date.
    ///
    /// - Throws: `invalidWallet`, `unknownWallet`.
    @discardableResult
    public func rename(_ wallet: WalletID, to label: String?) async throws(DaybookError) -> Wallet {
        guard Self.isValid(label: label) else {
            throw DaybookError("invalidWallet", .usage, "a label has at most 64 bytes")
        }
        return try await convertingErrors {
            let unknown = DaybookError("unknownWallet", .refused, "there is no such wallet")
            try await journal.record { state, _, _ in
                guard let row = state.wallet(wallet) else { throw unknown }
                if row.wallet.label.map({ Array($0.utf8) }) == label.map({ Array($0.utf8) }) {
                    return []
                }
                return [.init(.walletRenamed(WalletRenamed(wallet: wallet, label: label)))]
            }
            return try journal.read { state in
                guard let row = state.wallet(wallet) else { throw unknown }
                return view(wallet, row)
            }
        }
    }

    private static func isValid(label: String?) -> Bool {
        label.map { $0.utf8.count <= longestWalletLabel } ?? true
    }

    /// The most bytes of a wallet's label, which prompts show.
    static let longestWalletLabel = 64

    /// Throws if the store has a wallet with the same keys, even with other accounts or nid.
    static func refuseKnown(_ material: PublicMaterial, _ state: State) throws {
        let isKnown = state.wallets(of: material.chain).contains {
            $0.row.wallet.material.sharesKeys(with: material)
        }
        if isKnown {
            throw DaybookError("walletExists", .refused, "the store has this wallet already")
        }
    }

    func record(_ added: WalletAdded) async throws -> Wallet {
        let events = try await journal.record { state, _, _ in
            try Self.refuseKnown(added.material, state)
            return [.init(.walletAdded(added))]
        }
        guard let id = events.last.map({ WalletID($0.position) }),
            let wallet = try journal.read({ state in
                state.wallet(id).map { view(id, $0) }
            })
        else { throw DaybookError("unknownWallet", .store, "the wallet was not recorded") }
        return wallet
    }

    // MARK: - Secrets

    static func material(
        of secret: borrowing WalletSecret, _ kind: (Chain, Network), networkID: UInt64?,
        coinType: UInt32?, accounts: [UInt32], coinJoin: Set<UInt32> = []
    ) throws(DaybookError) -> PublicMaterial {
        let material: PublicMaterial?
        do {
            material = try secret.publicMaterial(
                kind.0, kind.1, networkID: networkID, coinType: coinType,
                accounts: accounts, coinJoin: coinJoin)
        } catch {
            throw DaybookError.from(error)
        }
        guard let material else {
            throw DaybookError(
                "invalidWallet", .usage, "this kind of secret makes no \(kind.0.rawValue) wallet")
        }
        if case .single(let publicKey) = material.keys, publicKey.count != 33 {
            throw DaybookError(
                "uncompressedKey", .usage,
                "the key is for an uncompressed public key, whose coins cost more to spend; "
                    + "move them to a new wallet")
        }
        return material
    }

    static func networkID(of network: Network) -> UInt64 {
        switch network {
        case .mainnet: 1
        case .testnet: 2
        case .regtest, .sandbox: 3
        }
    }
}
