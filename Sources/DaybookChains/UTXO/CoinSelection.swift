package import DaybookEncoding

/// The coins that pay an amount, the change, and the miner's part.
///
/// The choice depends on nothing but the coins and the numbers: replay must make it again. Coins
/// are tried in three pools, each containing the one before: those whose spending InstantSend can
/// lock at once, those in a block, all. Coins that could be a masternode's collateral are in none
/// of them; all pools are tried again with these coins if nothing else suffices.
///
/// Within the first pool that suffices, the smallest coin that pays alone is taken, unless it is
/// large and a few smaller ones pay; if none does, the largest coins are, because the fewest inputs
/// cost the least fee. Coins whose spending would exceed the limits of nodes' mempools are passed
/// over. Coins that have to be spent come before all others, which are chosen for what is then
/// still missing.
package struct CoinSelection: Hashable, Sendable {
    /// The coins spent, in the order of BIP 69.
    package let inputs: [Coin]
    package let payment: UTXOTransaction.Output
    /// Nil if the change would be dust, which then goes to the fee.
    package let change: UTXOTransaction.Output?
    /// Duffs.
    package let fee: UInt64

    /// Selects coins that pay the target and a fee.
    ///
    /// Immature coins and those that are not pay-to-public-key-hash are skipped. The `required`
    /// coins are spent in any case. A rate above `highestRate` is not paid. `package` is asked for
    /// coins that no block has.
    package static func select(
        candidates: CoinsByAmount, required: [Coin] = [], target: UInt64, script: Bytes,
        feeRatePerKilobyte: UInt64, highestRate: UInt64 = UTXOFees.highestRate,
        changeScript: Bytes, parameters: UTXOParameters,
        package: (Coin) -> MempoolPackage = { _ in MempoolPackage() }
    ) throws(CoinSelectionError) -> CoinSelection {
        let dust = RelayPolicy.dust(of: Script(script))
        guard target >= dust else { throw .dust(minimum: dust) }
        guard target <= Duffs.maximum else { throw .amountOutOfRange }
        let rate = try UTXOFees.rate(paying: feeRatePerKilobyte, below: highestRate)
        for coin in required where !coin.isSpendable { throw .unspendable(coin.outpoint) }
        let others = candidates.filtered { coin in
            coin.isSpendable && !required.contains { $0.outpoint == coin.outpoint }
        }
        let plan = Plan(
            payment: UTXOTransaction.Output(amount: target, script: script),
            changeScript: changeScript, feeRatePerKilobyte: rate,
            fixed: required.sorted(by: Coin.isLarger))
        let coins = try plan.choose(from: pools(of: others, parameters), package)
        return try plan.selection(coins).checked()
    }

    /// Selects all coins: they pay what they hold less the fee, and no change comes back.
    ///
    /// Coins whose spending would exceed the limits of nodes' mempools are passed over. Of named
    /// coins (`areNamed`) none is.
    package static func all(
        of candidates: CoinsByAmount, areNamed: Bool, script: Bytes, feeRatePerKilobyte: UInt64,
        highestRate: UInt64 = UTXOFees.highestRate, changeScript: Bytes,
        package: (Coin) -> MempoolPackage = { _ in MempoolPackage() }
    ) throws(CoinSelectionError) -> CoinSelection {
        let plan = Plan(
            payment: UTXOTransaction.Output(amount: 0, script: script), changeScript: changeScript,
            feeRatePerKilobyte: try UTXOFees.rate(paying: feeRatePerKilobyte, below: highestRate),
            fixed: [])
        let coins = try plan.all(
            of: candidates.filtered(\.isSpendable), areNamed: areNamed, package)
        return try plan.paying(all: coins).checked()
    }

    /// The selection, if nodes relay its fee.
    private func checked() throws(CoinSelectionError) -> CoinSelection {
        _ = try UTXOFees.checked(fee)
        return self
    }

    /// The pools that coins are taken from, in this order; the last one has all coins.
    private static func pools(
        of coins: CoinsByAmount, _ parameters: UTXOParameters
    ) -> [CoinsByAmount] {
        let ordinary = coins.filtered { !parameters.chain.rules.collaterals.contains($0.amount) }
        let depth = parameters.instantSendConfirmations
        return [ordinary, coins].flatMap { coins in
            [
                coins.filtered { $0.isLocked || $0.confirmations >= depth },
                coins.filtered { $0.isLocked || $0.confirmations > 0 },
                coins,
            ]
        }
    }

    /// Returns one coin to its own wallet, less a fee.
    package static func returning(
        _ coin: Coin, to script: Bytes, fee: UInt64
    ) throws(CoinSelectionError) -> CoinSelection {
        let fee = try UTXOFees.checked(fee)
        guard coin.isSpendable else { throw .unspendable(coin.outpoint) }
        let needed = fee + RelayPolicy.dust(of: Script(script))
        guard coin.amount >= needed else {
            throw .insufficient(available: coin.amount, needed: needed)
        }
        let output = UTXOTransaction.Output(amount: coin.amount - fee, script: script)
        return CoinSelection(inputs: [coin], payment: output, change: nil, fee: fee)
    }
}

