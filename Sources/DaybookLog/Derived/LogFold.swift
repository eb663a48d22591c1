package import DaybookEncoding

/// What the events of a log add up to, which only the rules know.
///
/// It has what changed since some position in memory; below lie the rows as of that position.
package protocol LogFold: AnyObject {
    /// Names the rules: rows that other rules made are dropped and made again.
    var rules: Bytes { get }

    /// Begins above rows, or above none, as if no event had happened since.
    func begin(above rows: (any Rows)?)

    /// Goes on above the same rows in another transaction.
    func move(above rows: (any Rows)?)

    /// Takes events in that come next.
    func take(_ records: [EventRecord]) throws

    /// The rows that differ from those below, in the order of their keys; nil for a removed one.
    var changes: [(key: Bytes, value: Bytes?)] { get }

    /// Forgets what differs, because the rows below have it by now.
    func forgetChanges()
}
