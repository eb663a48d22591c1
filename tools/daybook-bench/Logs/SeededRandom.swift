import DaybookEncoding

/// The same numbers for the same seed on every machine (SplitMix64).
struct SeededRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to but without `bound`; its tiny bias does not matter here.
    mutating func below(_ bound: UInt64) -> UInt64 { next() % bound }

    mutating func among(_ range: ClosedRange<UInt64>) -> UInt64 {
        range.lowerBound + below(range.upperBound - range.lowerBound + 1)
    }

    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[Int(below(UInt64(elements.count)))]
    }

    mutating func bytes(_ count: Int) -> Bytes {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
