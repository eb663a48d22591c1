package import DaybookChains
package import DaybookEncoding

/// Queries that several parts of the domain need.
extension State {
    /// The newest engine of this log, whose rules hold from then on; 0 in an empty log.
    package var engine: UInt64 {
        let first = engines[OnlyKey()]
        return first.flatMap { sessions[$0.target]?.engine } ?? 0
    }

    /// The engine of a session; nil if the session has not begun.
    package func engine(of session: SessionID) -> UInt64? { sessions.read(session) { $0.engine } }

    /// The session that a front end continues; nil if it has to start one.
    ///
    /// That is its last session, if engine, libraries and settings are still the same.
    package func session(goingOnWith start: SessionStarted) -> SessionID? {
        let last = frontEnds[KeyText(start.frontEnd)]
        return last.flatMap { $0.digest == start.digest ? $0.target : nil }
    }

    /// The wallets that were not removed, in the order in which they were added.
    package func wallets(of chain: Chain? = nil) -> [(id: WalletID, row: WalletRow)] {
        var found: [(id: WalletID, row: WalletRow)] = []
        wallets.walk { id, row in
            if !row.removed, chain == nil || row.wallet.chain == chain { found.append((id, row)) }
            return true
        }
        return found
    }

    package func wallet(_ id: WalletID) -> WalletRow? {
        guard let row = wallets[id], !row.removed else { return nil }
        return row
    }

    /// The chain and network of a wallet, which may be removed; nil if there is none.
    func chainID(of wallet: WalletID) -> ChainID? {
        wallets.read(wallet) { ChainID($0.wallet.chain, $0.wallet.network) }
    }

    /// The wallet and address that a script pays, unless the wallet was removed.
    package func owner(of script: Bytes, _ chain: Chain, _ network: Network) -> ScriptRow? {
        guard let row = scripts[ScriptKey(chain, network, script)],
            wallets.read(row.wallet, { !$0.removed }) == true
        else { return nil }
        return row
    }

    package func request(_ id: RequestID) -> RequestRow? { requests[id] }

    /// The status of a request; nil if it was never received.
    package func status(of id: RequestID) -> RequestRow.Status? { requests.read(id) { $0.status } }

    /// Whether a pending request expires by a time; asked before every commit.
    package func hasRequest(expiringBy time: UInt64) -> Bool {
        !requests(expiringBy: time).isEmpty
    }

    /// The pending requests that expire by a time.
    package func requests(expiringBy time: UInt64) -> [RequestID] {
        var due: [RequestID] = []
        pending.walk { key, _ in
            guard key.first <= time else { return false }
            due.append(key.second)
            return true
        }
        return due
    }

    package func chain(_ chain: Chain, _ network: Network) -> ChainRow {
        chains[ChainID(chain, network)] ?? ChainRow()
    }

    /// Whether everything that is recorded of a chain is to be compared with a node again.
    ///
    /// That is about once a day. It follows from the recorded heights alone.
    package func isComparisonDue(_ chain: Chain, _ network: Network) -> Bool {
        let row = self.chain(chain, network)
        let compared = row.compared ?? 0
        return row.height < compared || row.height - compared >= chain.rules.blocksPerDay
    }

    /// The wallets that could answer a request; the first one is offered first.
    package func candidates(for request: Request) -> [(id: WalletID, row: WalletRow)] {
        if case .remedy(_, let payment) = request.action {
            // Only the wallet that made the payment has the keys.
            let payer = self.request(payment)?.payment?.wallet
            return payer.flatMap { id in wallet(id).map { [(id, $0)] } } ?? []
        }
        var format: AddressFormat?
        if case .pay(let address, _, _) = request.action {
            format = UTXOAddress(parsedBefore: address, chain: request.chain)?.format
        }
        return wallets(of: request.chain).filter { answers(request, payingTo: format, $0.row) }
    }

    private func answers(
        _ request: Request, payingTo format: AddressFormat?, _ row: WalletRow
    ) -> Bool {
        switch request.action {
        case .pay:
            format == row.wallet.network.addressFormat
        case .address(let account):
            row.wallet.account(account) != nil || (isSingle(row) && account == 0)
        case .masterPublicKey(let account): row.wallet.account(account) != nil
        case .bind: true
        case .sign(let parameters), .sendTransaction(let parameters):
            row.address == parameters["from"]?.stringValue
                && parameters["nid"]?.stringValue.flatMap(ICONInteger.parseSmall)
                    == row.wallet.networkID
        case .sendICX(let from, _, _, _), .sendToken(let from, _, _, _): row.address == from
        case .remedy: false
        }
    }

    private func isSingle(_ row: WalletRow) -> Bool {
        if case .single = row.wallet.keys { true } else { false }
    }

