import DaybookCrypto
package import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// Computes the state of a log's events with the domain's `evolve`.
package final class StateFold: LogFold {
    /// The state after the events that were taken.
    fileprivate(set) var state = State()

    package init() {}

    /// A change of the rows' encoding needs a new `LogVersions.derived`.
    package static let rules = SHA256.hash(
        CBOR.record([
            "engine": .unsigned(Engine.current), "types": .array(Payload.types.map(CBOR.text)),
        ]).encoded())

    package var rules: Bytes { Self.rules }

    package func begin(above rows: (any Rows)?) {
        state = rows.map { State($0) } ?? State()
    }

    package func move(above rows: (any Rows)?) {
        state.move(above: rows)
        state.rememberPrompts()
    }

    package var undecodedRow: (any Error)? { state.undecodedRow }

    package var read: @Sendable ([EventRecord]) -> any Sendable {
        // A record that can't be read as an event changes no state; `verify` reports it.
        { records in records.map { (try? $0.event()) ?? nil } }
    }

    package func take(_ read: any Sendable) {
        guard let events = read as? [Event?] else {
            preconditionFailure("a fold takes what its own `read` returned")
        }
        for case let event? in events { state.evolve(event) }
    }

    package var encodingChanges: @Sendable () -> [(key: Bytes, value: Bytes?)] {
        state.encodingChanges
    }

    package func forgetChanges() { state.forgetChanges() }
}

extension LogReading where Self: ~Copyable {
    /// The state of the log, which must have been opened with a `StateFold`.
    package var state: State { stateFold.state }

    fileprivate var stateFold: StateFold {
        guard let fold = fold as? StateFold else {
            preconditionFailure("a log whose state is read was opened with a StateFold")
        }
        return fold
    }
}

extension LogTransaction {
    /// Lends the state to `body`, which must not change it; copying it would retain every table.
    package func lendState<Value>(_ body: (inout State) throws -> Value) rethrows -> Value {
        try body(&stateFold.state)
    }

    /// Applies an event that was appended to the state.
    package func evolve(_ event: Event) {
        stateFold.state.evolve(event)
        stateFold.state.rememberPrompts()
    }
}
