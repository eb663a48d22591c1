import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// The gains of a year: the assets that left the wallets, with their proceeds and costs.
///
/// Lots are those of an asset over all wallets of a network. A transfer between own wallets keeps
/// them. A fee leaves for nothing. A wallet that was removed takes its coins along without a gain.
package struct Gains {
    /// The order in which lots leave.
    package enum Method: String, CaseIterable, Sendable {
        /// The first ones.
        case fifo
        /// None: each part has cost the average of all that is held.
        case average
    }

    /// A part that left.
    package struct Line: Sendable {
        package let asset: BookAsset
        /// When it was acquired; nil with average costs, and where that is not known.
        package let acquired: UInt64?
        /// The movement with which it left.
        package let movement: Movement
        package let amount: UInt256
        /// Whether it paid for a transaction.
        package let isFee: Bool
        /// The price that it left for, in the currency; nil if that is missing.
        package let proceeds: ExactRatio?
        /// Its cost; nil if the price is missing, or if it was never acquired.
        package let cost: ExactRatio?

        package var gain: ExactRatio? {
            guard let proceeds, let cost else { return nil }
            return proceeds - cost
        }
    }

    /// A price that is not known.
    package struct Missing: Hashable, Sendable {
        package let asset: BookAsset
        package let time: UInt64
    }

    package private(set) var lines: [Line] = []
    /// The prices that the lines lack, in the order of their assets and times.
    package private(set) var missing: [Missing] = []

    /// The gains of a year, in UTC; `currency` is three capital letters.
    package init(of state: State, in year: Range<UInt64>, currency: String, by method: Method) {
        switch method {
        case .fifo: collect(GainsWalk<LotQueue>(state, currency), year)
        case .average: collect(GainsWalk<AverageCost>(state, currency), year)
        }
    }

    private mutating func collect(
        _ walk: GainsWalk<some Holding>, _ year: Range<UInt64>
    ) {
        var walk = walk
        for movement in Books(of: walk.state) {
            guard movement.date < year.upperBound else { break }
            let left = walk.take(movement)
            if year.contains(movement.date) { lines += left }
            if movement.date < year.lowerBound { walk.forgetMissing() }
        }
        missing = walk.missing.sorted {
            ($0.asset.name, $0.time) < ($1.asset.name, $1.time)
        }
    }
}

/// The gains of all years: what left in each, by asset, with lots that leave first in, first out.
struct GainsByYear {
    struct Key: Hashable {
        let year: String
        let asset: BookAsset
    }

    /// An amount of an asset that left in a year.
    struct Sum {
        var amount = UInt256.zero
        /// Of the parts whose prices are known, like the cost.
        var proceeds = ExactRatio.zero
        var cost = ExactRatio.zero
        /// How many parts have the prices that they need, and how many lack one.
        var priced = 0
        var unpriced = 0

        var gain: ExactRatio { proceeds - cost }

        fileprivate mutating func add(_ line: Gains.Line) {
            amount = amount.adding(line.amount) ?? .max
            guard let gained = line.proceeds, let cost = line.cost else {
                unpriced += 1
                return
            }
            priced += 1
            proceeds = proceeds + gained
            self.cost = self.cost + cost
        }
    }

    private var sums: [Key: Sum] = [:]

    /// The gains from movements with some dates.
    init(of state: State, currency: String, _ isWanted: (_ date: UInt64) -> Bool) {
        var walk = GainsWalk<LotQueue>(state, currency)
        for movement in Books(of: state) {
            for line in walk.take(movement) where isWanted(movement.date) {
                let year = String(Timestamp.day(movement.date).prefix(4))
                sums[Key(year: year, asset: line.asset), default: Sum()].add(line)
            }
        }
    }

    /// The sums in the order of years and assets.
    var rows: [(key: Key, sum: Sum)] {
        let sorted = sums.sorted { left, right in
            let (one, other) = (left.key, right.key)
            return (one.year, one.asset.chain.rawValue, one.asset.network.rawValue, one.asset.name)
                < (
                    other.year, other.asset.chain.rawValue, other.asset.network.rawValue,
                    other.asset.name
                )
        }
        return sorted.map { (key: $0.key, sum: $0.value) }
    }
}

/// Takes movements in the order of their dates, and says what left.
private struct GainsWalk<Kind: Holding> {
    let state: State
    private let currency: String
    private var holdings: [Place: Kind] = [:]
    /// The prices that were looked for in vain.
    private(set) var missing: Set<Gains.Missing> = []

    /// The coins of one network are not those of another.
    private struct Place: Hashable {
        let network: Network
        let asset: KeyText

        init(_ asset: BookAsset) {
            (network, self.asset) = (asset.network, KeyText(asset.name))
        }
    }

    init(_ state: State, _ currency: String) {
        (self.state, self.currency) = (state, currency)
    }

    /// Drops what was missing for movements that are in no table.
    mutating func forgetMissing() { missing = [] }

    /// Takes a movement; returns the parts that left with it.
    mutating func take(_ movement: Movement) -> [Gains.Line] {
        var lines: [Gains.Line] = []
        let asset = movement.asset
        switch movement.kind {
        case .receipt:
            holdings[Place(asset), default: Kind()].acquire(
                BigNatural(movement.received), at: price(of: asset, at: movement.date),
                movement.date)
        case .payment: lines += leave(movement.sent, of: asset, with: movement, isFee: false)
        case .transfer where movement.payee == nil:
            _ = holdings[Place(asset), default: Kind()].dispose(of: BigNatural(movement.sent))
        case .transfer, .fee: break
        }
        return lines + leave(movement.fee, of: asset.coin, with: movement, isFee: true)
    }

    private mutating func leave(
        _ amount: UInt256, of asset: BookAsset, with movement: Movement, isFee: Bool
    ) -> [Gains.Line] {
        if amount == .zero { return [] }
        let price = isFee ? .zero : price(of: asset, at: movement.date)
        if price == nil { missing.insert(Gains.Missing(asset: asset, time: movement.date)) }
        let unit = unit(of: asset)
        let pieces = holdings[Place(asset), default: Kind()].dispose(of: BigNatural(amount))
        return pieces.map { piece in
            for time in piece.unpriced {
                missing.insert(Gains.Missing(asset: asset, time: time))
            }
            return Gains.Line(
                asset: asset, acquired: piece.acquired, movement: movement,
                amount: UInt256(decimal: piece.amount.decimal) ?? .max, isFee: isFee,
                proceeds: price.map { ExactRatio($0 * piece.amount) / unit },
                cost: piece.cost.map { $0 / unit })
        }
    }

    /// The price of a whole coin, in parts of 10^-18 of the currency.
    private func price(of asset: BookAsset, at time: UInt64) -> BigNatural? {
        // Nobody knows the whole coin of a token without known decimals.
        guard asset.decimals != nil,
            let price = state.price(of: asset.name, in: currency, at: time)
        else { return nil }
        return BigNatural(price.digits)
            * .power(ofTen: DecimalNumber.mostDigits - price.decimals)
    }

    /// How many of those parts the price of a whole coin has, times its minor units.
    private func unit(of asset: BookAsset) -> BigNatural {
        .power(ofTen: DecimalNumber.mostDigits + (asset.decimals ?? 0))
    }
}
