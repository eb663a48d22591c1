internal import DaybookCrypto
package import DaybookDomain
package import DaybookEncoding

/// The state that follows from a log's events.
///
/// It never changes, so that any thread may read it. It has in memory what changed since some
/// position, above stored rows as of that position.
final class LogState: Sendable {
    private let kept: Kept

    /// A state that is only lent: passing on a property of a class would copy it.
    private struct Kept: ~Copyable {
        let state: State

        borrowing func lend<Value>(_ body: (State) throws -> Value) rethrows -> Value {
            try body(state)
        }
    }

    init(_ state: consuming State) {
        state.keepsSearchIndex = true
        kept = Kept(state: state)
    }

    /// The state that stored rows describe, or the one before the first event.
    convenience init(above rows: (any Rows)?) { self.init(rows.map { State($0) } ?? State()) }

    /// The first stored row that did not decode; what was read or computed does not count then.
    var undecodedRow: FieldError? { kept.state.base.undecodedRow }

    /// A copy that takes further events.
    var draft: State { kept.state }

    /// Lends the state to `body`, because a copy would retain every table.
    func lend<Value>(_ body: (State) throws -> Value) rethrows -> Value { try kept.lend(body) }

    /// The same state above new rows that have its changes.
    ///
    /// Decoded rows stay cached, unless `isSound` says that the old rows have failed by then.
    func rebased(above rows: any Rows, ifKept isSound: @escaping () -> Bool) -> LogState {
        var state = draft
        state.rebase(above: rows, ifKept: isSound)
        state.rememberPrompts()
        return LogState(state)
    }
}

extension LogVersions {
    /// A digest of the rules by which the state follows from the events.
    ///
    /// Rows that other rules made are dropped and rebuilt. A change of the rows' encoding needs
    /// another `derived`.
    package static let rules = SHA256.hash(
        CBOR.record([
            "engine": .unsigned(Engine.current), "types": .array(Payload.types.map(CBOR.text)),
        ]).encoded())
}

extension LogSnapshot {
    /// The state of the log.
    package var state: State { published.derived.state.draft }

    /// Lends the state to `body`, because a copy would retain every table.
    package func withState<Value>(_ body: (State) throws -> Value) rethrows -> Value {
        try published.derived.state.lend(body)
    }
}
