import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay
import Foundation
import Synchronization
import Testing

/// What a replay covers, where it may end, and that it finds deciders out which are not pure.
struct ReplayTests {
    @Test func `a replay of one session or request reports only what is theirs`() async throws {
        let records = try await RecordedSession.shared.value.records
        let index = try #require(
            records.lastIndex { $0.type == "request.refused" && $0.request != nil })
        let refused = records[index]
        var altered = records
        altered[index] = refused.altered(time: refused.time + 1)
        let request = try #require(refused.requestID)
        #expect(try replay(altered).divergences.count == 1)
        #expect(try replay(altered, scope: .session(refused.sessionID)).divergences.count == 1)
        #expect(try replay(altered, scope: .session(0)).divergences == [])
        #expect(try replay(altered, scope: .request(request)).divergences.count == 1)
        let other = RequestID(request.position.next)
        #expect(try replay(altered, scope: .request(other)).divergences == [])
    }

    @Test func `an outcome can't be moved out of the request that is asked about`() async throws {
        let records = try await RecordedSession.shared.value.records
        let index = try #require(records.lastIndex { $0.type == "callback.emitted" })
        let request = try #require(records[index].requestID)
        var altered = records
        altered[index] = records[index].altered(request: .some(nil))
        let found = try replay(altered, scope: .request(request)).divergences
        #expect(found.map(\.field) == ["request"])
    }

    @Test func `a log that is cut anywhere on purpose replays up to there`() async throws {
        let session = try await RecordedSession.shared.value
        var replayer = RecordedSession.replayer()
        for record in session.records {
            try replayer.feed(record)
            #expect(try replayer.divergences(feeding: [], isWhole: false) == [])
        }
        #expect(try replayer.divergences(feeding: [], isWhole: true) == [])
    }

    @Test func `a log that is replayed in parts comes to what the whole does`() async throws {
        let records = try await RecordedSession.shared.value.records
        var outcomeLost = records
        outcomeLost.remove(at: try #require(records.firstIndex { $0.cause != nil }))
        let spoilt = records.enumerated().map { index, record in
            index % 5 == 3 ? record.altered(time: record.time + 1) : record
        }
        for records in [records, outcomeLost, spoilt, records.dropLast(2)] {
            let whole = try replayed(records)
            for cut in stride(from: 0, to: UInt64(records.count), by: 53) {
                let parts = try [0..<cut, cut..<(cut + 40), (cut + 40)..<(.max)].map { part in
                    try replayed(records, part)
                }
                #expect(Replay(parts) == whole)
            }
        }
    }

    @Test func `cores share a log without gaps, and a short one not at all`() {
        let all: Range<UInt64> = 0..<(.max)
        for cores in [1, 2, 3, 4, 64] {
            let parts = Replay.parts(of: 1_000_000, cores: cores)
            #expect(parts.count == min(cores, 4))
            #expect(parts.first?.lowerBound == 0)
            #expect(parts.last?.upperBound == .max)
            #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
            #expect(parts.dropLast().allSatisfy { !$0.isEmpty && $0.upperBound < 1_000_000 })
            #expect(Replay.parts(of: 1_000, cores: cores) == [all])
        }
    }

    @Test func `what the first part of a shared log throws is what its replay throws`() {
        #expect(throws: ReplayError.engineTooNew(position: 0, engine: 9)) {
            try Replay.inParts(events: 100_000, cores: 3) { part, _ -> Replay in
                throw ReplayError.engineTooNew(position: Position(part.lowerBound), engine: 9)
            }
        }
    }

    private func replayed(
        _ records: [EventRecord], _ part: Range<UInt64> = 0..<(.max)
    ) throws -> Replay {
        var replayer = RecordedSession.replayer(part: part)
        _ = try records.allSatisfy { try replayer.feed($0) }
        replayer.finish()
        return Replay(replayer)
    }

    @Test func `a session of a newer engine is refused by name`() async throws {
        let first = try #require(try await RecordedSession.shared.value.records.first)
        guard case .map(var entries) = first.data,
            let index = entries.firstIndex(where: { $0.key == .text("engine") })
        else { return #expect(Bool(false)) }
        entries[index].value = .unsigned(Engine.current + 1)
        var replayer = RecordedSession.replayer()
        #expect(throws: ReplayError.engineTooNew(position: 0, engine: Engine.current + 1)) {
            try replayer.feed(first.altered(data: .map(entries)))
        }
        #expect(
            ReplayError.engineTooNew(position: 0, engine: 99).description
                == "the session at 0 was decided by engine 99, "
                + "this program knows up to \(Engine.current)")
    }

    @Test func `an unknown type of input is passed over, an unknown outcome is not`()
        async throws
    {
        let records = try await RecordedSession.shared.value.records
        let last = try #require(records.last)
        let place = last.position + 1
        let input = last.altered(
            position: place, revision: last.revision + 1, type: "moon.risen", version: 7)
        #expect(try replay(records + [input]).divergences == [])
        let outcome = input.altered(cause: last.position)
        #expect(
            try replay(records + [outcome]).divergences == [
                Divergence(
                    position: Position(place), field: "type", recorded: "moon.risen",
                    produced: "nothing")
            ])
    }

    /// Ways in which a decider can depend on more than state and input.
    enum Impurity: CaseIterable {
        case clock, chance, hashSeed, callCount
    }

    @Test(arguments: Impurity.allCases)
    func `a decider that is not pure is found out`(impurity: Impurity) async throws {
        let records = try await RecordedSession.shared.value.records
        let decider = Links.decider
        let calls = Mutex(0 as UInt64)
        var replayer = Replayer(decide: { state, event in
            calls.withLock { $0 += 1 }
            let extra: UInt64
            switch impurity {
            case .clock: extra = UInt64(Date().timeIntervalSince1970 * 1_000_000)
            case .chance: extra = .random(in: 1 ... .max / 2)
            case .hashSeed: extra = UInt64("wallet".hashValue.magnitude % 1_000_000_007) + 1
            case .callCount: extra = calls.withLock { $0 }
            }
            return decider.decide(state, event).map { outcome in
                guard case .requestAccepted(let data) = outcome.payload else { return outcome }
                let changed = RequestAccepted(
                    request: data.request, prompt: data.prompt, digest: data.digest,
                    expires: data.expires &+ extra)
                return Outcome(.requestAccepted(changed), request: outcome.request)
            }
        })
        for record in records { try replayer.feed(record) }
        replayer.finish()
        let accepted = records.filter { $0.type == "request.accepted" }
        #expect(replayer.divergences.map(\.position) == accepted.map(\.id))
        #expect(Set(replayer.divergences.map(\.field)) == ["data.expires"])
    }
}
