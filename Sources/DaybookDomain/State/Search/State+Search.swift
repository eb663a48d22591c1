import DaybookChains
package import DaybookEncoding

/// A block of requests, or of the entries of a wallet's history, in the index for searches.
///
/// The first number is 0 for requests, else the wallet's, which is never 0.
package typealias SearchKey = Pair<UInt64, UInt64>

/// The marks of requests and entries, which only a store keeps: nothing else follows from them.
extension State {
    /// 2^8 positions are a block of requests, 2^6 entries one of a history.
    fileprivate static let requestBits: UInt64 = 8
    private static let entryBits: UInt64 = 6

    /// Adds marks of a request, with its time when it is new.
    mutating func mark(_ id: RequestID, _ marks: SearchMarks, at time: UInt64? = nil) {
        mark(SearchKey(0, id.number >> Self.requestBits), marks, at: time)
    }

    private mutating func mark(_ key: SearchKey, _ marks: SearchMarks, at time: UInt64?) {
        guard keepsSearchIndex, time != nil || !marks.values.isEmpty else { return }
        if searched.update(key, { $0.add(marks, at: time) }) { return }
        var row = SearchRow()
        row.add(marks, at: time)
        searched[key] = row
    }

    /// Adds the marks of a new request's link.
    mutating func mark(_ id: RequestID, link: Bytes, at time: UInt64) {
        guard keepsSearchIndex else { return }
        var marks = SearchMarks()
        let text = SearchedText.readable(link)
        marks.add(text: text.span)
        mark(id, marks, at: time)
    }

    /// Adds the marks of a new entry of a history.
    mutating func mark(_ key: HistoryKey, _ row: HistoryRow, payingTo scripts: [Bytes]) {
        guard keepsSearchIndex else { return }
        var marks = SearchMarks()
        marks.add(.amount, row.amount.magnitude.decimal)
        for script in scripts { marks.add(.address, script.span) }
        if let txid = row.txid {
            marks.add(transaction: txid)
            if let id = request(making: txid, in: key.first) { marks.add(blockOf: id) }
        }
        mark(SearchKey(key.first.number, key.second >> Self.entryBits), marks, at: row.time)
    }

    /// The request whose transaction an entry of a wallet's history is.
    private func request(making txid: Bytes, in wallet: WalletID) -> RequestID? {
        guard let owner = wallets[wallet]?.wallet else { return nil }
        return transactions[TransactionKey(owner.chain, owner.network, txid)]?.request
    }
}

extension SearchMarks {
    /// Adds the marks of what a request says.
    mutating func add(_ request: Request, entered: UInt64?) {
        let transfer = AskedTransfer(request, entered: entered)
        if let sender = request.caller?.scheme { add(.sender, sender) }
        if let recipient = transfer.recipient { add(.address, recipient) }
        if let amount = transfer.amount { add(.amount, amount.decimal) }
        // All other texts are in the link.
        if request.action.isRemedy { add(text: request.action.method.utf8.span) }
    }

    /// Adds the mark of a transaction's id, whose first digits are enough to find it.
    mutating func add(transaction txid: Bytes) {
        add(.transaction, String(Hex.encode(txid).prefix(SearchQuery.markedDigits)))
    }

    /// Adds the mark of the block that a request is in.
    fileprivate mutating func add(blockOf id: RequestID) {
        addOne(.requests, id.number >> State.requestBits)
    }
}

// MARK: - Searching

extension State {
    /// Hands out the blocks of positions in which requests may be that a query asks for.
    ///
    /// They are in order, each as much of it as is in `range`, until `body` returns false.
    package func searchRequests(
        _ query: SearchQuery, in range: ClosedRange<UInt64>, isForward: Bool,
        _ body: (ClosedRange<UInt64>) -> Bool
    ) {
        let filter = SearchFilter(query.parts.map(clause))
        walkBlocks(of: 0, Self.requestBits, in: range, isForward: isForward) { block, row in
            let number = block.lowerBound >> Self.requestBits
            guard row.mayBe(from: query.start, to: query.end),
                !filter.mayHold(row, number).contains(false)
            else { return true }
            return body(block)
        }
    }