/// A payment with its fee rate, for which coins are chosen.
private struct Plan {
    let payment: UTXOTransaction.Output
    let changeScript: Bytes
    let feeRatePerKilobyte: UInt64
    /// The required coins.
    let fixed: [Coin]

    /// The coins of the first pool that suffices; throws what the last pool lacks.
    func choose(
        from pools: [CoinsByAmount], _ package: (Coin) -> MempoolPackage
    ) throws(CoinSelectionError) -> [Coin] {
        var start = Choice(coins: [], total: 0, package: MempoolPackage())
        for coin in fixed {
            guard let next = adding(coin, to: start, package) else { throw .chainTooLong }
            start = next
        }
        guard size(inputs: fixed.count, outputs: [payment]) <= RelayPolicy.maximumSize else {
            throw .tooLarge(payable: 0)
        }
        if !fixed.isEmpty, start.total >= needed(inputs: fixed.count) { return fixed }
        var failure = CoinSelectionError.insufficient(
            available: start.total, needed: needed(inputs: max(fixed.count, 1)))
        for pool in pools {
            switch choose(from: pool, after: start, package) {
            case .success(let coins): return coins
            case .failure(let error): failure = error
            }
        }
        throw failure
    }

    /// Coins that were chosen, and the unconfirmed transactions that they depend on.
    private struct Choice {
        var coins: [Coin]
        var total: UInt64
        var package: MempoolPackage
    }

    /// A choice with one more coin; nil if nodes would refuse the transaction.
    private func adding(
        _ coin: Coin, to choice: Choice, _ package: (Coin) -> MempoolPackage
    ) -> Choice? {
        var choice = choice
        choice.coins.append(coin)
        // At most 675 coins of at most 2.1e15 each get here: the sum stays below 2^64.
        choice.total += coin.amount
        if coin.confirmations == 0 { choice.package.formUnion(package(coin)) }
        let change = UTXOTransaction.Output(amount: 0, script: changeScript)
        let size = size(inputs: choice.coins.count, outputs: [payment, change])
        return choice.package.takes(childOf: UInt64(size)) ? choice : nil
    }

    /// Others to spend after the fixed ones, from a pool.
    private func choose(
        from pool: CoinsByAmount, after start: Choice, _ package: (Coin) -> MempoolPackage
    ) -> Result<[Coin], CoinSelectionError> {
        let needed = needed(inputs: fixed.count + 1)
        let missing = needed - min(start.total, needed)
        guard let smallest = smallest(of: pool, from: missing, after: start, package) else {
            return several(of: pool, below: nil, after: start, package)
        }
        if smallest.amount > missing * Self.large {
            let few = several(of: pool, below: missing, after: start, package, limit: Self.few)
            if case .success(let coins) = few { return .success(coins) }
        }
        return .success(fixed + [smallest])
    }

    /// A coin of more than this many times what is missing is not broken where a few others pay.
    private static let large: UInt64 = 10

    /// The number of coins that are spent in place of a large one.
    private static let few = 10

    /// The smallest coin of at least an amount that nodes let be spent; of equal ones the first.
    private func smallest(
        of coins: CoinsByAmount, from amount: UInt64, after start: Choice,
        _ package: (Coin) -> MempoolPackage
    ) -> Coin? {
        var found: Coin?
        coins.walk(.up(from: amount)) { coin in
            if let found, found.amount != coin.amount { return false }
            if adding(coin, to: start, package) != nil { found = coin }
            return true
        }
        return found
    }

