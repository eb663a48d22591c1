import DaybookCrypto
package import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// The state of a log's events, computed with the domain's `evolve`.
package final class StateFold: LogFold {
    private let kept: KeptState

    package convenience init() { self.init(State()) }

    fileprivate init(_ state: consuming State) {
        state.keepsSearchIndex = true
        kept = KeptState(state: state)
    }

    /// A state that is only lent: passing on a property of a class would copy it.
    fileprivate struct KeptState: ~Copyable {
        let state: State

        borrowing func lend<Value>(_ body: (State) throws -> Value) rethrows -> Value {
            try body(state)
        }
    }

    /// A change of the rows' encoding needs a new `LogVersions.derived`.
    package static let rules = SHA256.hash(
        CBOR.record([
            "engine": .unsigned(Engine.current), "types": .array(Payload.types.map(CBOR.text)),
        ]).encoded())

    package var rules: Bytes { Self.rules }

    package var undecodedRow: (any Error)? { kept.state.base.undecodedRow }

    /// Lends the state to `body`, because a copy would retain every table.
    fileprivate func lend<Value>(_ body: (State) throws -> Value) rethrows -> Value {
        try kept.lend(body)
    }

    package func begun(above rows: (any Rows)?) -> any LogFold {
        StateFold(rows.map { State($0) } ?? State())
    }

    package func rebased(
        above rows: any Rows, ifKept isSound: @escaping () -> Bool
    ) -> any LogFold {
        var state = kept.state
        state.rebase(above: rows, ifKept: isSound)
        state.rememberPrompts()
        return StateFold(state)
    }

    package var read: @Sendable ([EventRecord]) -> any Sendable {
        // A record that can't be read as an event changes no state; `verify` reports it.
        { records in records.map { (try? $0.event()) ?? nil } }
    }

    package func draft() -> any FoldDraft { StateDraft(kept.state) }

    package func encodedChanges() -> [(key: Bytes, value: Bytes?)] { lend { $0.changes } }
}

/// A state to which the events of a transaction, or of a commit, are applied.
private final class StateDraft: FoldDraft {
    var state: State

    init(_ state: consuming State) { self.state = state }

    var undecodedRow: (any Error)? { state.base.undecodedRow }

    func take(_ read: any Sendable) {
        switch read {
        case let event as Event:
            state.evolve(event)
            state.rememberPrompts()
        case let events as [Event?]:
            for case let event? in events { state.evolve(event) }
        default: preconditionFailure("a fold takes what its own `read` returned")
        }
    }

    func finished() -> any LogFold {
        state.rememberPrompts()
        return StateFold(state)
    }
}

extension LogSnapshot {
    /// The state of the log, which must have been opened with a `StateFold`.
    package var state: State { withState { $0 } }

    /// Lends the state to `body`, because a copy would retain every table.
    package func withState<Value>(_ body: (State) throws -> Value) rethrows -> Value {
        guard let fold = fold as? StateFold else {
            preconditionFailure("a log whose state is read was opened with a StateFold")
        }
        return try fold.lend(body)
    }
}

extension LogTransaction {
    /// The state with the events that were appended here.
    package var state: State { lendState { $0 } }

    /// Lends the state to `body`, which must not change it; a copy would retain every table.
    package func lendState<Value>(_ body: (inout State) throws -> Value) rethrows -> Value {
        guard let draft = fold as? StateDraft else {
            preconditionFailure("a log whose state is read was opened with a StateFold")
        }
        return try body(&draft.state)
    }
}