    /// The receive address to give to a caller: unused, and given to no other caller.
    ///
    /// An address given to this caller before is given again while it is unused. If every address
    /// of the gap was given away, the caller shares the last one: a gap of more than twenty would
    /// hide its payments from other wallets that restore these keys. The rows only tell which
    /// address comes next; the address itself is derived from the wallet's keys.
    ///
    /// Without an account, the address is one of the wallet's first.
    package func nextAddress(
        _ wallet: WalletID, account: UInt32? = nil, caller: String?
    ) -> AddressRow? {
        guard let owner = self.wallet(wallet)?.wallet else { return nil }
        let account = account ?? owner.firstAccount
        guard let branch = owner.branch(ofAccount: account, isChange: false),
            let gap = branches[BranchKey(wallet, branch)]
        else { return account == 0 ? owner.singleAddress(branchKeys) : nil }
        let unused = gap.indices.map { index -> (index: UInt32, row: AddressRow?) in
            (index, addresses[AddressKey(wallet, branch, index)])
        }.filter { $0.row?.used != true }
        let given = caller.flatMap { caller in unused.filter { $0.row?.givenTo == caller } } ?? []
        let free = unused.filter { $0.row?.givenTo == nil }
        for (index, row) in given + free + unused.suffix(1) {
            guard var address = owner.address(of: branch, at: index, branchKeys) else { continue }
            address.givenTo = row?.givenTo
            return address
        }
        return nil
    }

    /// The address that change goes to: the first unused change address, or the wallet's only
    /// address.
    package func changeAddress(_ wallet: WalletID) -> AddressRow? {
        guard let owner = self.wallet(wallet)?.wallet else { return nil }
        guard let branch = owner.branch(ofAccount: owner.firstAccount, isChange: true),
            let gap = branches[BranchKey(wallet, branch)]
        else { return owner.singleAddress(branchKeys) }
        for index in gap.indices {
            if let address = owner.address(of: branch, at: index, branchKeys) { return address }
        }
        return nil
    }

    /// Whether a wallet has derived the address at a path: it is used, or within the gap after.
    package func hasDerived(_ path: DerivationPath, of wallet: WalletID) -> Bool {
        guard let owner = self.wallet(wallet)?.wallet, let index = path.components.last else {
            return false
        }
        return owner.branches.contains { branch in
            guard let row = branches[BranchKey(wallet, branch)] else { return false }
            return index < row.indices.upperBound && owner.path(of: branch, at: index) == path.text
        }
    }

    /// The row of a request's transaction; nil while there is none.
    package func transaction(of row: RequestRow) -> TransactionRow? {
        guard let txid = row.txid, let wallet = row.wallet.flatMap({ self.wallet($0) })?.wallet
        else { return nil }
        return transactions[TransactionKey(wallet.chain, wallet.network, txid)]
    }

    /// The request that signed a transaction, by its id as displayed; nil if it is not ours.
    package func request(
        signing txid: Bytes, _ chain: Chain, _ network: Network
    ) -> RequestID? {
        let id = transactions.read(TransactionKey(chain, network, txid)) { $0.request } ?? nil
        return id.flatMap { id in requests.read(id) { $0.txid == txid } == true ? id : nil }
    }

    /// The recorded outputs of a wallet, spent or not.
    ///
    /// If a transaction's id is given, as displayed, only the outputs of that transaction.
    func outputs(of wallet: WalletID, madeBy txid: Bytes? = nil) -> [OutputRow] {
        guard let prefix = Self.outputs(of: wallet, madeBy: txid) else { return [] }
        return (outputs.rows(prefix) + spentOutputs.rows(prefix)).map(\.row)
    }

    private static func outputs(
        of wallet: WalletID, madeBy txid: Bytes?
    ) -> KeyPrefix<OutputKey>? {
        guard let txid else { return .first(wallet) }
        return TransactionID(displayed: txid).map { .wallet(wallet, madeBy: $0) }
    }

    /// An output as it was recorded, spent or not; one that is `spent` is looked for there first.
    func output(
        _ outpoint: Outpoint, of wallet: WalletID, spent: Bool = false
    ) -> ChainObserved.Output? {
        let key = OutputKey(wallet, outpoint)
        if spent, let output = spentOutputs.read(key, { $0.output }) { return output }
        return outputs.read(key) { $0.output } ?? spentOutputs.read(key) { $0.output }
    }

    /// The requests whose transactions spend our outputs of a transaction.
    func requests(spending txid: Bytes) -> [RequestID] {
        wallets().flatMap { wallet in
            let made = outputs(of: wallet.id, madeBy: txid).compactMap(\.reservedBy)
            let gone = Self.outputs(of: wallet.id, madeBy: txid).map { reserved.rows($0) } ?? []
            return made + gone.map(\.row.target)
        }
    }
}

extension Request {
    /// Whether approving the request needs the wallet's passphrase, or a signature by its key.
    ///
    /// A watch-only wallet has no passphrase, so an address is given without one.
    package func needsKey(of wallet: WalletAdded?) -> Bool {
        switch action {
        case .bind: false
        case .address: wallet?.isWatchOnly != true
        case .masterPublicKey, .pay, .sign, .sendICX, .sendToken, .sendTransaction, .remedy: true
        }
    }
}
