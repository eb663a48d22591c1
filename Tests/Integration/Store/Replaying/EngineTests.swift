import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookLog
import Foundation
import Testing

@testable import Daybook
@testable import DaybookReplay

/// A log of two engines, as a program that knows both reads it and as one that knows the first.
struct EngineTests {
    private static let shared = Task { try await TwoEngines() }

    private let two: TwoEngines
    private let records: [EventRecord]
    /// The position at which the newer program's session begins.
    private let turn: UInt64

    init() async throws {
        two = try await Self.shared.value
        records = two.records
        turn = try #require(records.last { $0.type == "session.started" }).position
    }

    /// The payloads of a type, recorded by the older program and by the newer one.
    private func payloads(_ type: String) throws -> (old: [Payload], new: [Payload]) {
        let events = try records.filter { $0.type == type }.compactMap { try $0.event() }
        let old = events.filter { $0.position.number < turn }
        return (old.map(\.payload), events.dropFirst(old.count).map(\.payload))
    }

    // MARK: - A program that knows both

    @Test func `each engine's session has its own sentence, limit and outcome`() throws {
        func consequences(_ payloads: [Payload]) -> Set<String> {
            Set(
                payloads.compactMap { payload in
                    guard case .requestAccepted(let data) = payload else { return nil }
                    return data.prompt["consequence"]
                })
        }
        let accepted = try payloads("request.accepted")
        #expect(consequences(accepted.old) == [Rules.ten.sentences.givesAddress])
        #expect(consequences(accepted.new) == [TwoEngines.eleven.sentences.givesAddress])
        let refused = try payloads("request.refused")
        #expect(refused.old.isEmpty)
        guard case .requestRefused(let data)? = refused.new.first else {
            Issue.record("the newer engine has accepted a long link")
            return
        }
        #expect(data.refusal.code == .linkTooLong && refused.new.count == 1)
        let coalesced = try payloads("request.coalesced")
        #expect(coalesced.old.count == 1 && coalesced.new.isEmpty)
    }

    @Test func `a log of both engines replays and breaks no rule`() throws {
        let replayer = TwoEngines.replay(records, knowing: TwoEngines.newer)
        #expect(replayer.divergences == [])
        #expect(replayer.unjudged.isEmpty)
        #expect(two.digest == StateDigest.of(replayer.state))
        let verification = try TwoEngines.verify(records, knowing: TwoEngines.newer)
        #expect(verification.violations == [])
        #expect(verification.signatures == 2 && verification.unjudged.isEmpty)
    }

    @Test func `the rules of one engine are not those of the other`() throws {
        // Both engines' sessions under the first one's rules: each difference is found.
        let decider = Links.decider(
            by: Engines([.ten, Rules(11, after: .ten) { _ in }]))
        var replayer = Replayer(decide: decider.decide)
        for record in records { replayer.feed(record) }
        #expect(replayer.divergences.first?.position.number ?? 0 > turn)
        #expect(Set(replayer.divergences.map(\.field)).isSuperset(of: ["type", "data.digest"]))
    }

    @Test func `a log of both engines is imported and gone on with`() async throws {
        let other = try OtherStore()
        let store = try other.home.open(knowing: TwoEngines.newer)
        #expect(try await store.import(from: two.exported).status == .restored)
        #expect(try await store.allRecords() == records)
        _ = try await store.receive("dashwallet://request=address&sender=later")
        let all = try await store.allRecords()
        #expect(TwoEngines.replay(all, knowing: TwoEngines.newer).divergences == [])
    }

    @Test(arguments: [false, true])
    func `what-if decides by the engine of the decision's session`(isNew: Bool) throws {
        let id = isNew ? two.paid.new : two.paid.old
        let result = try TwoEngines.whatIf(records, id, .reject, knowing: TwoEngines.newer)
        let status = result.requests.first { $0.request == id && $0.field == "status" }
        #expect(status?.recorded == "completed" && status?.then == "rejected")
        // All that is left out follows from the transaction that there would not be.
        #expect(result.unknown.allSatisfy { !$0.why.contains("engine") })
        let same = try TwoEngines.whatIf(
            records, two.waiting, .approve, knowing: TwoEngines.newer)
        #expect(same.requests == [] && same.unknown == [])
    }