    /// The largest coins below an amount, as many as are needed.
    private func several(
        of coins: CoinsByAmount, below amount: UInt64?, after start: Choice,
        _ package: (Coin) -> MempoolPackage, limit: Int = .max
    ) -> Result<[Coin], CoinSelectionError> {
        var choice = start
        var (isEnough, isTooLarge) = (false, false)
        coins.walk(.down(below: amount)) { coin in
            guard choice.coins.count - fixed.count < limit else { return false }
            let inputs = choice.coins.count + 1
            isTooLarge = size(inputs: inputs, outputs: [payment]) > RelayPolicy.maximumSize
            if isTooLarge { return false }
            guard let next = adding(coin, to: choice, package) else { return true }
            choice = next
            isEnough = choice.total >= needed(inputs: inputs)
            return !isEnough
        }
        if isEnough { return .success(choice.coins) }
        if isTooLarge { return .failure(.tooLarge(payable: payable(from: choice))) }
        return .failure(.insufficient(
            available: choice.total, needed: needed(inputs: max(choice.coins.count, 1))))
    }

    /// All coins of a list; throws where nodes would not relay a transaction that spends them.
    func all(
        of coins: CoinsByAmount, areNamed: Bool, _ package: (Coin) -> MempoolPackage
    ) throws(CoinSelectionError) -> [Coin] {
        var choice = Choice(coins: [], total: 0, package: MempoolPackage())
        var failure: CoinSelectionError?
        coins.walk(.down(below: nil)) { coin in
            let inputs = choice.coins.count + 1
            if size(inputs: inputs, outputs: [payment]) > RelayPolicy.maximumSize {
                failure = .tooLarge(payable: payable(from: choice))
            } else if let next = adding(coin, to: choice, package) {
                choice = next
            } else if areNamed {
                failure = .chainTooLong
            }
            return failure == nil
        }
        if let failure { throw failure }
        return choice.coins
    }

    /// The payment of all that some coins hold, less the fee.
    func paying(all coins: [Coin]) throws(CoinSelectionError) -> CoinSelection {
        let total = coins.reduce(0) { $0 + $1.amount }
        let fee = fee(size: size(inputs: max(coins.count, 1), outputs: [payment]))
        let needed = fee + RelayPolicy.dust(of: Script(payment.script))
        guard total >= needed else { throw .insufficient(available: total, needed: needed) }
        guard total <= Duffs.maximum else { throw .amountOutOfRange }
        return CoinSelection(
            inputs: coins.sorted { $0.outpoint < $1.outpoint },
            payment: UTXOTransaction.Output(amount: total - fee, script: payment.script),
            change: nil, fee: fee)
    }

    /// The largest amount that a choice pays without change; 0 if it is too little to be relayed.
    private func payable(from choice: Choice) -> UInt64 {
        let fee = fee(size: size(inputs: choice.coins.count, outputs: [payment]))
        let most = choice.total - min(fee, choice.total)
        return most >= RelayPolicy.dust(of: Script(payment.script)) ? most : 0
    }

    func selection(_ coins: [Coin]) -> CoinSelection {
        let inputs = coins.sorted { $0.outpoint < $1.outpoint }
        let rest = coins.reduce(0) { $0 + $1.amount } - payment.amount
        var change = UTXOTransaction.Output(amount: 0, script: changeScript)
        let fee = fee(size: size(inputs: coins.count, outputs: [payment, change]))
        let fits = size(inputs: coins.count, outputs: [payment, change]) <= RelayPolicy.maximumSize
        guard fits, rest >= fee, rest - fee >= RelayPolicy.dust(of: Script(changeScript)) else {
            return CoinSelection(inputs: inputs, payment: payment, change: nil, fee: rest)
        }
        change.amount = rest - fee
        return CoinSelection(inputs: inputs, payment: payment, change: change, fee: fee)
    }

    /// The amount that a number of inputs must have in total to pay without change.
    private func needed(inputs: Int) -> UInt64 {
        payment.amount + fee(size: size(inputs: inputs, outputs: [payment]))
    }

    private func fee(size: Int) -> UInt64 {
        UTXOFees.fee(ofBytes: UInt64(size), at: feeRatePerKilobyte)
    }

    private func size(inputs: Int, outputs: [UTXOTransaction.Output]) -> Int {
        Int(RelayPolicy.maximumBytes(inputs: inputs, outputs: outputs))
    }
}

