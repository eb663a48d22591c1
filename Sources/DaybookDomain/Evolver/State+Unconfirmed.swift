import DaybookChains
import DaybookEncoding

/// Which outputs can change without a new block that names them.
///
/// An answer that begins after the last tip is compared with these alone, and not with all that a
/// wallet ever had.
extension State {
    /// Notes that an output is unconfirmed, or no longer, with the tip at a height.
    mutating func noteUnconfirmed(
        _ output: ChainObserved.Output, of wallet: WalletID, at height: UInt64
    ) {
        let key = OutputKey(wallet, output.outpoint)
        if !output.isConfirmed(at: height) {
            unconfirmed[key] = PointerRow(wallet)
        } else if unconfirmed.contains(key) {
            unconfirmed[key] = nil
        }
    }

    /// Notes it of every output of a chain whose tip is lower now.
    mutating func noteUnconfirmed(on chain: Chain) {
        for (id, row) in wallets(of: chain) {
            let height = self.chain(row.wallet.chain, row.wallet.network).height
            for row in outputs(of: id) { noteUnconfirmed(row.output, of: id, at: height) }
        }
    }
}

extension ChainObserved.Output {
    /// Whether a block up to a height has it, and its spending if there is one.
    fileprivate func isConfirmed(at tip: UInt64) -> Bool {
        guard let height, height <= tip else { return false }
        return spentBy == nil || spentHeight.map { $0 <= tip } ?? false
    }
}
