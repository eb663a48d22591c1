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
    fileprivate let layers: Layers

    fileprivate struct Layers: Sendable {
        var above = MemoryRows()
        var below: any Rows = MemoryRows()

        func row(of stream: String) -> Bytes? {
            above.value(Bytes(stream.utf8)) ?? below.value(Bytes(stream.utf8))
        }
    }

    convenience init(rules: Bytes = [1]) { self.init(rules, Layers()) }

    fileprivate init(_ rules: Bytes, _ layers: Layers) {
        (self.rules, self.layers) = (rules, layers)
    }

    func begun(above rows: (any Rows)?) -> any LogFold {
        LastContents(rules, Layers(below: rows ?? MemoryRows()))
    }

    func rebased(
        above rows: any Rows, ifKept isSound: @escaping () -> Bool
    ) -> any LogFold {
        begun(above: rows)
    }

    let read: @Sendable ([EventRecord]) -> any Sendable = { $0 }

    func draft() -> any FoldDraft { LastContentsDraft(self) }

    /// The row of this event's stream, of which the event is the last.
    func row(_ record: EventRecord) -> Bytes { row(record, taken: record.revision + 1) }

    fileprivate func row(_ record: EventRecord, taken: UInt64) -> Bytes {
        rules + BigEndian.bytes(taken) + record.data.encoded()
    }

    func encodedChanges() -> [(key: Bytes, value: Bytes?)] {
        layers.above.scan(prefix: [], after: nil, limit: .max).map { ($0.key, $0.value) }
    }
}

private final class LastContentsDraft: FoldDraft {
    let undecodedRow: (any Error)? = nil
    private let fold: LastContents
    private(set) var layers: LastContents.Layers

    init(_ fold: LastContents) { (self.fold, layers) = (fold, fold.layers) }

    func take(_ read: any Sendable) {
        for record in read as? [EventRecord] ?? [] {
            let known = layers.row(of: record.stream)
                .map { $0[fold.rules.count..<fold.rules.count + 8] }
            let taken: UInt64 = known.map { BigEndian.number($0) } ?? 0
            layers.above.set(Bytes(record.stream.utf8), fold.row(record, taken: taken + 1))
        }
    }

    func finished() -> any LogFold { LastContents(fold.rules, layers) }
}

extension LogSnapshot {
    /// The row of a stream.
    func row(of stream: String) -> Bytes? { (fold as? LastContents)?.layers.row(of: stream) }
}

extension LogTransaction {
    /// The row of a stream.
    func row(of stream: String) -> Bytes? { (fold as? LastContentsDraft)?.layers.row(of: stream) }
}

extension EventLog {
    /// Appends events.
    @discardableResult
    func add(_ drafts: EventDraft...) throws -> [EventRecord] { try add(drafts) }

    func add(_ drafts: [EventDraft]) throws -> [EventRecord] {
        try write { transaction in
            var records: [EventRecord] = []
            for draft in drafts { records.append(try transaction.append(draft)) }
            return records
        }
    }
}

extension EventLog {
    /// Checks everything but the rows of the state.
    func check() throws -> LogCheck {
        var check = try LogCheck(of: self, rows: { MemoryRows() }) { _, _ in }
        try check.run(each: { _, _, _ in }, state: nil)
        return check
    }
}
