import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import Testing

/// Each change of a recorded session is found, at its place and by its name.
struct TamperTests {
    @Test func `the recorded session has every type of outcome and replays`() async throws {
        let records = try await RecordedSession.shared.value.records
        let types = Set(records.filter { $0.cause != nil }.map(\.type))
        #expect(types == Self.outcomeTypes)
        let (divergences, _) = try replay(records)
        #expect(divergences == [])
        #expect(try LogAudit.problems(of: records) == [])
    }

    @Test func `every field of every outcome, altered by one bit, is named`() async throws {
        let session = try await RecordedSession.shared.value
        var fields = 0
        try session.eachOutcome { index, replayer in
            let record = session.records[index]
            for change in Alteration.all(of: record.data) {
                let found = try replayer.divergences(
                    feeding: [record.altered(data: change.data)]
                ).first
                fields += 1
                #expect(found?.position.number == record.position && found?.field == change.path)
            }
        }
        #expect(fields > 500)
    }

    @Test func `an outcome's altered envelope is named`() async throws {
        let session = try await RecordedSession.shared.value
        try session.eachOutcome { index, replayer in
            let record = session.records[index]
            let changes: [(String, EventRecord)] = [
                ("stream", record.altered(stream: record.stream + "0")),
                ("revision", record.altered(revision: record.revision + 1)),
                ("type", record.altered(type: record.type + "x")),
                ("version", record.altered(version: 2)),
                ("time", record.altered(time: record.time + 1)),
                ("session", record.altered(session: record.session + 1)),
                ("request", record.altered(request: (record.request ?? 0) + 1)),
                ("cause", record.altered(cause: (record.cause ?? 0) - 1)),
                ("cause", record.altered(cause: .some(nil))),
                ("actor", record.altered(actor: record.actor + "x")),
            ]
            for (field, altered) in changes {
                let found = try replayer.divergences(feeding: [altered]).first
                #expect(found?.position.number == record.position && found?.field == field)
            }
        }
    }

    @Test func `an input's envelope that contradicts earlier events is named`() async throws {
        let session = try await RecordedSession.shared.value
        var replayer = RecordedSession.replayer()
        var count = 0
        for (index, record) in session.records.enumerated() {
            if record.cause == nil, index > 0, record.type != "session.started" {
                var changes: [(String, EventRecord)] = [
                    ("time", record.altered(time: session.records[index - 1].time - 1)),
                    ("actor", record.altered(actor: record.actor + "x")),
                ]
                if record.stream.hasPrefix("session/") == false {
                    changes.append(("session", record.altered(session: record.session + 1)))
                }
                if record.type == "chain.observed" {
                    changes.append(("request", record.altered(request: record.position - 1)))
                }
                for (field, altered) in changes {
                    let found = try replayer.divergences(feeding: [altered]).first
                    #expect(found?.position.number == record.position && found?.field == field)
                    count += 1
                }
            }
            replayer.feed(record)
        }
        #expect(count > 100)
    }

    @Test func `a field too many is named, also where it says nothing`() async throws {
        let session = try await RecordedSession.shared.value
        try session.eachOutcome { index, replayer in
            let record = session.records[index]
            guard case .map(let entries) = record.data else { return }
            for value in [CBOR.null, .bool(false), .array([])] {
                let more = CBOR.map(entries + [.init(key: .text("more"), value: value)])
                let found = try replayer.divergences(feeding: [record.altered(data: more)]).first
                #expect(found?.position.number == record.position && found?.field == "data.more")
            }
        }
    }

    @Test func `every outcome that is missing, doubled or swapped is reported where it was`()
        async throws
    {
        let session = try await RecordedSession.shared.value
        let records = session.records
        try session.eachOutcome { index, replayer in
            let (record, rest) = (records[index], records[(index + 1)...].prefix(3))
            let dropped = try replayer.divergences(feeding: Array(rest), isWhole: rest.isEmpty)
            #expect(dropped.first?.position.number == record.position)

            let twin = record.altered(
                position: record.position + 1, revision: record.revision + 1)
            let doubled = try replayer.divergences(feeding: [record, twin], isWhole: true)
            #expect(doubled.first?.position.number == record.position + 1)

            guard let next = rest.first else { return }
            let swapped = try replayer.divergences(feeding: [
                next.altered(position: record.position), record.altered(position: next.position),
            ])
            #expect(swapped.first?.position.number == record.position)
            let moved = try replayer.divergences(feeding: [next, record])
            #expect(moved.first?.position.number == record.position)
        }
    }

    @Test func `an outcome too many at the end, and one too few, are reported`() async throws {
        let records = try await RecordedSession.shared.value.records
        let whole = UInt64(records.count)
        let last = try #require(records.last { $0.type == "callback.emitted" })
        let more = last.altered(position: whole, revision: 99)
        #expect(
            try replay(records + [more]).divergences == [
                Divergence(
                    position: Position(whole), field: "type", recorded: "callback.emitted",
                    produced: "nothing")
            ])
        let end = try #require(records.lastIndex { $0.type == "callback.emitted" })
        #expect(
            try replay(Array(records[..<end])).divergences == [
                Divergence(
                    position: Position(UInt64(end)), field: "type", recorded: "the end of the log",
                    produced: "callback.emitted")
            ])
    }

    @Test func `a signature with an altered bit does not verify`() async throws {
        let session = try await RecordedSession.shared.value
        var replayer = RecordedSession.replayer()
        var count = 0
        for (index, record) in session.records.enumerated() {
            if record.type == "signature.made" {
                for change in Alteration.all(of: record.data) {
                    let altered = [record.altered(data: change.data), session.records[index + 1]]
                    let found = try replayer.divergences(feeding: altered).first
                    #expect(found?.position.number == record.position + 1 && found?.field == "type")
                    #expect(found?.produced == "transaction.failed")
                    count += 1
                }
            }
            replayer.feed(record)
        }
        #expect(count > 15)
    }

    private static let outcomeTypes: Set<String> = [
        "request.deferred", "request.accepted", "request.refused", "request.coalesced",
        "request.rejected", "request.expired", "request.cancelled", "decision.refused",
        "unlock.locked",
        "payment.received", "payment.made", "transaction.prepared", "transaction.signed",
        "transaction.sent", "transaction.locked", "transaction.failed", "transaction.confirmed",
        "transaction.reorganised", "transaction.dropped", "binding.granted", "callback.emitted",
    ]
}
