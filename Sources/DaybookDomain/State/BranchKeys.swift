import DaybookChains
import DaybookEncoding

/// The extended keys of wallets' branches and the addresses below them, each derived once.
///
/// A derivation on the curve takes longer than reading a row. What is derived follows from the
/// wallet's public keys alone, so that copies of a state may share what is known.
final class BranchKeys {
    private var known: [Branch: ExtendedPublicKey] = [:]
    private var addresses: [Place: AddressRow] = [:]

    private struct Branch: Hashable {
        let account: String
        let change: UInt32
    }

    /// Where an address lies: nothing else tells what it is.
    struct Place: Hashable {
        let chain: Chain
        let network: Network
        let key: Key
        // The rest tells the path, which takes longer to word than an address to find.
        let branch: AddressRow.Branch
        let coinType: UInt32
        let index: UInt32

        /// The account's extended key as text, or the wallet's single key.
        enum Key: Hashable {
            case account(String)
            case single(Bytes)
        }
    }

    /// So many of each are known at most: memory is to stay flat however many wallets come and go.
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

    /// The address at a place, derived where it is not known yet.
    func address(at place: Place, _ derive: () -> AddressRow?) -> AddressRow? {
        if let address = addresses[place] { return address }
        guard let address = derive() else { return nil }
        if addresses.count >= Self.capacity { addresses.removeAll() }
        addresses[place] = address
        return address
    }
}
