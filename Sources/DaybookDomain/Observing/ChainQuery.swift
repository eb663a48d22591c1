package import DaybookChains
package import DaybookEncoding

/// A question to a node: what the wallets of a chain and network need to know.
package struct ChainQuery: Equatable, Sendable {
    /// Dash, Axe: the addresses whose outputs are asked for.
    package var watched: [Watched] = []
    /// Dash, Axe: branches with further addresses after the watched ones.
    package var branches: [Branch] = []
    /// The last tip that was recorded, so that a node can tell what came after it.
    package var tip: Tip?
    /// The network identity that the node showed at the last scan.
    package var identity: String?
    /// Whether everything is asked about, and not only what came after the tip.
    package var isWhole = false
    /// ICON: the network ids of the wallets; a node of another network is not asked.
    package var networkIDs: [UInt64] = []
    /// ICON: the addresses whose balances are asked for.
    package var addresses: [String] = []
    /// ICON: the token contracts whose names and balances are asked for.
    package var tokens: [String] = []
    /// The ids of unsettled transactions, as displayed.
    package var transactions: [Bytes] = []
    /// Dash, Axe: the transactions that are set aside.
    ///
    /// They are read again, and count like all others once they are understood.
    package var setAside: [SetAside] = []
    /// ICON: a transaction without step limit whose steps are to be estimated.
    package var estimate: JSON?

    /// Dash, Axe: scripts of `watched` that are not searched for.
    ///
    /// A transaction that pays them is still reported if it is found for another reason.
    package private(set) var skipped: Set<Bytes> = []

    package init() {}

    /// The maximum number of unused addresses in one question.
    package static let maxUnused = 1000

    /// Skips unused addresses that were asked about before, or that exceed the maximum.
    package mutating func skipUnused(asked: Subjects?) {
        if asked == nil, watched.count <= Self.maxUnused { return }
        let before = asked?.allScripts ?? []
        var left = Self.maxUnused
        for address in watched where !address.isUsed {
            if left == 0 || before.contains(address.script) {
                skipped.insert(address.script)
            } else {
                left -= 1
            }
        }
    }

    /// The subjects of the question: if an answer adds none, there is nothing more to ask.
    package var subjects: Subjects {
        Subjects(
            watched: skipped.isEmpty ? watched : watched.filter { !skipped.contains($0.script) },
            tokens: tokens, transactions: transactions)
    }

    /// The scripts, token contracts and transactions of a question.
    package struct Subjects: Equatable, Sendable {
        fileprivate var watched: [Watched]
        fileprivate var tokens: [String]
        fileprivate var transactions: [Bytes]
        /// The scripts of further addresses.
        private var ahead: [Bytes] = []

        fileprivate init(watched: [Watched], tokens: [String], transactions: [Bytes]) {
            (self.watched, self.tokens, self.transactions) = (watched, tokens, transactions)
        }

        fileprivate var allScripts: Set<Bytes> { Set(watched.map(\.script) + ahead) }

        /// Returns these subjects with the scripts of further addresses.
        package func adding(scripts more: [Bytes]) -> Subjects {
            var all = self
            all.ahead += more
            return all
        }

        /// Returns these subjects and others.
        package func adding(_ others: Subjects) -> Subjects {
            var all = self
            all.watched += others.watched
            all.tokens += others.tokens
            all.transactions += others.transactions
            all.ahead += others.ahead
            return all
        }

        /// Whether all of these are contained in others.
        package func areAmong(_ others: Subjects) -> Bool {
            if watched == others.watched, tokens == others.tokens, ahead == others.ahead,
                transactions == others.transactions
            {
                return true
            }
            return others.allScripts.isSuperset(of: allScripts)
                && Set(others.tokens).isSuperset(of: tokens)
                && Set(others.transactions).isSuperset(of: transactions)
        }
    }

    /// An address of ours: its text and its script.
    package struct Watched: Equatable, Sendable {
        package let address: String
        package let script: Bytes
        /// Whether it was paid before; then all its outputs up to the last tip are recorded.
        package let isUsed: Bool

        package init(address: String, script: Bytes, isUsed: Bool) {
            self.address = address
            self.script = script
            self.isUsed = isUsed
        }
    }

    /// A branch of a wallet, from which addresses after the watched ones are derived.
    package struct Branch: Equatable, Sendable {
        private let parent: ExtendedPublicKey
        private let chain: Chain
        private let network: Network
        /// The unused watched addresses, with their indices.
        package let unused: [Unused]
        /// The first index that is not watched.
        package let next: UInt32
        /// The unused addresses to look at after a used one.
        package let gap: UInt64

        /// An address and its index.
        package struct Unused: Equatable, Sendable {
            package let address: String
            package let index: UInt32

            package init(_ address: String, at index: UInt32) {
                (self.address, self.index) = (address, index)
            }
        }

        /// Creates the branch whose addresses are children of a key.
        package init(
            parent: ExtendedPublicKey, chain: Chain, network: Network, unused: [Unused],
            next: UInt32, gap: UInt64 = State.gapLimit
        ) {
            self.parent = parent
            self.chain = chain
            self.network = network
            self.unused = unused
            self.next = next
            self.gap = gap
        }

        /// The address at an index; nil if there is no such key.
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
    /// Creates the question of a scan, for all wallets of a chain and network.
    ///
    /// The branches follow from the watched addresses, so comparisons of questions can omit them.
    package init(
        _ chain: Chain, _ network: Network, in state: borrowing State, listsBranches: Bool = true
    ) {
        self.init(identityOf: chain, network, in: state)
        for (id, row) in state.wallets(of: chain) where row.wallet.network == network {
            if chain.rules.ledger == .accounts {
                addresses.append(row.address)
                for contract in state.balances.keys(.first(id)).map(\.text)
                where contract != "ICX" && !tokens.contains(contract) {
                    tokens.append(contract)
                }
            } else {
                watched += state.watched(by: id)
            }
        }
        if listsBranches { branches = Self.branches(chain, network, in: state) }
        transactions = Self.followed(chain, network, in: state)
        if chain.rules.ledger == .outputs {
            setAside = state.chain(chain, network).setAside.filter { $0.txid != nil }
        }
    }

    /// The branches of all wallets of a chain and network.
    package static func branches(
        _ chain: Chain, _ network: Network, in state: State
    ) -> [Branch] {
        if chain.rules.ledger == .accounts { return [] }
        return state.wallets(of: chain).filter { $0.row.wallet.network == network }
            .flatMap { branches(of: $0.id, $0.row.wallet, in: state) }
    }

    private static func branches(
        of id: WalletID, _ wallet: WalletAdded, in state: State
    ) -> [Branch] {
        let addresses = state.addresses
        return wallet.branches.compactMap { branch in
            guard let row = state.branches[BranchKey(id, branch)],
                let next = UInt32(exactly: row.derived),
                let parent = wallet.key(of: branch, state.branchKeys)
            else { return nil }
            // Not a walk: of a wallet that was used for long, most addresses are used.
            let unused = row.indices(within: wallet.gapLimit).compactMap { index in
                addresses.read(AddressKey(id, branch, index)) {
                    Branch.Unused($0.text, at: index)
                }
            }
            return Branch(
                parent: parent, chain: wallet.chain, network: wallet.network, unused: unused,
                next: next, gap: wallet.gapLimit)
        }
    }

    private static func followed(_ chain: Chain, _ network: Network, in state: State) -> [Bytes] {
        state.followed.keys(.first(ChainID(chain, network))).map(\.second.bytes)
    }

    /// Returns the query without those of our transactions that were signed after an earlier query.
    ///
    /// A payment that another task signs and sends changes nothing that an answer to the earlier
    /// query says, as long as the state shows nothing of it on the chain: whoever sends it asks
    /// about it. On ICON a balance depends on every transaction.
    package func leavingOut(
        signedSince earlier: ChainQuery, _ chain: Chain, _ network: Network, in state: State
    ) -> ChainQuery {
        guard chain.rules.ledger == .outputs, transactions != earlier.transactions
        else { return self }
        let before = Set(earlier.transactions)
        var query = self
        query.transactions.removeAll { txid in
            !before.contains(txid) && state.isUnseen(txid, chain, network)
        }
        return query
    }

    /// Creates the question of a whole comparison, for all wallets of a chain and network.
    ///
    /// A scan of ICON asks about its own transactions only until they are confirmed; a comparison
    /// asks about all of them.
    package init(whole chain: Chain, _ network: Network, in state: borrowing State) {
        self.init(chain, network, in: state)
        isWhole = true
        guard chain.rules.ledger == .accounts else { return }
        let known = Set(transactions)
        transactions += state.transactions.rows(.first(ChainID(chain, network)))
            .filter { $0.row.request != nil && $0.row.height != nil }
            .map(\.key.second.bytes).filter { !known.contains($0) }
    }

    /// Creates the question for a chain's identity, tip and prices alone.
    package init(identityOf chain: Chain, _ network: Network, in state: borrowing State) {
        let known = state.chain(chain, network)
        identity = known.identity
        if !known.tip.isEmpty { tip = Tip(height: known.height, hash: known.tip) }
        for (_, row) in state.wallets(of: chain) where row.wallet.network == network {
            if let nid = row.wallet.networkID, !networkIDs.contains(nid) { networkIDs.append(nid) }
        }
    }

    /// Creates the question that decides a deferred request, for the wallet that is offered first.
    ///
    /// It also asks about our own unsettled transactions; otherwise their coins would seem to have
    /// been spent elsewhere.
    package init?(
        for request: Request, _ wallet: WalletAdded, at time: UInt64, in state: borrowing State
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
        case .pay, .address, .masterPublicKey, .bind, .sign: return nil
        }
        estimate = request.estimateParameters(wallet, at: time)
    }
}
