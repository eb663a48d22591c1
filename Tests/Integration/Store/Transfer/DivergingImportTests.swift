import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay
import Testing

@testable import Daybook

/// Exports whose hashes are all right, and whose events do not follow from each other.
struct DivergingImportTests {
    let scene: TransferScene
    let records: [EventRecord]

    init() async throws {
        scene = try await TransferScene()
        records = try await scene.store.allRecords()
    }

    // MARK: - Events that were added

    @Test func `a payment that nobody decided is refused, however it was agreed to`() async throws {
        let pending = try #require(try await scene.store.pending().first)
        let state = try replayed()
        let request = try #require(state.request(pending.id)?.request)
        let wallet = try #require(state.candidates(for: request).first?.id)
        let prompt = state.prompt(
            for: request, id: pending.id, wallet: wallet, amount: nil, repeats: nil)
        let stolen = try forgedPayment()
        // With the right prompt or a wrong one, with the passphrase and without.
        for (digest, unlocked) in [
            (prompt.digest, true), (prompt.digest, false), (Bytes(repeating: 7, count: 32), true),
        ] {
            var log = records
            let decision = DecisionMade(
                decision: .approve, prompt: digest, wallet: wallet, amount: nil,
                unlocked: unlocked)
            log.append(input(.decisionMade(decision), pending.id, after: log))
            log.append(outcome(stolen, pending.id, after: log))
            try await expectRefusal(of: log, at: UInt64(records.count + 1))
        }
    }

    @Test func `an outcome that no input brought is refused`() async throws {
        let pending = try #require(try await scene.store.pending().first)
        let stolen = try forgedPayment()
        var log = records
        log.append(outcome(stolen, pending.id, after: log))
        try await expectRefusal(of: log, at: UInt64(records.count))
        // Nor does an event of an unknown type bring one of a known type.
        log = records
        log.append(unknown(after: log))
        log.append(outcome(stolen, pending.id, after: log))
        try await expectRefusal(of: log, at: UInt64(records.count + 1))
    }

    @Test func `an outcome that comes again is refused`() async throws {
        let last = try #require(records.last)
        #expect(last.cause != nil)
        let again = last.altered(position: last.position + 1, revision: last.revision + 1)
        try await expectRefusal(of: records + [again], at: again.position)
    }

    // MARK: - Events that were changed

    @Test func `no outcome can be altered, left out or replaced by an unknown type`()
        async throws
    {
        for (index, record) in records.enumerated() where record.cause != nil {
            let position = UInt64(index)
            let changes = Alteration.all(of: record.data)
            // One field of each: `TamperTests` does all of them, and to other sessions.
            var log = records
            if !changes.isEmpty {
                log[index] = record.altered(data: changes[index % changes.count].data)
                try await expectRefusal(of: log, at: position, orInvalid: true)
            }
            log[index] = record.altered(type: "weather.changed")
            try await expectRefusal(of: log, at: position)
            try await expectRefusal(of: Array(records[..<index]), at: position)
        }
    }

    @Test func `outcomes in another order are refused at the first`() async throws {
        var count = 0
        for index in records.indices.dropLast() {
            let (first, second) = (records[index], records[index + 1])
            guard let cause = first.cause, second.cause == cause, first.type != second.type else {
                continue
            }
            count += 1
            var log = records
            log[index] = first.altered(type: second.type, data: second.data)
            log[index + 1] = second.altered(type: first.type, data: first.data)
            try await expectRefusal(of: log, at: UInt64(index))
        }
        #expect(count > 0)
    }

