import DaybookChains

/// The extended keys of wallets' branches, each derived once from its account's.
///
/// A key follows from the account's text alone, so that copies of a state may share what is known.
final class BranchKeys {
    private var known: [Branch: ExtendedPublicKey] = [:]

    private struct Branch: Hashable {
        let account: String
        let change: UInt32
    }

    /// So many are known at most: memory is to stay flat however many wallets come and go.
    private static let capacity = 256

    /// The key whose children are a branch's; nil where the text spells no account's key.
    func key(ofAccount account: String, change: UInt32) -> ExtendedPublicKey? {
        let branch = Branch(account: account, change: change)
        if let key = known[branch] { return key }
        guard let key = ExtendedPublicKey(account)?.child(change) else { return nil }
        if known.count >= Self.capacity { known.removeAll() }
        known[branch] = key
        return key
    }
}
