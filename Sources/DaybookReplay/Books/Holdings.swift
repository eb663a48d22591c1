import DaybookEncoding

/// The amount of an asset over all wallets, and its cost.
///
/// Prices and costs are in `scale` parts of the currency for a minor unit of the asset.
protocol Holding {
    init()
    /// Takes in an amount that was acquired at a price; nil if that is not known.
    mutating func acquire(_ amount: BigNatural, at price: BigNatural?, _ time: UInt64)
    /// Gives up an amount, in as many pieces as it was acquired in.
    mutating func dispose(of amount: BigNatural) -> [HeldPiece]
}

/// A part of what was held.
struct HeldPiece {
    let amount: BigNatural
    /// When it was acquired; nil where that is many times, or not known.
    let acquired: UInt64?
    /// Its cost; nil if a price is missing, or if nothing was held.
    let cost: ExactRatio?
    /// When something was acquired whose price is missing.
    let unpriced: [UInt64]
}

/// Lots, of which the first acquired is the first to leave (FIFO).
struct LotQueue: Holding {
    private struct Lot {
        var amount: BigNatural
        let price: BigNatural?
        let time: UInt64
    }

    private var lots: [Lot] = []
    /// The first lot of which something is left.
    private var first = 0
    /// The amount that left before it had come, as far as dates tell.
    private var owed = BigNatural.zero

    mutating func acquire(_ amount: BigNatural, at price: BigNatural?, _ time: UInt64) {
        let settled = min(amount, owed)
        owed = owed - settled
        if settled < amount {
            lots.append(Lot(amount: amount - settled, price: price, time: time))
        }
    }

    mutating func dispose(of amount: BigNatural) -> [HeldPiece] {
        var pieces: [HeldPiece] = []
        var rest = amount
        while !rest.isZero, first < lots.count {
            let lot = lots[first]
            let taken = min(rest, lot.amount)
            pieces.append(
                HeldPiece(
                    amount: taken, acquired: lot.time,
                    cost: lot.price.map { ExactRatio($0 * taken) },
                    unpriced: lot.price == nil ? [lot.time] : []))
            rest = rest - taken
            lots[first].amount = lot.amount - taken
            if taken == lot.amount { first += 1 }
        }
        owed = owed + rest
        if !rest.isZero {
            pieces.append(HeldPiece(amount: rest, acquired: nil, cost: nil, unpriced: []))
        }
        return pieces
    }
}

/// All that is held as one lot, each part of which has cost the average.
struct AverageCost: Holding {
    private var amount = BigNatural.zero
    /// The cost of a minor unit; nil while a price is missing.
    private var average: ExactRatio?
    private var unpriced: [UInt64] = []
    /// The amount that left before it had come, as far as dates tell.
    private var owed = BigNatural.zero

    mutating func acquire(_ amount: BigNatural, at price: BigNatural?, _ time: UInt64) {
        let settled = min(amount, owed)
        owed = owed - settled
        let new = amount - settled
        if new.isZero { return }
        if self.amount.isZero {
            average = price.map { ExactRatio($0) }
            unpriced = []
        } else if let known = average, let price {
            average = (known * self.amount + ExactRatio(price * new)) / (self.amount + new)
        } else {
            average = nil
        }
        if price == nil { unpriced.append(time) }
        self.amount = self.amount + new
    }

    mutating func dispose(of amount: BigNatural) -> [HeldPiece] {
        let taken = min(amount, self.amount)
        var pieces: [HeldPiece] = []
        if !taken.isZero {
            pieces.append(
                HeldPiece(
                    amount: taken, acquired: nil, cost: average.map { $0 * taken },
                    unpriced: average == nil ? unpriced : []))
        }
        self.amount = self.amount - taken
        let rest = amount - taken
        owed = owed + rest
        if !rest.isZero {
            pieces.append(HeldPiece(amount: rest, acquired: nil, cost: nil, unpriced: []))
        }
        return pieces
    }
}
