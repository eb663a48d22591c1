import DaybookChains
import DaybookEncoding

/// The question whether an account that is being restored was used before.
///
/// It is about the first addresses of each of the account's branches, as BIP 44 searches accounts.
package struct AccountQuestion: Sendable {
    /// The question to a node.
    package let query: ChainQuery
    private let kinds: [Bytes: AddressRow.Branch.Kind]

    /// The question about the one account of a wallet, within the wallet's gap.
    package init(_ wallet: WalletAdded, in state: State) {
        var query = ChainQuery(identityOf: wallet.chain, wallet.network, in: state)
        // Without a tip, the answer is about all blocks.
        query.tip = nil
        var kinds: [Bytes: AddressRow.Branch.Kind] = [:]
        for branch in wallet.branches {
            for index in 0..<UInt32(wallet.gapLimit) {
                guard let address = wallet.newAddress(of: branch, at: index, state.branchKeys)
                else { continue }
                query.watched.append(
                    ChainQuery.Watched(
                        address: address.text, script: address.script, isUsed: false))
                kinds[address.script] = branch.kind
            }
        }
        self.query = query
        self.kinds = kinds
    }

    /// Whether an answer shows that the account's own addresses were used.
    package func isAccountUsed(in answer: ChainSnapshot) -> Bool {
        used(in: answer) { $0 != .coinJoin }
    }

    /// Whether an answer shows that the account has or had mixed coins.
    package func isCoinJoinUsed(in answer: ChainSnapshot) -> Bool {
        used(in: answer) { $0 == .coinJoin }
    }

    private func used(
        in answer: ChainSnapshot, _ isMeant: (AddressRow.Branch.Kind) -> Bool
    ) -> Bool {
        // A node's word about a transaction may not be understood; then the account is kept.
        answer.setAside.contains { $0.kind == .transaction || $0.kind == .listing }
            || answer.outputs.contains { kinds[$0.script].map(isMeant) ?? false }
    }
}
