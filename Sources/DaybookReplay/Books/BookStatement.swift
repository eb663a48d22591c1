import DaybookChains
package import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// The balances of wallets at the beginning and at the end of a period, and the movements in it.
///
/// A movement counts on its date: that of its block, where a node told it. The root names the log
/// from which the figures follow, so that anybody who has the log can compare them.
package struct BookStatement: Sendable {
    /// The first moment of the period, and the first after it: microseconds since 1970.
    package let period: Range<UInt64>
    /// The log's id.
    package let log: Bytes
    /// The events from which the figures follow.
    package let head: TreeHead
    /// The positions that others cover, as the one who makes the statement says; nil if he says
    /// nothing. It follows from no log alone, because it depends on whose keys count.
    package var coverage: JSON?
    /// The wallet, if the statement is about one.
    package let wallet: WalletID?
    package private(set) var accounts: [Account] = []
    /// The changes of the accounts in the period, in the order of their dates.
    package private(set) var lines: [Line] = []

    /// A wallet's balance of an asset.
    package struct Account: Sendable {
        package let wallet: WalletID
        package let label: String
        package let asset: BookAsset
        package let currency: String
        package fileprivate(set) var opening = SignedAmount.zero
        package fileprivate(set) var received = UInt256.zero
        package fileprivate(set) var sent = UInt256.zero
        package fileprivate(set) var fees = UInt256.zero

        package var closing: SignedAmount {
            opening.adding(SignedAmount(received)).adding(SignedAmount(sent).negated)
                .adding(SignedAmount(fees).negated)
        }
    }

    /// A change of an account by a movement.
    package struct Line: Sendable {
        /// The index of the account.
        package let account: Int
        package let movement: Movement
        package let description: String
        package let received: UInt256
        package let sent: UInt256
        package let fee: UInt256
        /// The account's balance afterwards.
        package let balance: SignedAmount
    }

    /// The statement that follows from the state of a log after its first events.
    package init(
        _ period: Range<UInt64>, of state: State, log: Bytes, _ head: TreeHead,
        wallet: WalletID? = nil
    ) {
        (self.period, self.log, self.head, self.wallet) = (period, log, head, wallet)
        let names = BookNames(state, log: log)
        var indexes: [BalanceKey: Int] = [:]
        func index(of asset: BookAsset, in wallet: WalletID) -> Int {
            let key = BalanceKey(wallet, asset.name)
            if let known = indexes[key] { return known }
            indexes[key] = accounts.count
            accounts.append(
                Account(
                    wallet: wallet, label: names.wallet(wallet), asset: asset,
                    currency: names.currency(asset)))
            return accounts.count - 1
        }
        func note(
            _ movement: Movement, _ asset: BookAsset, _ owner: WalletID?,
            received: UInt256 = .zero, sent: UInt256 = .zero, fee: UInt256 = .zero
        ) {
            guard let owner, wallet == nil || wallet == owner,
                received != .zero || sent != .zero || fee != .zero
            else { return }
            let account = index(of: asset, in: owner)
            accounts[account].add(received, sent, fee, isBefore: movement.date < period.lowerBound)
            guard period.contains(movement.date) else { return }
            lines.append(
                Line(
                    account: account, movement: movement,
                    description: names.description(movement), received: received, sent: sent,
                    fee: fee, balance: accounts[account].closing))
        }
        for movement in Books(of: state) where movement.date < period.upperBound {
            let (asset, coin) = (movement.asset, movement.asset.coin)
            // A token's fee is a change of another account.
            let isOne = asset == coin
            note(
                movement, asset, movement.payer, sent: movement.sent,
                fee: isOne ? movement.fee : .zero)
            if !isOne { note(movement, coin, movement.payer, fee: movement.fee) }
            note(movement, asset, movement.payee, received: movement.received)
        }
        sort()
    }

    /// Sorts the accounts by wallet and asset, without those that were empty throughout.
    private mutating func sort() {
        let order = accounts.indices.filter { !accounts[$0].isEmpty }.sorted { left, right in
            let (left, right) = (accounts[left], accounts[right])
            return BalanceKey(left.wallet, left.asset.name)
                < BalanceKey(right.wallet, right.asset.name)
        }
        var places = Array(repeating: 0, count: accounts.count)
        for (place, index) in order.enumerated() { places[index] = place }
        accounts = order.map { accounts[$0] }
        lines = lines.map { line in
            Line(
                account: places[line.account], movement: line.movement,
                description: line.description, received: line.received, sent: line.sent,
                fee: line.fee, balance: line.balance)
        }
    }
}

extension BookStatement.Account {
    /// Whether it held nothing and nothing moved.
    fileprivate var isEmpty: Bool {
        opening == .zero && received == .zero && sent == .zero && fees == .zero
    }

    fileprivate mutating func add(
        _ received: UInt256, _ sent: UInt256, _ fee: UInt256, isBefore: Bool
    ) {
        if isBefore {
            opening = opening.adding(SignedAmount(received)).adding(SignedAmount(sent).negated)
                .adding(SignedAmount(fee).negated)
        } else {
            // All coins of a chain are far below 2^256, but a damaged log can say anything.
            self.received = self.received.adding(received) ?? .max
            self.sent = self.sent.adding(sent) ?? .max
            fees = fees.adding(fee) ?? .max
        }
    }

    /// An amount in whole coins.
    package func text(_ amount: SignedAmount) -> String {
        amount.text(decimals: asset.decimals ?? 0)
    }

    package func text(_ amount: UInt256) -> String { asset.text(of: amount) }
}

// MARK: - JSON

extension BookStatement {
    /// The statement as JSON: what `verify --statement` compares with a log.
    package var json: JSON {
        .record([
            "version": .int(FormatNumber.statement.current),
            "from": .string(Timestamp.text(period.lowerBound)),
            "to": .string(Timestamp.text(period.upperBound)),
            "wallet": wallet.map { .int($0) },
            "wallets": .array(accounts.map(\.json)),
            "movements": .array(lines.map { $0.json(of: accounts[$0.account]) }),
            "log": .string(Hex.encode(log)), "events": .int(head.size),
            "root": .string(Hex.encode(head.root.bytes)), "coverage": coverage,
        ])
    }
}

extension BookStatement.Account {
    fileprivate var json: JSON {
        .record([
            "wallet": .int(wallet), "label": .string(label),
            "chain": .string(asset.chain.rawValue), "network": .string(asset.network.rawValue),
            "asset": .string(asset.name), "symbol": .string(asset.symbol),
            "opening": .string(text(opening)), "received": .string(text(received)),
            "sent": .string(text(sent)), "fees": .string(text(fees)),
            "closing": .string(text(closing)),
        ])
    }
}

extension BookStatement.Line {
    fileprivate func json(of account: BookStatement.Account) -> JSON {
        .record([
            "date": .string(Timestamp.text(movement.date)),
            "recorded": .string(Timestamp.text(movement.recorded)),
            "wallet": .int(account.wallet), "asset": .string(account.asset.name),
            "kind": .string(movement.kind.rawValue), "received": .string(account.text(received)),
            "sent": .string(account.text(sent)), "fee": .string(account.text(fee)),
            "balance": .string(account.text(balance)),
            "description": .string(description),
            "counterparty": movement.counterparty.map(JSON.string),
            "txid": movement.txid.map { .string(Hex.encode($0)) },
            "request": movement.request.map { .int($0) }, "position": .int(movement.position),
        ])
    }
}
