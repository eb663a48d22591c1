package import DaybookEncoding

/// Computes the state of a log's events, by rules that the log does not know.
///
/// It keeps in memory what changed since some position, above stored rows as of that position.
package protocol LogFold: AnyObject {
    /// A digest that identifies the rules: rows that other rules made are dropped and rebuilt.
    var rules: Bytes { get }

    /// Begins above stored rows, or above none, without any changes.
    func begin(above rows: (any Rows)?)

    /// Goes on above the same stored rows in another transaction.
    func move(above rows: (any Rows)?)

    /// The first stored row that did not decode; what was computed since it began does not count.
    var undecodedRow: (any Error)? { get }

    /// Returns what the fold needs of some records; it can be called on any thread.
    var read: @Sendable ([EventRecord]) -> any Sendable { get }

    /// Applies the next events, of which `read` returned this.
    func take(_ read: any Sendable) throws

    /// Returns the rows that differ from the stored ones, in key order; nil for a removed row.
    ///
    /// It can be called on any thread.
    var encodingChanges: @Sendable () -> [(key: Bytes, value: Bytes?)] { get }

    /// Forgets the changes, because the stored rows have them now.
    func forgetChanges()
}
