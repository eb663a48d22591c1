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

/// Rows that hold the content of each stream's last event, behind the name of the rules and how
/// many events of the stream were taken in.
final class LastContents: LogFold {
    let rules: Bytes
    let undecodedRow: (any Error)? = nil
    private var above = MemoryRows()
    private var below: any Rows = MemoryRows()

    init(rules: Bytes = [1]) { self.rules = rules }

    func begin(above rows: (any Rows)?) {
        above = MemoryRows()
        move(above: rows)
    }

    func move(above rows: (any Rows)?) { below = rows ?? MemoryRows() }

    let read: @Sendable ([EventRecord]) -> any Sendable = { $0 }

    func take(_ read: any Sendable) {
        for record in read as? [EventRecord] ?? [] {
            let known = row(of: record.stream).map { $0[rules.count..<rules.count + 8] }
            let taken: UInt64 = known.map { BigEndian.number($0) } ?? 0
            above.set(Bytes(record.stream.utf8), row(record, taken: taken + 1))
        }
    }

    /// The row of this event's stream, of which the event is the last.
    func row(_ record: EventRecord) -> Bytes { row(record, taken: record.revision + 1) }

    private func row(_ record: EventRecord, taken: UInt64) -> Bytes {
        rules + BigEndian.bytes(taken) + record.data.encoded()
    }

    /// The row of a stream.
    func row(of stream: String) -> Bytes? {
        above.value(Bytes(stream.utf8)) ?? below.value(Bytes(stream.utf8))
    }

    var encodingChanges: @Sendable () -> [(key: Bytes, value: Bytes?)] {
        { [above] in
            above.scan(prefix: [], after: nil, limit: .max).map { ($0.key, $0.value) }
        }
    }

    func forgetChanges() { above = MemoryRows() }
}

extension LogReading where Self: ~Copyable {
    /// The row of a stream.
    func row(of stream: String) -> Bytes? { (fold as? LastContents)?.row(of: stream) }
}

extension EventLog {
    /// Appends an event and updates the rows by it, as the state's fold does.
    @discardableResult
    func add(_ drafts: EventDraft...) throws -> [EventRecord] { try add(drafts) }

    func add(_ drafts: [EventDraft]) throws -> [EventRecord] {
        try write { transaction in
            var records: [EventRecord] = []
            for draft in drafts { records.append(try transaction.append(draft)) }
            try transaction.fold?.take(records)
            return records
        }
    }
}