    @Test func `an altered observation is refused where it leads elsewhere`() async throws {
        let index = try #require(records.lastIndex { index in
            index.type == "chain.observed" && records.contains { $0.cause == index.position }
        })
        let position = UInt64(index)
        var refused = 0
        for change in Alteration.all(of: records[index].data) {
            var log = records
            log[index] = records[index].altered(data: change.data)
            let to = try OtherStore().open()
            do {
                _ = try await to.import(from: try scene.write("altered.daybook", records: log))
            } catch let error as DaybookError {
                #expect(
                    error.code == "importDiverges" || error.code == "eventInvalid", "\(error)")
                #expect(error.position.map { $0.number >= position } == true)
                #expect(try await to.allRecords().isEmpty)
                refused += 1
            }
        }
        #expect(refused > 0)
    }

    @Test func `another wallet's keys are refused where an address follows from them`()
        async throws
    {
        let index = try #require(records.firstIndex { $0.type == "wallet.added" })
        for change in Alteration.all(of: records[index].data)
        where change.path.contains("xpub") || change.path.contains("publicKey") {
            var log = records
            log[index] = records[index].altered(data: change.data)
            let to = try OtherStore().open()
            let path = try scene.write("altered.daybook", records: log)
            do {
                _ = try await to.import(from: path)
                Issue.record("\(change.path) is believed")
            } catch {
                #expect(["importDiverges", "eventInvalid"].contains(error.code), "\(error)")
            }
            #expect(try await to.allRecords().isEmpty)
        }
    }

    // MARK: - What can't be checked

    @Test func `events that nobody knows are counted, and so are those that follow from them`()
        async throws
    {
        var log = records
        log.append(unknown(after: log))
        let last = log[log.count - 1]
        log.append(
            EventRecord(
                logID: last.logID, position: last.position + 1, stream: last.stream,
                revision: last.revision + 1, type: "weather.noticed", version: 1, time: last.time,
                session: last.session, request: nil, cause: last.position, actor: "daybook",
                data: .record([:])))
        log.append(input(.timePassed(TimePassed()), nil, after: log))
        for store in [try OtherStore().open(), scene.store] {
            let summary = try await store.import(
                from: try scene.write("unknown.daybook", records: log))
            #expect(summary.notChecked == 2)
            #expect(try await store.allRecords() == log)
            try await store.expectCleanReplay()
        }
        let again = try await scene.store.import(from: scene.path("unknown.daybook"))
        #expect(again.status == .unchanged && again.notChecked == 0)
    }

    @Test func `an event of more than a day ahead is refused`() async throws {
        let day: UInt64 = 86_400_000_000
        let now = try #require(records.last).time
        for (time, isTaken) in [(now + day, true), (now + day + 1, false)] {
            let to = try OtherStore()
            let store = try to.home.open(clock: { now })
            let path = try scene.write(
                "late.daybook", records: records + [unknown(after: records, time)])
            if isTaken {
                #expect(try await store.import(from: path).notChecked == 1)
            } else {
                let error = await expectCode("importFromFuture") {
                    try await store.import(from: path)
                }
                #expect(error?.position?.number == UInt64(records.count))
                #expect(try await store.allRecords().isEmpty)
            }
        }
    }

    @Test func `a store goes on from any input as from the beginning`() async throws {
        let whole = try scene.write("whole.daybook", records: records)
        let inputs = records.indices.filter { index in
            index > 0 && records[index].cause == nil && records[index].type != "signature.made"
        }
        for index in inputs {
            let to = try OtherStore().open()
            let path = try scene.write("front.daybook", records: Array(records[..<index]))
            _ = try await to.import(from: path)
            let summary = try await to.import(from: whole)
            #expect(summary.status == .continued)
            #expect(try await to.allRecords() == records)
            #expect(try await to.liveDigest() == scene.store.liveDigest())
        }
    }

    // MARK: - Making logs

    private func replayed() throws -> State {
        var replayer = RecordedSession.replayer()
        for record in records { replayer.feed(record) }
        return replayer.state
    }

    /// The first payment's preparation with other bytes to sign.
    private func forgedPayment() throws -> Payload {
        let honest = try #require(records.first { $0.type == "transaction.prepared" })
        let change = try #require(
            Alteration.all(of: honest.data).first { $0.path == "data.bytes" })
        let forged = try honest.altered(data: change.data).event()
        return try #require(forged).payload
    }

    private func input(_ payload: Payload, _ request: RequestID?, after log: [EventRecord])
        -> EventRecord
    {
        let last = log[log.count - 1]
        let draft = EventDraft(
            payload, position: last.id.next, time: last.time, session: last.sessionID,
            request: request, actor: "tests")
        return record(draft, after: log)
    }

    private func outcome(_ payload: Payload, _ request: RequestID?, after log: [EventRecord])
        -> EventRecord
    {
        let last = log[log.count - 1]
        let cause = Event(
            position: last.id, time: last.time, session: last.sessionID, request: request,
            payload: .timePassed(TimePassed()))
        let outcome = Outcome(payload, request: request)
        return record(
            EventDraft(outcome, of: cause, position: last.id.next), after: log)
    }

    private func unknown(after log: [EventRecord], _ time: UInt64? = nil) -> EventRecord {
        let last = log[log.count - 1]
        return EventRecord(
            logID: last.logID, position: last.position + 1, stream: "weather", revision: 0,
            type: "weather.changed", version: 1, time: time ?? last.time, session: last.session,
            request: nil, cause: nil, actor: "tests", data: .record([:]))
    }

    private func record(_ draft: EventDraft, after log: [EventRecord]) -> EventRecord {
        let position = UInt64(log.count)
        return EventRecord(
            logID: log[0].logID, position: position, stream: draft.stream,
            revision: UInt64(log.count { $0.stream == draft.stream }), type: draft.type,
            version: draft.version, time: draft.time,
            session: draft.session.position(own: position),
            request: draft.request?.position(own: position), cause: draft.cause,
            actor: draft.actor, data: draft.data)
    }

    /// Neither a fresh store nor, where it can go on, the live one takes it.
    private func expectRefusal(
        of log: [EventRecord], at position: UInt64, orInvalid: Bool = false,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let path = try scene.write("diverging.daybook", records: log)
        let isLonger = log.count > records.count && Array(log.prefix(records.count)) == records
        for store in [try OtherStore().open()] + (isLonger ? [scene.store] : []) {
            let before = try await store.allRecords()
            let id = try await store.logID
            do {
                _ = try await store.import(from: path)
                Issue.record("it was taken", sourceLocation: location)
            } catch {
                let isNamed = error.code == "importDiverges"
                    || orInvalid && error.code == "eventInvalid"
                #expect(isNamed && error.kind == .refused, "\(error)", sourceLocation: location)
                #expect(error.position?.number == position, "\(error)", sourceLocation: location)
            }
            #expect(try await store.allRecords() == before, sourceLocation: location)
            #expect(try await store.logID == id, sourceLocation: location)
        }
    }
}