    /// Hands out the blocks of numbers at which a wallet's history may have what a query asks for.
    ///
    /// They are in order, the newest first, each as much of it as is in `range`, until `body`
    /// returns false.
    package func searchHistory(
        of wallet: WalletID, _ query: SearchQuery, in range: ClosedRange<UInt64>,
        _ body: (ClosedRange<UInt64>) -> Bool
    ) {
        var clauses = query.parts.map(clause)
        if !clauses.isEmpty { addRequests(to: &clauses) }
        let filter = SearchFilter(clauses)
        walkBlocks(
            of: wallet.number, Self.entryBits, in: range, isForward: false
        ) { block, row in
            guard row.mayBe(from: query.start, to: query.end),
                !filter.mayHold(row).contains(false)
            else { return true }
            return body(block)
        }
    }

    /// Adds to each clause the blocks of requests that may fulfil it: an entry has what its request
    /// has.
    private func addRequests(to clauses: inout [SearchClause]) {
        let filter = SearchFilter(clauses)
        var blocks = clauses.map { _ in SearchMarks() }
        searched.walk(.first(0)) { key, row in
            for (index, mayHold) in filter.mayHold(row, key.second).enumerated()
            where mayHold {
                blocks[index].addOne(.requests, key.second)
            }
            return true
        }
        for index in clauses.indices { clauses[index].add(anyOf: blocks[index]) }
    }

    private func walkBlocks(
        of scope: UInt64, _ bits: UInt64, in range: ClosedRange<UInt64>, isForward: Bool,
        _ body: (ClosedRange<UInt64>, SearchRow) -> Bool
    ) {
        let (first, last) = (range.lowerBound >> bits, range.upperBound >> bits)
        func block(_ number: UInt64) -> ClosedRange<UInt64> {
            (number << bits...(number << bits | ((1 << bits) - 1))).clamped(to: range)
        }
        if isForward {
            let after = first == 0 ? nil : SearchKey(scope, first - 1)
            searched.walk(.first(scope), after: after) { key, row in
                key.second > last ? false : body(block(key.second), row)
            }
        } else {
            let before = SearchKey(scope, last + 1)
            searched.walkBackward(.first(scope), before: before) { key, row in
                key.second < first ? false : body(block(key.second), row)
            }
        }
    }

    /// The marks of one condition.
    private func clause(_ part: SearchQuery) -> SearchClause {
        var clause = SearchClause()
        func add(_ change: (inout SearchMarks) -> Void) {
            var marks = SearchMarks()
            change(&marks)
            clause.add(marks)
        }
        if let sender = part.sender { add { $0.add(.sender, sender) } }
        if let address = part.address {
            add { $0.add(.address, address) }
            for script in scripts(of: address) { add { $0.add(.address, script.span) } }
        }
        if let amount = part.amount {
            for minor in minors(amount, of: nil) { add { $0.add(.amount, minor.decimal) } }
        }
        if let text = part.text {
            add { $0.add(text: part.sought.span) }
            if let digits = SearchQuery.transaction(text) {
                add { $0.add(.transaction, String(digits.prefix(SearchQuery.markedDigits))) }
            }
            addLabels(to: &clause, part)
        }
        return clause
    }

    /// Adds to a clause what has a label with the text that it looks for.
    ///
    /// Labels have no marks of their own: one can be given before its thing is in the log, and
    /// taken away again, and even a large file of them is read in less time than links are.
    private func addLabels(to clause: inout SearchClause, _ part: SearchQuery) {
        labels.walk { key, row in
            guard part.isIn(label: row.text), let subject = LabelSubject(key.text) else {
                return true
            }
            var contents: [SearchMarks] = []
            func add(_ change: (inout SearchMarks) -> Void) {
                var marks = SearchMarks()
                change(&marks)
                contents.append(marks)
            }
            switch subject {
            case .request(let id): clause.add(block: id.number >> Self.requestBits)
            case .transaction(let txid): add { $0.add(transaction: txid) }
            case .sender(let name): add { $0.add(.sender, name) }
            case .address(let address):
                add { $0.add(.address, address) }
                for script in scripts(of: address) { add { $0.add(.address, script.span) } }
            // Lists of coins show it.
            case .output: break
            }
            for marks in contents { clause.add(marks) }
            return true
        }
    }

    /// The scripts that pay an address, on each chain that has it.
    private func scripts(of address: String) -> [Bytes] {
        Chain.allCases.compactMap { UTXOAddress(address, chain: $0)?.scriptPubKey }
    }

