/// Counts the steps of one transaction up to its limit.
struct ICONStepMeter {
    private let limit: Int64
    private(set) var used: Int64 = 0

    init(limit: Int64) {
        self.limit = limit
    }

    /// Counts steps; where they do not fit, the whole limit is used up.
    mutating func charge(_ steps: Int64) throws(ICONFailure) {
        guard used + steps <= limit else {
            used = limit
            throw .outOfStep
        }
        used += steps
    }

    mutating func chargeRead(bytes: Int) throws(ICONFailure) {
        try charge(3_000 + 25 * Int64(bytes))
    }

    /// A new value costs its bytes; a replaced one half of a new and a deleted one together.
    mutating func chargeWrite(bytes: Int, replacing old: Int) throws(ICONFailure) {
        let base: Int64 = old == 0 ? 10_000 : (10_000 + 200) / 2
        try charge(base + 320 * Int64(bytes) - 240 * Int64(old))
    }

    mutating func chargeLog(bytes: Int) throws(ICONFailure) {
        try charge(5_000 + 100 * Int64(bytes))
    }
}