/// An unspent output that a wallet could spend.
package struct Coin: Hashable, Sendable {
    package let outpoint: Outpoint
    /// Duffs.
    package let amount: UInt64
    package let script: Bytes
    /// The number of blocks from its own to the tip; 0 while it is in no block.
    package let confirmations: Int
    /// Whether it belongs to a coinbase, and so is spendable only after 100 confirmations.
    package let isCoinbase: Bool
    /// Whether InstantSend has locked the transaction that made it.
    package let isLocked: Bool

    package init(
        outpoint: Outpoint, amount: UInt64, script: Bytes, confirmations: Int,
        isCoinbase: Bool = false, isLocked: Bool = false
    ) {
        self.outpoint = outpoint
        self.amount = amount
        self.script = script
        self.confirmations = confirmations
        self.isCoinbase = isCoinbase
        self.isLocked = isLocked
    }

    /// Whether a node accepts a transaction that spends this coin.
    package var isMature: Bool {
        !isCoinbase || confirmations >= RelayPolicy.coinbaseMaturity
    }

    /// Whether we can spend it: it is mature and pays to a public key's hash.
    fileprivate var isSpendable: Bool {
        guard case .p2pkh = Script(script) else { return false }
        return isMature && amount <= Duffs.maximum
    }

    /// Whether one coin comes before another: it is larger, or as large and its outpoint is first.
    package static func isLarger(_ left: Coin, _ right: Coin) -> Bool {
        left.amount == right.amount
            ? left.outpoint < right.outpoint : left.amount > right.amount
    }
}

/// Coins in the order of `Coin.isLarger`, which a selection reads as far as it needs them.
package struct CoinsByAmount {
    /// A direction, and where a walk begins.
    package enum Walk {
        /// From the smallest coin of at least an amount to the largest one.
        case up(from: UInt64)
        /// From the largest coin below an amount, or of all, to the smallest one.
        case down(below: UInt64?)
    }

    private let coins: (Walk, (Coin) -> Bool) -> Void

    /// The coins that `walk` calls its argument with until that returns false.
    package init(_ walk: @escaping (_ walk: Walk, _ body: (Coin) -> Bool) -> Void) {
        coins = walk
    }

    /// Some coins in any order.
    package init(_ coins: [Coin]) {
        let sorted: [Coin] = Set(coins).sorted(by: Coin.isLarger)
        self.init { walk, body in
            switch walk {
            case .up(let amount):
                for coin in sorted.reversed() where coin.amount >= amount {
                    guard body(coin) else { return }
                }
            case .down(let amount):
                for coin in sorted where amount.map({ coin.amount < $0 }) ?? true {
                    guard body(coin) else { return }
                }
            }
        }
    }

    /// Calls `body` with one coin after the other until it returns false.
    package func walk(_ walk: Walk, _ body: (Coin) -> Bool) { coins(walk, body) }

    /// Those coins that meet a condition.
    package func filtered(_ isIncluded: @escaping (Coin) -> Bool) -> CoinsByAmount {
        CoinsByAmount { walk, body in
            coins(walk) { coin in isIncluded(coin) ? body(coin) : true }
        }
    }
}

/// Why no coins were selected.
package enum CoinSelectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The coins that may be spent are not enough for the amount and the fee, both in duffs.
    case insufficient(available: UInt64, needed: UInt64)
    /// The amount is smaller than nodes relay.
    case dust(minimum: UInt64)
    /// The amount is above 21 million coins.
    case amountOutOfRange
    /// The transaction would need so many coins that nodes would not relay it; the coins of the
    /// largest one that they relay pay at most so many duffs.
    case tooLarge(payable: UInt64)
    /// A required coin can't be spent.
    case unspendable(Outpoint)
    /// With the required coins, the transaction would exceed the limits of nodes' mempools.
    case chainTooLong
    /// The node asks for more duffs for 1000 bytes than are paid at most.
    case rateTooHigh(asked: UInt64, highest: UInt64)
    /// The fee in duffs is higher than nodes relay.
    case feeTooHigh(UInt64)

    /// The reason in words.
    package var description: String {
        switch self {
        case .insufficient(let available, let needed):
            "\(needed) duffs are needed, \(available) can be spent"
        case .dust(let minimum): "the amount is below the least of \(minimum) duffs"
        case .amountOutOfRange: "the amount is above 21 million coins"
        case .tooLarge: "the transaction would be larger than \(RelayPolicy.maximumSize) bytes"
        case .unspendable(let outpoint): "\(outpoint.text) has to be spent and can't be"
        case .chainTooLong: "too many transactions that no block has depend on each other"
        case .rateTooHigh(let asked, let highest):
            "the node asks for \(asked) duffs for 1000 bytes; at most \(highest) are paid"
        case .feeTooHigh(let fee):
            "the fee is \(fee) duffs; nodes relay at most \(UTXOFees.absurd)"
        }
    }
}
