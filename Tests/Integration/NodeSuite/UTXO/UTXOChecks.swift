/// What every client of a Dash or Axe chain must get right.
package enum UTXOChecks {
    /// All of them; each uses keys that nobody had before, and any state of the chain.
    package static func all<Driver: UTXODriver>(_: Driver.Type) -> [Check<Driver>] {
        let parts: [[Check<Driver>]] = [
            looking(), telling(), receiving(), spending(), sending(), refusing(), minding(),
            reasoning(), batching(), reorganising(),
        ]
        return parts.flatMap(\.self)
    }
}
