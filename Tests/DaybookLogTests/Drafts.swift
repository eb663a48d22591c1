import DaybookEncoding
import DaybookLog

extension EventDraft {
    /// A draft with what a test does not care about filled in.
    static func sample(
        stream: String = "session/0", type: String = "sample", time: UInt64 = 1_000,
        session: Reference = .at(0), request: Reference? = nil, cause: UInt64? = nil,
        note: String = "x"
    ) -> EventDraft {
        EventDraft(
            stream: stream, type: type, time: time, session: session, request: request,
            cause: cause, actor: "test", data: .record(["note": .text(note)]))
    }
}

/// Rows that hold the content of each stream's last event, behind the name of the rules.
struct LastContents: LogFold {
    var rules: Bytes = [1]

    func take(_ records: [EventRecord], into rows: LayeredRows) {
        for record in records { rows.set(Bytes(record.stream.utf8), row(record)) }
    }

    func row(_ record: EventRecord) -> Bytes { rules + record.data.encoded() }
}

extension EventLog {
    /// Appends an event and takes it into the rows, as whoever knows the rules does.
    @discardableResult
    func add(_ drafts: EventDraft...) throws -> [EventRecord] { try add(drafts) }

    func add(_ drafts: [EventDraft]) throws -> [EventRecord] {
        try write { transaction in
            var records: [EventRecord] = []
            for draft in drafts { records.append(try transaction.append(draft)) }
            LastContents().take(records, into: transaction.rows)
            return records
        }
    }
}
