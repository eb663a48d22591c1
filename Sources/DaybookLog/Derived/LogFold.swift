package import DaybookEncoding

/// How events add up to the state's rows, which only the rules know.
package protocol LogFold: Sendable {
    /// Names the rules: rows that other rules made are dropped and made again.
    var rules: Bytes { get }

    /// Takes events into the rows that the events before them add up to.
    func take(_ records: [EventRecord], into rows: LayeredRows) throws
}
