import DaybookEncoding

/// The upright axis of a chart: amounts of any size in thousandths of the height, in integers.
struct AmountAxis {
    /// Amounts that are marked, the lowest first, zero among them.
    let marks: [UInt256]
    /// The amount at the top.
    private let top: UInt64
    /// What amounts are divided by to be counted in 64 bits, as a power of ten.
    private let zeros: Int

    init(to highest: UInt256) {
        var zeros = 0
        // Two digits of room are left for rounding up to a mark.
        while UInt64(exactly: Self.scaled(highest, zeros)).map({ $0 > Self.most }) ?? true {
            zeros += 1
        }
        let height = max(UInt64(exactly: Self.scaled(highest, zeros)) ?? 1, 1)
        let step = Self.step(for: height)
        let count = (height + step - 1) / step
        top = count * step
        self.zeros = zeros
        marks = (0...count).map { Self.grown(UInt256($0 * step), zeros) }
    }

    private static let most: UInt64 = 1_000_000_000_000_000

    /// How high an amount stands.
    func place(_ amount: UInt256) -> Int {
        let height = UInt64(exactly: Self.scaled(amount, zeros)) ?? top
        return Int(clamping: min(height, top) * 1000 / top)
    }

    /// The smallest of 1, 2, 5, 10, 20, … of which at most four reach the top.
    private static func step(for height: UInt64) -> UInt64 {
        var power: UInt64 = 1
        while true {
            for factor in [1, 2, 5] as [UInt64] where power * factor * 4 >= height {
                return power * factor
            }
            power *= 10
        }
    }

    private static func scaled(_ amount: UInt256, _ zeros: Int) -> UInt256 {
        (0..<zeros).reduce(amount) { amount, _ in
            amount.quotientAndRemainder(dividingBy: 10).quotient
        }
    }

    private static func grown(_ amount: UInt256, _ zeros: Int) -> UInt256 {
        (0..<zeros).reduce(amount) { amount, _ in amount.multiplied(by: 10 as UInt64) ?? .max }
    }
}
