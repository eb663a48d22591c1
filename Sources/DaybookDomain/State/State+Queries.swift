package import DaybookChains
package import DaybookEncoding

/// Questions that deciding, working and showing ask alike.
extension State {
    /// The newest engine that decided in this log: its rules hold from then on; 0 at the beginning.
    package var engine: UInt64 {
        let first = engines[OnlyKey()]
        return first.flatMap { sessions[$0.target]?.engine } ?? 0
    }

    /// The session that a front end goes on with; nil where it has to begin one.
    ///
    /// That is its last one, if engine, libraries and settings are still the same.
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

    /// The wallet and address that a script pays, unless the wallet was removed.
    package func owner(of script: Bytes, _ chain: Chain, _ network: Network) -> ScriptRow? {
        guard let row = scripts[ScriptKey(chain, network, script)],
            wallet(row.wallet) != nil
        else { return nil }
        return row
    }

    package func request(_ id: RequestID) -> RequestRow? { requests[id] }

    /// The requests that wait for their user and expire at or before a time, in that order.
    ///
    /// Those that still have time are not looked at: there may be very many.
    package func requests(expiringBy time: UInt64) -> [RequestID] {
        var due: [RequestID] = []
        var after: Pair<UInt64, RequestID>?
        while let row = pending.rows(after: after, limit: 1).first,
            row.key.first <= time
        {
            due.append(row.key.second)
            after = row.key
        }
        return due
    }

    package func chain(_ chain: Chain, _ network: Network) -> ChainRow {
        chains[ChainID(chain, network)] ?? ChainRow()
    }

    /// The wallets that could answer a request, the one to offer first in front.
    package func candidates(for request: Request) -> [(id: WalletID, row: WalletRow)] {
        if case .remedy(_, let payment) = request.action {
            // Only the wallet that paid has the keys.
            let payer = self.request(payment)?.payment?.wallet
            return payer.flatMap { id in wallet(id).map { [(id, $0)] } } ?? []
        }
        var format: AddressFormat?
        if case .pay(let address, _, _) = request.action {
            format = UTXOAddress(address, chain: request.chain)?.format
        }
        return wallets(of: request.chain).filter { answers(request, payingTo: format, $0.row) }
    }

