import DaybookCrypto
package import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// Takes the events of a log into a state by the rules of this program.
package final class StateFold: LogFold {
    /// What the events add up to.
    fileprivate(set) var state = State()

    package init() {}

    /// A change of what the rows are comes with a new `LogVersions.derived`.
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

    package func take(_ records: [EventRecord]) throws {
        for record in records {
            // What is no event of its type happened to nobody: `verify` names it.
            if let event = (try? record.event()) ?? nil { state.evolve(event) }
        }
    }

    package var changes: [(key: Bytes, value: Bytes?)] { state.changes }

    package func forgetChanges() { state.forgetChanges() }
}

extension LogReading where Self: ~Copyable {
    /// What the events add up to; a log that was opened without rules has no state.
    package var state: State { _read { yield stateFold.state } }

    fileprivate var stateFold: StateFold {
        guard let fold = fold as? StateFold else {
            preconditionFailure("whoever asks for the state opened the log by the rules")
        }
        return fold
    }
}

extension LogTransaction {
    /// Takes an event that was appended into the state.
    package func evolve(_ event: Event) {
        stateFold.state.evolve(event)
        stateFold.state.rememberPrompts()
    }
}
