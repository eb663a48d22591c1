package import DaybookEncoding

/// Which coins pay an amount, what comes back as change, and what is left to the miner.
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

    /// The highest rate that is paid unless a setting says otherwise: a thousand times the minimum.
    package static let maximumFeeRatePerKilobyte = 1000 * RelayPolicy.minimumFeePerKilobyte

    /// Selects coins that pay the target and a fee; the order of the candidates does not matter.
    ///
    /// Immature coins and those that are not pay-to-public-key-hash are skipped. The `required`
    /// coins are spent in any case. A rate above `highestRate` is not paid. `package` is asked for
    /// coins that no block has.
    package static func select(
        candidates: [Coin], required: [Outpoint] = [], target: UInt64, script: Bytes,
        feeRatePerKilobyte: UInt64, highestRate: UInt64 = maximumFeeRatePerKilobyte,
        changeScript: Bytes, parameters: UTXOParameters,
        package: (Coin) -> MempoolPackage = { _ in MempoolPackage() }
    ) throws(CoinSelectionError) -> CoinSelection {
        let dust = RelayPolicy.dust(of: Script(script))
        guard target >= dust else { throw .dust(minimum: dust) }
        guard target <= Duffs.maximum else { throw .amountOutOfRange }
        guard feeRatePerKilobyte <= highestRate else {
            throw .rateTooHigh(asked: feeRatePerKilobyte, highest: highestRate)
        }
        let rate = max(feeRatePerKilobyte, RelayPolicy.minimumFeePerKilobyte)
        var usable = spendable(candidates)
        let fixed = usable.filter { required.contains($0.outpoint) }
        for outpoint in required where !fixed.contains(where: { $0.outpoint == outpoint }) {
            throw .unspendable(outpoint)
        }
        usable.removeAll { required.contains($0.outpoint) }
        let plan = Plan(
            payment: UTXOTransaction.Output(amount: target, script: script),
            changeScript: changeScript, feeRatePerKilobyte: rate, fixed: fixed)
        let coins = try plan.choose(from: pools(of: usable, parameters), package)
        let selection = plan.selection(coins)
        guard selection.fee <= RelayPolicy.suspiciousFee else {
            throw .feeTooHigh(selection.fee)
        }
        return selection
    }

    /// The pools that coins are taken from, in this order; the last one has all coins.
    private static func pools(of coins: [Coin], _ parameters: UTXOParameters) -> [[Coin]] {
        let depth = parameters.instantSendConfirmations
        func pools(_ coins: [Coin]) -> [[Coin]] {
            [
                coins.filter { $0.isLocked || $0.confirmations >= depth },
                coins.filter { $0.isLocked || $0.confirmations > 0 },
                coins,
            ]
        }
        let ordinary = coins.filter { !parameters.collaterals.contains($0.amount) }
        return pools(ordinary) + (ordinary.count == coins.count ? [] : pools(coins))
    }

    /// Returns one coin to its own wallet, less a fee.
    package static func returning(
        _ coin: Coin, to script: Bytes, fee: UInt64
    ) throws(CoinSelectionError) -> CoinSelection {
        guard fee <= RelayPolicy.suspiciousFee else { throw .feeTooHigh(fee) }
        guard let usable = spendable([coin]).first else { throw .unspendable(coin.outpoint) }
        let needed = fee + RelayPolicy.dust(of: Script(script))
        guard usable.amount >= needed else {
            throw .insufficient(available: usable.amount, needed: needed)
        }
        let output = UTXOTransaction.Output(amount: usable.amount - fee, script: script)
        return CoinSelection(inputs: [usable], payment: output, change: nil, fee: fee)
    }

    /// The mature pay-to-public-key-hash candidates, largest first and without duplicates.
    private static func spendable(_ candidates: [Coin]) -> [Coin] {
        let sorted = candidates.filter { coin in
            guard case .p2pkh = Script(coin.script) else { return false }
            return coin.isMature && coin.amount <= Duffs.maximum
        }.sorted { left, right in
            left.amount == right.amount
                ? left.outpoint < right.outpoint : left.amount > right.amount
        }
        return sorted.reduce(into: []) { coins, coin in
            // Duplicates have the same amount and outpoint, so they are adjacent here.
            if coins.last?.outpoint != coin.outpoint { coins.append(coin) }
        }
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
        from pools: [[Coin]], _ package: (Coin) -> MempoolPackage
    ) throws(CoinSelectionError) -> [Coin] {
        var start = Choice(coins: [], total: 0, package: MempoolPackage())
        for coin in fixed {
            guard let next = adding(coin, to: start, package) else { throw .chainTooLong }
            start = next
        }
        guard size(inputs: fixed.count, outputs: [payment]) <= RelayPolicy.maximumSize else {
            throw .tooLarge
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

    /// Others to spend after the fixed ones, from a pool that is sorted, largest first.
    private func choose(
        from pool: [Coin], after start: Choice, _ package: (Coin) -> MempoolPackage
    ) -> Result<[Coin], CoinSelectionError> {
        let needed = needed(inputs: fixed.count + 1)
        let missing = needed - min(start.total, needed)
        let alone = pool.prefix { $0.amount >= missing }
        guard let smallest = smallest(of: alone, after: start, package) else {
            return several(from: pool[...], after: start, package)
        }
        if smallest.amount > missing * Self.large {
            let few = several(
                from: pool[alone.endIndex...], after: start, package, limit: Self.few)
            if case .success(let coins) = few { return .success(coins) }
        }
        return .success(fixed + [smallest])
    }

    /// A coin of more than this many times what is missing is not broken where a few others pay.
    private static let large: UInt64 = 10

    /// The number of coins that are spent in place of a large one.
    private static let few = 10

    /// The smallest coin that nodes let be spent; of those with the same amount, the first one.
    private func smallest(
        of coins: ArraySlice<Coin>, after start: Choice, _ package: (Coin) -> MempoolPackage
    ) -> Coin? {
        var found: Coin?
        for coin in coins.reversed() {
            if let found, found.amount != coin.amount { break }
            if adding(coin, to: start, package) != nil { found = coin }
        }
        return found
    }

    /// The largest coins of a pool, as many as are needed.
    private func several(
        from pool: ArraySlice<Coin>, after start: Choice, _ package: (Coin) -> MempoolPackage,
        limit: Int = .max
    ) -> Result<[Coin], CoinSelectionError> {
        var choice = start
        for coin in pool where choice.coins.count - fixed.count < limit {
            let inputs = choice.coins.count + 1
            guard size(inputs: inputs, outputs: [payment]) <= RelayPolicy.maximumSize else {
                return .failure(.tooLarge)
            }
            guard let next = adding(coin, to: choice, package) else { continue }
            choice = next
            if choice.total >= needed(inputs: inputs) { return .success(choice.coins) }
        }
        return .failure(.insufficient(
            available: choice.total, needed: needed(inputs: max(choice.coins.count, 1))))
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
        RelayPolicy.fee(ofBytes: UInt64(size), ratePerKilobyte: feeRatePerKilobyte)
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
}

/// Why no coins were selected.
package enum CoinSelectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The coins that may be spent are not enough for the amount and the fee, both in duffs.
    case insufficient(available: UInt64, needed: UInt64)
    /// The amount is smaller than nodes relay.
    case dust(minimum: UInt64)
    /// The amount is above 21 million coins.
    case amountOutOfRange
    /// The transaction would need so many coins that nodes would not relay it.
    case tooLarge
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
            "the fee is \(fee) duffs; nodes relay at most \(RelayPolicy.suspiciousFee)"
        }
    }
}
