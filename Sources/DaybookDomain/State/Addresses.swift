import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Synchronization

/// The addresses of a wallet, derived from its public keys alone.
///
/// An address that is shown or given away comes from here and never from a row, because rows are
/// derived data that somebody may have altered. `Store.checkedWallet` checks that the keys are
/// those of the sealed file.
extension WalletAdded {
    /// The branches of the wallet's addresses, also those whose key a watch-only wallet lacks.
    package var branches: [AddressRow.Branch] {
        guard case .accounts(let accounts) = keys else { return [] }
        return accounts.flatMap { account in
            let kinds: [AddressRow.Branch.Kind] =
                account.coinJoin.isEmpty ? [.bip44, .bip32] : [.bip44, .bip32, .coinJoin]
            return kinds.flatMap { kind in
                [false, true].map {
                    AddressRow.Branch(kind: kind, account: account.number, isChange: $0)
                }
            }
        }
    }

    /// The branch of an account's receive or change addresses: BIP 44's, where its key is known.
    func branch(ofAccount number: UInt32, isChange: Bool) -> AddressRow.Branch? {
        account(number).map { account in
            AddressRow.Branch(
                kind: account.bip44.isEmpty ? .bip32 : .bip44, account: number, isChange: isChange)
        }
    }

    /// The number of the wallet's first account; zero for a wallet of one key.
    var firstAccount: UInt32 {
        guard case .accounts(let accounts) = keys else { return 0 }
        return accounts.first?.number ?? 0
    }

    package func account(_ number: UInt32) -> Account? {
        guard case .accounts(let accounts) = keys else { return nil }
        return accounts.first { $0.number == number }
    }

    /// The first receive address, or the only address; empty if it can't be derived.
    package var firstAddress: String {
        if case .single(let bytes) = keys, chain.rules.ledger == .accounts {
            return PublicKey(bytes).map { ICONAddress($0).text } ?? ""
        }
        guard let branch = branch(ofAccount: firstAccount, isChange: false) else {
            return singleAddress?.text ?? ""
        }
        return address(of: branch, at: 0, BranchKeys())?.text ?? ""
    }

    /// The address of a Dash or Axe wallet of one key; nil of every other wallet.
    package var singleAddress: AddressRow? {
        guard case .single(let bytes) = keys, let key = PublicKey(bytes),
            let parameters = UTXOParameters.of(chain, network)
        else { return nil }
        let address = UTXOAddress(key, parameters)
        return AddressRow(
            text: address.text, script: address.scriptPubKey, path: "m", publicKey: bytes)
    }

    /// The derivation path at an index of a branch; nil if the wallet lacks the branch's account.
    func path(of branch: AddressRow.Branch, at index: UInt32) -> String? {
        parent(of: branch).map { "\($0.path)/\($0.change)/\(index)" }
    }

    /// The address at an index of a branch; nil if there is no such key.
    func address(
        of branch: AddressRow.Branch, at index: UInt32, _ keys: BranchKeys
    ) -> AddressRow? {
        guard let parent = parent(of: branch) else { return nil }
        let id = BranchKeys.AddressID(
            chain: chain, network: network, key: .account(parent.key), branch: branch,
            coinType: parent.account.coinType, index: index)
        return keys.address(id) { newAddress(of: branch, at: index, keys) }
    }

    /// Derives the address at an index of a branch, without the cache.
    func newAddress(
        of branch: AddressRow.Branch, at index: UInt32, _ keys: BranchKeys
    ) -> AddressRow? {
        guard let parameters = UTXOParameters.of(chain, network),
            let parent = parent(of: branch),
            let child = keys.key(ofAccount: parent.key, change: parent.change)?.child(index)
        else { return nil }
        let address = UTXOAddress(child.publicKey, parameters)
        return AddressRow(
            text: address.text, script: address.scriptPubKey,
            path: "\(parent.path)/\(parent.change)/\(index)",
            publicKey: child.publicKey.compressed)
    }

    /// The address of a wallet of one key, from the cache.
    func singleAddress(_ keys: BranchKeys) -> AddressRow? {
        guard case .single(let bytes) = self.keys else { return nil }
        let id = BranchKeys.AddressID(
            chain: chain, network: network, key: .single(bytes), branch: .single, coinType: 0,
            index: 0)
        return keys.address(id) { singleAddress }
    }

    /// Whether a branch has an extended key to derive addresses from.
    func hasKeys(for branch: AddressRow.Branch, _ keys: BranchKeys) -> Bool {
        chain.rules.ledger == .outputs && key(of: branch, keys) != nil
    }