    private func answers(
        _ request: Request, payingTo format: AddressFormat?, _ row: WalletRow
    ) -> Bool {
        switch request.action {
        case .pay:
            format == UTXOParameters.of(request.chain, row.wallet.network)?.format
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

    /// The first address of a branch that nobody has paid, and that no other caller was given.
    ///
    /// An address given to this caller before is given again while it is unused. When the whole
    /// gap has been given away, the caller shares the last address: a gap of more than twenty
    /// would hide its payments from other wallets that restore these keys. The rows say which
    /// address comes next; the address itself is derived from the wallet's keys.
    package func nextAddress(_ wallet: WalletID, account: UInt32, caller: String?) -> AddressRow? {
        guard let owner = self.wallet(wallet)?.wallet else { return nil }
        let branch = AddressRow.Branch(kind: .bip44, account: account, isChange: false)
        guard let gap = branches[BranchKey(wallet, branch)] else {
            return account == 0 ? owner.singleAddress(branchKeys) : nil
        }
        let unused = gap.indices.map { index -> (index: UInt32, row: AddressRow?) in
            (index, addresses[AddressKey(wallet, branch, index)])
        }.filter { $0.row?.used != true }
        let given = caller.flatMap { caller in unused.filter { $0.row?.givenTo == caller } } ?? []
        let free = unused.filter { $0.row?.givenTo == nil }
        for (index, row) in given + free + unused.suffix(1) {
            guard var address = owner.address(branch, index, branchKeys) else { continue }
            address.givenTo = row?.givenTo
            return address
        }
        return nil
    }

    /// Where change goes: the first unused change address, or the wallet's only one.
    package func changeAddress(_ wallet: WalletID) -> AddressRow? {
        guard let owner = self.wallet(wallet)?.wallet else { return nil }
        guard let branch = owner.branches.first(where: \.isChange),
            let gap = branches[BranchKey(wallet, branch)]
        else { return owner.singleAddress(branchKeys) }
        for index in gap.indices {
            if let address = owner.address(branch, index, branchKeys) { return address }
        }
        return nil
    }

    /// The addresses of a wallet of which blocks up to the last tip may have more than is known.
    ///
    /// A single key's is one until it is used; of others those are that were derived since.
    package func addressesNotAsked(_ wallet: WalletID) -> [AddressRow] {
        guard let row = self.wallet(wallet) else { return [] }
        let single = addresses[AddressKey(wallet, .single, 0)]
        let derived = row.wallet.branches.flatMap { branch -> [AddressRow] in
            guard let row = branches[BranchKey(wallet, branch)] else { return [] }
            let end = row.indices.upperBound
            var found: [AddressRow] = []
            for index in min(UInt32(clamping: row.asked), end)..<end {
                // Counters may say anything: the addresses end where the first one is missing.
                guard let row = addresses[AddressKey(wallet, branch, index)] else { break }
                found.append(row)
            }
            return found
        }
        return [single].compactMap(\.self).filter { !$0.used } + derived
    }

    /// Where the transaction of a request stands; nil while there is none.
    package func transaction(of row: RequestRow) -> TransactionRow? {
        guard let txid = row.txid, let wallet = row.wallet.flatMap({ self.wallet($0) })?.wallet
        else { return nil }
        return transactions[TransactionKey(wallet.chain, wallet.network, txid)]
    }

    /// The request that signed a transaction, by its id as displayed; nil where none of ours did.
    ///
    /// The transaction itself is in the request's events.
    package func request(
        signing txid: Bytes, _ chain: Chain, _ network: Network
    ) -> RequestID? {
        let row = transactions[TransactionKey(chain, network, txid)]
        return row?.request.flatMap { request($0)?.txid == txid ? $0 : nil }
    }

    /// Every output that is known of a wallet, spent or not.
    ///
    /// Only those of one transaction where its id is given, as displayed.
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

    /// An output as it was recorded, spent or not.
    func output(_ outpoint: Outpoint, of wallet: WalletID) -> ChainObserved.Output? {
        let key = OutputKey(wallet, outpoint)
        return (outputs[key] ?? spentOutputs[key])?.output
    }

    /// The requests whose transactions spend outputs of ours that a transaction made.
    func requests(spending txid: Bytes) -> [RequestID] {
        wallets().flatMap { wallet in
            let made = outputs(of: wallet.id, madeBy: txid).compactMap(\.reservedBy)
            let gone = Self.outputs(of: wallet.id, madeBy: txid).map { reserved.rows($0) } ?? []
            return made + gone.map(\.row.target)
        }
    }

    /// What a wallet could spend now, with the place of the address that each coin paid.
    package func coins(_ wallet: WalletID) -> [(coin: Coin, address: AddressKey)] {
        guard let owner = self.wallet(wallet) else { return [] }
        let (chain, network) = (owner.wallet.chain, owner.wallet.network)
        let tip = self.chain(chain, network).height
        // A closure that holds the whole state would copy it.
        let (addresses, transactions) = (addresses, transactions)
        var coins: [(coin: Coin, address: AddressKey)] = []
        outputs.walk(.first(wallet)) { _, row in
            let output = row.output
            guard row.reservedBy == nil, output.height != nil || row.isOurs,
                addresses.contains(row.address)
            else { return true }
            let transaction = TransactionKey(chain, network, output.outpoint.displayed)
            let depth = output.height.map { $0 <= tip ? min(tip - $0, .max - 1) + 1 : 1 } ?? 0
            let coin = Coin(
                outpoint: output.outpoint, amount: output.amount, script: output.script,
                confirmations: Int(clamping: depth), isCoinbase: output.coinbase,
                isLocked: transactions.read(transaction) { $0.locked } ?? false)
            coins.append((coin, row.address))
            return true
        }
        return coins
    }
}

extension Request {
    /// Whether the wallet's passphrase answers it, or what its key has signed.
    ///
    /// A wallet that is only watched has no passphrase to ask for before it hands out an address.
    package func needsKey(of wallet: WalletAdded?) -> Bool {
        switch action {
        case .bind: false
        case .address: wallet?.isWatchOnly != true
        default: true
        }
    }
}
