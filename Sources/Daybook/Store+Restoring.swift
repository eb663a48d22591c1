import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import DaybookSigner

/// The search for the accounts of a wallet that is restored from its words.
///
/// Other wallets keep coins on several accounts, and mixed coins on a path of their own. A wallet
/// that is restored without them looks empty.
extension Store {
    /// A wallet's public material with the accounts that were used, and what was looked at.
    ///
    /// The wallet has the accounts of `material` at least, each of which has its key of mixed coins
    /// there. Accounts of other wallets of the store are left out. If no node answers, the wallet
    /// has the accounts that were asked for.
    func restored(
        _ secret: borrowing WalletSecret, of material: PublicMaterial, coinType: UInt32?, gap: Int
    ) async throws -> (material: PublicMaterial, search: WalletSearch) {
        let kind = (material.chain, material.network)
        let asked = material.accounts
        var accounts = asked
        let chainID = ChainID(material.chain, material.network)
        var looked: [WalletSearch.Account] = []
        var problem: NodeProblem?
        do {
            guard let client = try clients.client(of: chainID) else {
                throw ChainFailure(.noNode, "no node is set up")
            }
            // An unused first account says little: some wallets never give out its addresses.
            while looked.count < Self.mostAccounts, looked.count < 2 || looked.last?.isFound == true
            {
                let number = looked.count
                if number == accounts.count {
                    accounts += try Self.material(
                        of: secret, kind, networkID: nil, coinType: coinType,
                        accounts: [UInt32(number)], coinJoin: [UInt32(number)]
                    ).accounts
                }
                let question = try question(about: accounts[number], chainID, gap)
                let answer = try await client.observe(question.query, progress: nil)
                looked.append(
                    WalletSearch.Account(
                        number: number, isUsed: question.isAccountUsed(in: answer),
                        isCoinJoinUsed: question.isCoinJoinUsed(in: answer)))
            }
        } catch {
            try Task.checkCancellation()
            problem = NodeProblem(error, of: chainID)
        }
        let used = looked.last { $0.isFound }.map { $0.number + 1 } ?? 0
        let mixed = Set(looked.filter(\.isCoinJoinUsed).map { UInt32($0.number) })
        let found = accounts.prefix(max(asked.count, used)).map { account in
            mixed.contains(account.number) ? account : account.withoutCoinJoin
        }
        let search = WalletSearch(gap: gap, accounts: looked, problem: problem)
        return (try own(found, atLeast: asked.count, of: chainID), search)
    }

    static let mostAccounts = 100

    private func question(
        about account: PublicMaterial.Account, _ chainID: ChainID, _ gap: Int
    ) throws -> AccountQuestion {
        let wallet = WalletAdded(
            chain: chainID.chain, network: chainID.network, networkID: nil, label: nil,
            keys: .accounts([account]), gap: UInt64(gap))
        return try journal.read { AccountQuestion(wallet, in: $0) }
    }

    /// The material of accounts, without the last ones that another wallet has already.
    private func own(
        _ accounts: [PublicMaterial.Account], atLeast count: Int, of chainID: ChainID
    ) throws -> PublicMaterial {
        try journal.read { state in
            var accounts = accounts
            while true {
                let material = PublicMaterial(
                    chain: chainID.chain, network: chainID.network, networkID: nil,
                    keys: .accounts(accounts))
                let isOwn = !state.wallets(of: chainID.chain).contains {
                    $0.row.wallet.material.sharesKeys(with: material)
                }
                if isOwn || accounts.count <= count { return material }
                accounts.removeLast()
            }
        }
    }
}

extension PublicMaterial {
    /// The accounts of a tree of keys; none of a single key.
    fileprivate var accounts: [Account] {
        if case .accounts(let accounts) = keys { accounts } else { [] }
    }
}

extension PublicMaterial.Account {
    /// The account of a wallet that does not look for mixed coins.
    fileprivate var withoutCoinJoin: Self {
        Self(number: number, bip32: bip32, bip44: bip44, coinType: coinType, master: master)
    }
}
