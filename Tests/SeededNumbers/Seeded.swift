/// Random numbers that are the same in every run, so that a failure comes again (SplitMix64).
package struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    package init(state: UInt64) { self.state = state }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to but without `count`; 0 where there is none.
    package mutating func below(_ count: Int) -> Int {
        count == 0 ? 0 : Int(next() % UInt64(count))
    }
}
