import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay
import DaybookSystem
import TestSupport

extension Harness {
    /// A recorded session in which numbers of events are replaced, decided again and audited.
    ///
    /// Four bytes replace a number: the event in two of them, which of its numbers, and by which
    /// one. Each event keeps its place and its hashes are made again, as a stranger would.
    static let eventNumbers = Harness("event-numbers", longest: 16) { bytes in
        let session = try FuzzedLog.shared.get()
        var changes: [Int: EventRecord] = [:]
        var rest = bytes[...]
        while rest.count >= 4 {
            let words = Bytes(rest.prefix(4))
            rest = rest.dropFirst(4)
            let index = (Int(words[0]) << 8 | Int(words[1])) % session.records.count
            let record = changes[index] ?? session.records[index]
            changes[index] = session.replaced(record, Int(words[2]), by: Int(words[3]))
        }
        try session.run(changes)
    }
}

/// The log of the fixtures, and what was made of its beginnings.
final class FuzzedLog: Sendable {
    static let shared = Result { try FuzzedLog() }

    /// How many events are looked at from the first changed one on.
    private static let window = 12
    private static let numbers: [CBOR] = OutsideNumbers.whole.compactMap { UInt64($0) }
        .flatMap { [.unsigned($0), .negative($0)] }

    let records: [EventRecord]

    /// The readers of a log, after some of its events.
    private struct Readers {
        var replayer: Replayer
        var audit: Audit

        mutating func feed(_ record: EventRecord) {
            replayer.feed(record)
            audit.feed(record.bytes)
        }
    }

    /// The readers before every event whose index is a multiple of the step, as far as they were
    /// needed.
    private let starts: Monitor<[Int: Readers]>
    private static let step = 16

    init() throws {
        records = try Fixture.hexLines("logs/v1/session.hex").map { try EventRecord.decode($0) }
        starts = Monitor([:])
    }

    /// The record with one of the numbers in its envelope or data replaced.
    func replaced(_ record: EventRecord, _ place: Int, by choice: Int) -> EventRecord {
        var data = record.data
        let count = Self.count(data)
        let number = Self.numbers[choice % Self.numbers.count]
        let place = place % (count + 3)
        if place < count {
            var left = place
            data = Self.replaced(data, &left, by: number)
        }
        func own(_ index: Int, _ value: UInt64) -> UInt64 {
            guard place == count + index, case .unsigned(let number) = number else { return value }
            return number
        }
        return EventRecord(
            logID: record.logID, position: record.position, stream: record.stream,
            revision: own(0, record.revision), type: record.type,
            version: own(1, record.version), time: own(2, record.time), session: record.session,
            request: record.request, cause: record.cause, actor: record.actor,
            data: data.encoded())
    }

    /// Feeds the log from before the first change on, and looks at what it came to.
    ///
    /// One run at a time: copies of a state share its caches.
    func run(_ changes: [Int: EventRecord]) throws {
        guard let first = changes.keys.min() else { return }
        try starts.change { starts in
            try run(changes, readers(before: first, &starts), from: first)
        }
    }

    private func run(
        _ changes: [Int: EventRecord], _ start: Readers, from first: Int
    ) throws {
        var readers = start
        for (index, record) in records.enumerated().dropFirst(first).prefix(Self.window) {
            guard let record = try? EventRecord.decode((changes[index] ?? record).bytes) else {
                continue
            }
            readers.feed(record)
        }
        readers.replayer.finish()
        readers.audit.finish()
        let state = readers.replayer.state
        _ = StateDigest(state).whole
        _ = state.balanceLines()
        _ = state.bindingLines()
        for format in [BookFormat.csv, .ledger, .beancount] {
            var book = Book(format, state, log: records[0].logID)
            for movement in Books(of: state) { _ = book.text(movement) }
        }
        for id in state.pendingRequests() {
            guard let row = state.request(id), let request = row.request else { continue }
            for candidate in state.candidates(for: request) {
                _ = state.prompt(
                    for: request, id: id, wallet: candidate.id, amount: nil, repeats: row.repeats)
            }
        }
        let shown = records.indices.dropFirst(first).prefix(Self.window)
            .map { changes[$0] ?? records[$0] }
        var indexer = ReportIndexer(logID: records[0].logID)
        for record in shown { indexer.feed(record) }
        let report = Report(
            indexer.finish(), ReportFindings([], checked: [], unchecked: []))
        try report.write(to: { _ in }, reading: { try shown.forEach($0) })
    }

    private func readers(before index: Int, _ starts: inout [Int: Readers]) throws -> Readers {
        let start = index / Self.step * Self.step
        let known = starts.filter { $0.key <= start }.max { $0.key < $1.key }
        var readers = known?.value ?? fresh
        for record in records[(known?.key ?? 0)..<start] { readers.feed(record) }
        starts[start] = readers
        for record in records[start..<index] { readers.feed(record) }
        return readers
    }

    private var fresh: Readers {
        let decider = Links.decider
        return Readers(
            replayer: Replayer { decider.decide($0, $1) }, audit: Audit(logID: records[0].logID))
    }

    // MARK: - Numbers

    private static func count(_ value: CBOR) -> Int {
        switch value {
        case .unsigned, .negative: 1
        case .array(let items): items.reduce(0) { $0 + count($1) }
        case .map(let entries): entries.reduce(0) { $0 + count($1.value) }
        case .bytes, .text, .bool, .null: 0
        }
    }

    /// The value with the number at a place replaced; `left` counts the numbers before it down.
    private static func replaced(_ value: CBOR, _ left: inout Int, by number: CBOR) -> CBOR {
        switch value {
        case .unsigned, .negative:
            left -= 1
            return left == -1 ? number : value
        case .array(let items):
            return .array(items.map { replaced($0, &left, by: number) })
        case .map(let entries):
            return .map(
                entries.map { entry in
                    CBOR.Entry(key: entry.key, value: replaced(entry.value, &left, by: number))
                })
        case .bytes, .text, .bool, .null: return value
        }
    }
}