    /// The extended key whose children are a branch's.
    func key(of branch: AddressRow.Branch, _ keys: BranchKeys) -> ExtendedPublicKey? {
        guard let parent = parent(of: branch) else { return nil }
        return keys.key(ofAccount: parent.key, change: parent.change)
    }

    /// The account key above a branch.
    private struct Parent {
        let account: Account
        let branch: AddressRow.Branch

        /// The account's extended key, as text.
        var key: String {
            switch branch.kind {
            case .bip32: account.bip32
            case .bip44, .single: account.bip44
            case .coinJoin: account.coinJoin
            }
        }
        /// The path of that key.
        var path: String {
            switch branch.kind {
            case .bip32: "m/\(account.number)'"
            case .bip44, .single: "m/44'/\(account.coinType)'/\(account.number)'"
            case .coinJoin: "m/9'/\(account.coinType)'/4'/\(account.number)'"
            }
        }
        /// The branch's number below that key.
        var change: UInt32 { branch.isChange ? 1 : 0 }
    }

    private func parent(of branch: AddressRow.Branch) -> Parent? {
        account(branch.account).map { Parent(account: $0, branch: branch) }
    }
}

/// A cache of the extended keys of branches, of the addresses below them, and of those that scans
/// ask about.
///
/// Deriving a key on the curve takes longer than reading a row. The entries depend on public keys
/// alone, or name the content of the table that they follow from, so that copies of a state can
/// share the cache.
final class BranchKeys: Sendable {
    private let known = Mutex<[Branch: ExtendedPublicKey]>([:])
    private let addresses = Mutex<[AddressID: AddressRow]>([:])
    private let watched = Mutex<[WalletID: WatchedAddresses]>([:])

    private struct WatchedAddresses {
        let content: TableContent
        let addresses: [ChainQuery.Watched]
    }

    private struct Branch: Hashable {
        let account: String
        let change: UInt32
    }

    /// All that an address depends on.
    struct AddressID: Hashable {
        let chain: Chain
        let network: Network
        let key: Key
        // The parts of the derivation path, because making its text takes longer than the lookup.
        let branch: AddressRow.Branch
        let coinType: UInt32
        let index: UInt32

        /// The account's extended key as text, or the wallet's single key.
        enum Key: Hashable {
            case account(String)
            case single(Bytes)
        }
    }

    /// The maximum number of entries of each kind, so that memory stays bounded.
    ///
    /// An address is derived as one of a wallet's next, and again when it is given away.
    private static let capacity = 1024

    /// The extended key of a branch; nil if the text is no account's key.
    func key(ofAccount account: String, change: UInt32) -> ExtendedPublicKey? {
        let branch = Branch(account: account, change: change)
        if let key = known.withLock({ $0[branch] }) { return key }
        guard let key = ExtendedPublicKey(account)?.child(change) else { return nil }
        known.withLock { known in
            if known.count >= Self.capacity { known.removeAll() }
            known[branch] = key
        }
        return key
    }

    /// The address with this id; `derive` is called if it is not in the cache.
    func address(_ id: AddressID, _ derive: () -> AddressRow?) -> AddressRow? {
        if let address = addresses.withLock({ $0[id] }) { return address }
        guard let address = derive() else { return nil }
        addresses.withLock { addresses in
            if addresses.count >= Self.capacity { addresses.removeAll() }
            addresses[id] = address
        }
        return address
    }

    fileprivate func watched(
        by wallet: WalletID, _ content: TableContent
    ) -> [ChainQuery.Watched]? {
        watched.withLock { $0[wallet] }
            .flatMap { $0.content === content ? $0.addresses : nil }
    }

    fileprivate func remember(
        _ addresses: [ChainQuery.Watched], by wallet: WalletID, _ content: TableContent
    ) {
        watched.withLock { watched in
            if watched.count >= Self.capacity { watched.removeAll() }
            watched[wallet] = WatchedAddresses(content: content, addresses: addresses)
        }
    }
}

extension State {
    /// The addresses of a wallet that a scan asks about, which are listed once for the same rows.
    ///
    /// A scan compares its question several times with the one that another state leads to
    /// (`tools/bench lifecycle`).
    func watched(by wallet: WalletID) -> [ChainQuery.Watched] {
        let content = addresses.content
        if let content, let known = branchKeys.watched(by: wallet, content) { return known }
        var watched: [ChainQuery.Watched] = []
        addresses.walk(.wallet(wallet)) { _, row in
            watched.append(
                ChainQuery.Watched(address: row.text, script: row.script, isUsed: row.used))
            return true
        }
        if let content { branchKeys.remember(watched, by: wallet, content) }
        return watched
    }

    /// Unused addresses that are derived ahead unless a wallet says more, as BIP 44 recommends.
    package static let gapLimit = UInt64(DerivationPath.gapLimit)
}
