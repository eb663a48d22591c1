package import DaybookChains
package import DaybookEncoding

/// What the wallets of a chain and network want to know of it.
package struct ChainQuery: Equatable, Sendable {
    /// Dash, Axe: the addresses whose outputs are asked for.
    ///
    /// An embedded chain tells beside them all that came after the tip.
    package var watched: [Watched] = []
    /// Dash, Axe: branches whose addresses go on behind those that are watched.
    package var branches: [Branch] = []
    /// The last tip that was recorded, so that a node can tell what came after it.
    package var tip: Tip?
    /// By what the chain was known when it was last looked at.
    package var identity: String?
    /// ICON: the network ids of the wallets; a node of another network is not asked.
    package var networkIDs: [UInt64] = []
    /// ICON: the addresses whose balances are asked for.
    package var addresses: [String] = []
    /// ICON: the token contracts whose names and balances are asked for.
    package var tokens: [String] = []
    /// The ids of transactions whose fate is open, as displayed.
    package var transactions: [Bytes] = []
    /// ICON: a transaction without step limit whose steps are to be estimated.
    package var estimate: JSON?

    /// Dash, Axe: scripts of `watched` that are not looked for.
    ///
    /// Where a transaction is found that pays them, it is told all the same.
    package private(set) var skipped: Set<Bytes> = []

    package init() {}

    /// So many addresses that nobody has paid are looked for at once.
    package static let maxUnused = 1000

    /// Skips addresses that nobody has paid: those that were asked about, and what is too many.
    package mutating func skipUnused(asked: Subjects?) {
        let before = Set(asked?.scripts ?? [])
        var left = Self.maxUnused
        for address in watched where !address.isUsed {
            if left == 0 || before.contains(address.script) {
                skipped.insert(address.script)
            } else {
                left -= 1
            }
        }
    }

    /// What is asked about: an answer that brings no new subject leaves nothing to ask.
    package var subjects: Subjects {
        let scripts = watched.map(\.script)
        return Subjects(
            scripts: skipped.isEmpty ? scripts : scripts.filter { !skipped.contains($0) },
            tokens: tokens, transactions: transactions)
    }

    /// Scripts, token contracts and transactions that a question is about.
    package struct Subjects: Equatable, Sendable {
        let scripts: [Bytes]
        let tokens: [String]
        let transactions: [Bytes]

        /// These, and the scripts of further addresses.
        package func adding(scripts more: [Bytes]) -> Subjects {
            Subjects(scripts: scripts + more, tokens: tokens, transactions: transactions)
        }

        /// These and others.
        package func adding(_ others: Subjects) -> Subjects {
            Subjects(
                scripts: scripts + others.scripts, tokens: tokens + others.tokens,
                transactions: transactions + others.transactions)
        }

        /// Whether a question about others was one about all of these too.
        package func areAmong(_ others: Subjects) -> Bool {
            self == others
                || Set(others.scripts).isSuperset(of: scripts)
                    && Set(others.tokens).isSuperset(of: tokens)
                    && Set(others.transactions).isSuperset(of: transactions)
        }
    }

    /// An address of ours, by its text and its script.
    package struct Watched: Equatable, Sendable {
        package let address: String
        package let script: Bytes
        /// Whether outputs of it were recorded before: then all up to the last tip were.
        package let isUsed: Bool

        package init(address: String, script: Bytes, isUsed: Bool) {
            self.address = address
            self.script = script
            self.isUsed = isUsed
        }
    }

    /// Where a wallet's addresses go on behind those that are watched.
    package struct Branch: Equatable, Sendable {
        private let parent: ExtendedPublicKey
        private let chain: Chain
        private let network: Network
        /// The watched addresses that nobody has paid, and their indices.
        package let unused: [String: UInt32]
        /// The first index that is not watched.
        package let next: UInt32

        /// The branch whose addresses are children of a key.
        package init(
            parent: ExtendedPublicKey, chain: Chain, network: Network, unused: [String: UInt32],
            next: UInt32
        ) {
            self.parent = parent
            self.chain = chain
            self.network = network
            self.unused = unused
            self.next = next
        }

        /// The address at an index; nil where there is no such key.
        package func address(at index: UInt32) -> Watched? {
            guard let parameters = UTXOParameters.of(chain, network),
                let child = parent.child(index)
            else { return nil }
            let address = UTXOAddress(child.publicKey, parameters)
            return Watched(address: address.text, script: address.scriptPubKey, isUsed: false)
        }
    }

    /// The highest block of a chain.
    package struct Tip: Equatable, Sendable {
        package let height: UInt64
        /// The block's hash, as displayed.
        package let hash: Bytes

        package init(height: UInt64, hash: Bytes) {
            self.height = height
            self.hash = hash
        }
    }
}

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
