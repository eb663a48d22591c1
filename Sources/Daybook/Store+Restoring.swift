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
    /// The parts of a wallet that are known before its words are looked for on the chain.
    struct Restoring {
        let chain: Chain
        let network: Network
        let coinType: UInt32?
        /// The number of accounts that the wallet has at least.
        let accounts: Int
        let gap: Int
    }

    /// A wallet's public material with the accounts that were used, and what was looked at.
    ///
    /// Accounts of other wallets of the store are left out. If no node answers, the wallet has the
    /// accounts that were asked for.
    func restored(
        _ secret: borrowing WalletSecret, as wallet: Restoring
    ) async throws -> (material: PublicMaterial, search: WalletSearch) {
        let chainID = ChainID(wallet.chain, wallet.network)
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
                let question = try question(about: number, of: secret, wallet)
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
        let material = try ownMaterial(
            of: secret, wallet, accounts: max(wallet.accounts, used),
            coinJoin: Set(looked.filter(\.isCoinJoinUsed).map { UInt32($0.number) }))
        let search = WalletSearch(gap: wallet.gap, accounts: looked, problem: problem)
        return (material, search)
    }

    static let mostAccounts = 100

    private func question(
        about number: Int, of secret: borrowing WalletSecret, _ wallet: Restoring
    ) throws -> AccountQuestion {
        let material = try Self.material(
            of: secret, (wallet.chain, wallet.network), networkID: nil, coinType: wallet.coinType,
            accounts: [UInt32(number)], coinJoin: [UInt32(number)])
        let account = WalletAdded(
            chain: wallet.chain, network: wallet.network, networkID: nil, label: nil,
            keys: material.keys, gap: UInt64(wallet.gap))
        return try journal.read { AccountQuestion(account, in: $0) }
    }

    /// The material of the first accounts, without the last ones that another wallet has already.
    private func ownMaterial(
        of secret: borrowing WalletSecret, _ wallet: Restoring, accounts: Int,
        coinJoin: Set<UInt32>
    ) throws -> PublicMaterial {
        var count = accounts
        while true {
            let material = try Self.material(
                of: secret, (wallet.chain, wallet.network), networkID: nil,
                coinType: wallet.coinType, accounts: (0..<count).map { UInt32($0) },
                coinJoin: coinJoin)
            let isOwn = try journal.read { state in
                !state.wallets(of: wallet.chain).contains {
                    $0.row.wallet.material.sharesKeys(with: material)
                }
            }
            if isOwn || count <= wallet.accounts { return material }
            count -= 1
        }
    }
}