    @Test func `what-if shows a waiting request in the words of the newer engine`() throws {
        let state = TwoEngines.replay(records, knowing: TwoEngines.newer).state
        let pending = state.pendingRequests()
        #expect(pending.count == 2)
        for id in pending {
            let result = try TwoEngines.whatIf(records, id, .approve, knowing: TwoEngines.newer)
            let status = result.requests.first { $0.field == "status" }
            #expect(status?.request == id && status?.then == "completed")
        }
    }

    // MARK: - A program that knows the first alone

    @Test func `an older program names the newer engine and writes nothing`() async throws {
        let home = try SharedHome(copying: two.home)
        let store = try home.open()
        let error = await expectCode("storeTooNew") {
            try await store.receive("dashwallet://request=address&sender=older")
        }
        #expect(
            error?.message == "the store's last session is of engine 11, newer than 10, the last "
                + "one known: use the program that wrote it")
        #expect(try await store.allRecords() == records)
    }

    @Test func `an older program refuses to import a newer engine's session`() async throws {
        let store = try OtherStore().home.open()
        let error = await expectCode("exportTooNew") {
            try await store.import(from: two.exported)
        }
        #expect(error?.position?.number == turn)
        #expect(error?.message.contains("is of engine 11, newer than 10, the last") == true)
        #expect(try await store.allRecords().isEmpty)
    }

    @Test func `an older program judges what it can, and accuses nobody`() throws {
        let replayer = TwoEngines.replay(records, knowing: .known)
        #expect(replayer.divergences == [])
        let session = try #require(replayer.unjudged.all.first)
        #expect(replayer.unjudged.all.count == 1)
        #expect(session.session.number == turn && session.engine == 11)
        #expect(session.events == UInt64(records.count) - turn)
        #expect(session.last == records.last?.id && session.inputs > 0)
        let both = TwoEngines.replay(records, knowing: TwoEngines.newer)
        #expect(StateDigest.of(replayer.state) == StateDigest.of(both.state))
        #expect(replayer.inputs == both.inputs && replayer.outcomes == both.outcomes)
        let verification = try TwoEngines.verify(records, knowing: .known)
        #expect(verification.violations == [])
        #expect(verification.signatures == 2)
        #expect(verification.gaps.first { $0.check == .rules }?.why == session.sentence())
        #expect(
            session.sentence() == "\(session.events) events from \(turn) to \(session.last) are "
                + "of engine 11, newer than 10, the last one known: use the program that wrote "
                + "the log")
    }

    @Test func `an older program finds a lie in the sessions that it knows, and signatures`()
        throws
    {
        let place = try #require(records.firstIndex { $0.type == "request.coalesced" })
        var forged = records
        forged[place] = records[place].altered(type: "request.expired", data: .record([:]))
        let replayer = TwoEngines.replay(forged, knowing: .known)
        #expect(replayer.divergences.first?.position == records[place].id)
        // A signature is judged whatever the engine.
        let signed = try #require(records.last { $0.type == "transaction.signed" })
        let event = try #require(try signed.event())
        guard signed.position > turn, case .transactionSigned(let data) = event.payload else {
            Issue.record("the newer program has signed nothing")
            return
        }
        var bytes = data.bytes
        bytes[60] ^= 1
        let other = TransactionSigned(txid: data.txid, bytes: bytes)
        forged = records
        forged[Int(signed.position)] = signed.altered(
            data: try CBOR.decode(other.encoded()))
        let found = try TwoEngines.verify(forged, knowing: .known).violations
        #expect(found.map(\.position) == [signed.id, signed.id])
        #expect(Set(found.map(\.rule)) == [.signedSomethingElse, .badSignature])
    }

    @Test func `an older program answers what-if as far as it knows the rules`() throws {
        #expect {
            try TwoEngines.whatIf(records, two.paid.new, .reject, knowing: .known)
        } throws: { error in
            (error as? WhatIfError)?.code == "engineUnknown"
                && "\(error)".contains("engine 11, newer than 10, the last one known")
        }
        let result = try TwoEngines.whatIf(records, two.paid.old, .reject, knowing: .known)
        #expect(
            result.requests.contains { $0.request == two.paid.old && $0.then == "rejected" })
        let late = result.unknown.filter { ($0.position?.number ?? 0) > turn }
        #expect(!late.isEmpty)
        #expect(late.allSatisfy { $0.why.contains("it is decided by engine 11") })
    }

    @Test func `an audit that goes on within a newer session says what a whole one says`() throws {
        let whole = Replay(TwoEngines.replay(records, knowing: .known))
        let folder = try SharedHome()
        let decide = Links.decider.decide
        for size in [Int(turn) + 1, Int(turn) + 3, records.count - 1] {
            var (replayer, reader) = (Replayer(decide: decide), RecordReader())
            for record in records[..<size] { replayer.take(reader.read(DecodedRecord(record))) }
            let path = folder.folder + "/result"
            var writer = try AuditCacheWriter(beside: path)
            replayer.carry(reader.tree, after: nil, in: &writer)
            let written = try writer.finish()
            try written.complete(beside: path)
            let cache = try #require(
                try AuditCache(AuditCacheFiles.path(of: written.digest, beside: path)))
            let (continued, tree) = try Replayer.continued(
                cache, rows: MemoryRows(), decide: decide)
            (replayer, reader) = (continued, RecordReader(after: tree, continued.state))
            for record in records[size...] { replayer.take(reader.read(DecodedRecord(record))) }
            replayer.finish()
            #expect(Replay(replayer) == whole, "\(size)")
        }
    }

    // MARK: - Old engines stay

    /// The engines of the golden logs that a program lacks, by the logs' names.
    private func lacking(_ engines: Engines) throws -> [String] {
        try GoldenLogTests.versions.flatMap { version in
            try Self.engines(of: version).filter { engines[$0] == nil }.map { engine in
                "Rules.swift lacks engine \(engine), which decided Tests/Fixtures/logs/\(version)"
            }
        }
    }

    private static func engines(of version: String) throws -> Set<UInt64> {
        Set(
            try GoldenLogTests.lines(version, "session").compactMap { line in
                guard case .sessionStarted(let data)? = try EventRecord.decode(line).event()?
                    .payload
                else { return nil }
                return data.engine
            })
    }

    @Test func `each known engine has a golden log, and the engine of each is known`() throws {
        #expect(try lacking(.known) == [])
        let recorded = try GoldenLogTests.versions.flatMap { try Self.engines(of: $0) }
        let bare = Set(Engines.known.numbers).subtracting(recorded).sorted()
        #expect(bare == [], "these engines have no golden log: make one with tools/dev golden")
    }

    @Test func `an engine that is taken away is named`() throws {
        let found = try lacking(Engines([TwoEngines.eleven]))
        #expect(found == GoldenLogTests.versions.map {
            "Rules.swift lacks engine 10, which decided Tests/Fixtures/logs/\($0)"
        })
    }

    @Test func `engines are numbered upwards from that of 1.0`() {
        #expect(Engines.known.numbers.first == Engine.first && Engine.first == 10)
        #expect(Engines.known.numbers == Engines.known.numbers.sorted())
        #expect(Engines.known.current.engine == Engine.current)
        #expect(Engines.known.numbers.allSatisfy { Engines.known[$0]?.engine == $0 })
        #expect(Engines.known[9] == nil && Engines.known[Engine.current + 1] == nil)
        #expect(
            Engines.known.name(ofUnknown: 2) == "engine 2, of a development version before 1.0")
        #expect(
            Engines([TwoEngines.eleven]).name(ofUnknown: 10)
                == "engine 10, whose rules this program lacks")
    }
}
