package import DaybookChains
import DaybookEncoding

extension ChainQuestion {
    /// All that the wallets of a chain and network want to know.
    ///
    /// An embedded chain tells what came after the last tip whoever it pays: of the addresses only
    /// those are named that it has to look for in older blocks, however many there are by now.
    package init(_ chain: Chain, _ network: Network, in state: State) {
        let known = state.chain(chain, network)
        if !known.tip.isEmpty { tip = Tip(height: known.height, hash: known.tip) }
        let tellsAll = network == .sandbox && tip != nil
        for (id, row) in state.wallets(of: chain) where row.wallet.network == network {
            if let nid = row.wallet.networkID, !networkIDs.contains(nid) { networkIDs.append(nid) }
            if chain == .icon {
                addresses.append(row.address)
                for contract in state.balances.keys(.first(id)).map(\.text)
                where contract != "ICX" && !tokens.contains(contract) {
                    tokens.append(contract)
                }
            } else {
                let addresses =
                    tellsAll
                    ? state.addressesNotAsked(id)
                    : state.addresses.rows(.wallet(id)).map(\.row)
                watched += addresses.map {
                    Watched(address: $0.text, script: $0.script, isUsed: $0.used)
                }
            }
        }
        transactions = Self.followed(chain, network, in: state)
    }

    private static func followed(_ chain: Chain, _ network: Network, in state: State) -> [Bytes] {
        state.followed.keys(.first(ChainID(chain, network))).map(\.second.bytes)
    }

    /// What a deferred request is judged by, in the wallet that is offered first.
    ///
    /// What became of our own transactions is asked along, or else their coins would seem to have
    /// been spent elsewhere.
    package init?(
        for request: Request, _ wallet: WalletAdded, at time: UInt64, in state: State
    ) {
        transactions = Self.followed(wallet.chain, wallet.network, in: state)
        networkIDs = [wallet.networkID].compactMap(\.self)
        switch request.action {
        case .sendICX(let from, _, _, _):
            addresses = [from]
        case .sendToken(let from, _, _, let contract):
            addresses = [from]
            tokens = [contract]
        case .sendTransaction(let parameters):
            addresses = [parameters["from"]?.stringValue].compactMap(\.self)
            return
        default: return nil
        }
        estimate = request.estimateParameters(wallet, at: time)
    }
}
