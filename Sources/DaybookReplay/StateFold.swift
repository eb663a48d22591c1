import DaybookCrypto
import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// Takes the events of a log into the state's rows by the rules of this program.
package struct StateFold: LogFold {
    package init() {}

    /// A change of what the rows are comes with a new `LogVersions.derived`.
    package var rules: Bytes { Self.rules }

    private static let rules = SHA256.hash(
        CBOR.record([
            "engine": .unsigned(Engine.current), "types": .array(Payload.types.map(CBOR.text)),
        ]).encoded())

    package func take(_ records: [EventRecord], into rows: LayeredRows) throws {
        var state = State(rows)
        for record in records {
            // What is no event of its type happened to nobody: `verify` names it.
            if let event = (try? Recording.event(record)) ?? nil { state.evolve(event) }
        }
        state.save()
    }
}
