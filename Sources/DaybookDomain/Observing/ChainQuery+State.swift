package import DaybookChains
import DaybookEncoding

extension ChainQuery {
    /// All that the wallets of a chain and network want to know.
    ///
    /// An embedded chain tells what came after the last tip whoever it pays: of the addresses only
    /// those are named that it has to look for in older blocks, however many there are by now.
    package init(_ chain: Chain, _ network: Network, in state: State) {
        let known = state.chain(chain, network)
        identity = known.identity
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
                if network != .sandbox { branches += Self.branches(of: id, row.wallet, in: state) }
            }
        }
        transactions = Self.followed(chain, network, in: state)
    }

    private static func branches(
        of id: WalletID, _ wallet: WalletAdded, in state: State
    ) -> [Branch] {
        wallet.branches.compactMap { branch in
            guard let row = state.branches[BranchKey(id, branch)],
                let next = UInt32(exactly: row.derived),
                let parent = wallet.key(of: branch, state.branchKeys)
            else { return nil }
            var unused: [String: UInt32] = [:]
            for index in row.indices {
                guard let address = state.addresses[AddressKey(id, branch, index)] else { continue }
                unused[address.text] = index
            }
            return Branch(
                parent: parent, chain: wallet.chain, network: wallet.network, unused: unused,
                next: next)
        }
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
        let known = state.chain(wallet.chain, wallet.network)
        identity = known.identity
        if !known.tip.isEmpty { tip = Tip(height: known.height, hash: known.tip) }
        switch request.action {
        case .sendICX(let from, _, _, _):
            addresses = [from]
        case .sendToken(let from, _, _, let contract):
            addresses = [from]
            tokens = [contract]
        case .sendTransaction(let parameters):
            addresses = [parameters["from"]?.stringValue].compactMap(\.self)
        case .remedy(let remedy, let payment):
            transactions = [state.request(state.subject(of: remedy, payment))?.txid]
                .compactMap(\.self)
        default: return nil
        }
        estimate = request.estimateParameters(wallet, at: time)
    }
}