    /// The possible minor units of an amount of whole coins: of an asset, or of all known ones.
    ///
    /// An asset whose decimals are not known is counted in units.
    private func minors(_ amount: String, of asset: String?) -> [UInt256] {
        var decimals: Set<Int> = []
        for coin in Chain.allCases.map(\.rules.coin)
        where asset.map({ Text.equal($0, coin.asset) }) ?? true {
            decimals.insert(coin.decimals)
        }
        tokens.walk { key, row in
            if asset.map({ Text.equal($0, key.second.text) }) ?? true {
                decimals.insert(row.unit(of: key.second.text).decimals)
            }
            return true
        }
        if asset == nil || decimals.isEmpty { decimals.insert(0) }
        // An amount has at most 78 digits, and a token may name any number of decimals.
        return decimals.sorted().filter { $0 < 78 }.compactMap { decimals in
            DecimalAmount.parse(amount, decimals: decimals)
        }
    }
}

// MARK: - Comparing

extension State {
    /// Whether a request has all that a query asks for; `link` reads the text of its link.
    package func holds(
        _ query: SearchQuery, _ id: RequestID, _ row: RequestRow, link: () -> Bytes?
    ) -> Bool {
        guard query.includes(row.received) else { return false }
        let request = row.request ?? row.into.flatMap { self.request($0)?.request }
        let transfer = request.map { AskedTransfer($0, entered: row.amount) }
        if let sender = query.sender, !Text.equal(request?.caller?.scheme ?? "", sender) {
            return false
        }
        if let address = query.address, !Text.equal(transfer?.recipient ?? "", address) {
            return false
        }
        if let amount = query.amount {
            guard let asked = transfer?.amount, query.hasDigits(of: asked),
                let asset = transfer?.asset, minors(amount, of: asset).contains(asked)
            else { return false }
        }
        guard query.text != nil else { return true }
        if query.begins(row.txid) { return true }
        let named: [LabelSubject?] = [
            .request(id), row.txid.map { .transaction($0) },
            request?.caller.map { .sender($0.scheme) }, transfer?.recipient.map { .address($0) },
        ]
        if named.contains(where: { $0.map { isLabelled(query, $0) } ?? false }) { return true }
        if let why = row.refusal?.reason(inLink: row.link), query.isIn(why.utf8.span) {
            return true
        }
        if let action = request?.action, action.isRemedy, query.isIn(action.method.utf8.span) {
            return true
        }
        guard let link = link() else { return false }
        let text = SearchedText.readable(link)
        return query.isIn(text.span)
    }

    /// Whether an entry of a history, or its request, has each thing that a query asks for.
    package func holds(
        _ query: SearchQuery, _ entry: HistoryRow, of wallet: WalletID,
        link: (RequestID) -> Bytes?
    ) -> Bool {
        guard query.includes(entry.time) else { return false }
        let id = entry.txid.flatMap { request(making: $0, in: wallet) }
        let row = id.flatMap { request($0) }
        return query.parts.allSatisfy { part in
            if hasItself(part, entry, of: wallet) { return true }
            guard let id, let row else { return false }
            return holds(part, id, row) { link(id) }
        }
    }

    /// Whether an entry itself has what one condition asks for.
    private func hasItself(
        _ part: SearchQuery, _ entry: HistoryRow, of wallet: WalletID
    ) -> Bool {
        if let amount = part.amount {
            return part.hasDigits(of: entry.amount.magnitude)
                && minors(amount, of: entry.asset).contains(entry.amount.magnitude)
        }
        if let address = part.address { return pays(address, entry, of: wallet) }
        guard part.text != nil, let txid = entry.txid else { return false }
        return part.begins(txid) || isLabelled(part, .transaction(txid))
            || hasOutput(of: entry, wallet) { row in
                addresses[row.address].map { isLabelled(part, .address($0.text)) } ?? false
            }
    }

    /// Whether a thing has a label with the text that a query looks for.
    private func isLabelled(_ query: SearchQuery, _ subject: LabelSubject) -> Bool {
        label(subject).map { query.isIn(label: $0) } ?? false
    }

    /// Whether an entry's transaction has an output of the wallet's to an address.
    private func pays(_ address: String, _ entry: HistoryRow, of wallet: WalletID) -> Bool {
        let scripts = scripts(of: address)
        return hasOutput(of: entry, wallet) { scripts.contains($0.output.script) }
    }

    /// Whether an entry's transaction has an output of the wallet's that fulfils a condition.
    private func hasOutput(
        of entry: HistoryRow, _ wallet: WalletID, _ isWanted: (OutputRow) -> Bool
    ) -> Bool {
        guard let id = entry.txid.flatMap({ TransactionID(displayed: $0) }) else { return false }
        var isThere = false
        for table in [outputs, spentOutputs] {
            table.walk(.wallet(wallet, madeBy: id)) { _, row in
                isThere = isThere || isWanted(row)
                return !isThere
            }
        }
        return isThere
    }
}
