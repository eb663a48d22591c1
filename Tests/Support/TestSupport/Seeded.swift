/// Random numbers that follow from a seed, so that a failure can be repeated (SplitMix64).
package struct Seeded: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(_ seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to `limit`, which is excluded; 0 where the limit is 0.
    package mutating func below(_ limit: Int) -> Int {
        Int(next() % UInt64(max(limit, 1)))
    }

    /// True in so many of a hundred cases.
    package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    package mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    /// One of the values, more often where the weight is larger; nil where all weigh nothing.
    package mutating func pick<Value>(weighing values: [(Value, Int)]) -> Value? {
        var rest = below(values.reduce(0) { $0 + $1.1 })
        for (value, weight) in values where weight > 0 {
            if rest < weight { return value }
            rest -= weight
        }
        return nil
    }

    /// The bytes with one to three of them changed, removed or inserted.
    package mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...below(3) {
            let place = below(bytes.count)
            switch below(3) {
            case 0: bytes[place] = UInt8(below(256))
            case 1: bytes.remove(at: place)
            default: bytes.insert(UInt8(below(128)), at: place)
            }
        }
        return bytes
    }
}
