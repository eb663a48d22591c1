package import DaybookEncoding

/// The state that follows from a log's events, by rules that the log does not know.
///
/// It never changes, so that any thread may read it: `draft` takes further events. It has in memory
/// what changed since some position, above stored rows as of that position.
package protocol LogFold: AnyObject, Sendable {
    /// A digest that identifies the rules: rows that other rules made are dropped and rebuilt.
    var rules: Bytes { get }

    /// The first stored row that did not decode; what was read or computed does not count then.
    var undecodedRow: (any Error)? { get }

    /// The state that stored rows describe, or the state before the first event.
    func begun(above rows: (any Rows)?) -> any LogFold

    /// The same state above new rows that have its changes.
    ///
    /// Decoded rows stay cached, unless `isSound` says that the old rows have failed by then.
    func rebased(above rows: any Rows, ifKept isSound: @escaping () -> Bool) -> any LogFold

    /// Returns what the fold needs of some records; it can be called on any thread.
    var read: @Sendable ([EventRecord]) -> any Sendable { get }

    /// A copy that takes further events.
    func draft() -> any FoldDraft

    /// The rows that differ from the stored ones, in key order; nil for a removed row.
    func encodedChanges() -> [(key: Bytes, value: Bytes?)]
}

/// A state to which events are applied before others see it.
package protocol FoldDraft: AnyObject {
    /// The first stored row that did not decode.
    var undecodedRow: (any Error)? { get }

    /// Applies the next events, of which the fold's `read` returned this.
    func take(_ read: any Sendable)

    /// The state as it is now; the draft is not used any more.
    func finished() -> any LogFold
}
