import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay
import Foundation
import Synchronization
import Testing

/// The extent and the ends of a replay, which also finds deciders that are not pure.
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
            replayer.feed(record)
            #expect(try replayer.divergences(feeding: [], isWhole: false) == [])
        }
        #expect(try replayer.divergences(feeding: [], isWhole: true) == [])
    }

    @Test func `a log that another core reads ahead gives the result of one core`() async throws {
        let records = try await RecordedSession.shared.value.records
        var outcomeLost = records
        outcomeLost.remove(at: try #require(records.firstIndex { $0.cause != nil }))
        let spoilt = records.enumerated().map { index, record in
            index % 5 == 3 ? record.altered(time: record.time + 1) : record
        }
        for records in [records, outcomeLost, spoilt, records.dropLast(2)] {
            var replayer = RecordedSession.replayer()
            for record in records { replayer.feed(record) }
            replayer.finish()
            for size in [1, 53, records.count] {
                #expect(try replayed(records, batches: size) == Replay(replayer))
            }
        }
    }

    @Test func `a record that can't be read ends a replay after those before it`() async throws {
        let records = try await RecordedSession.shared.value.records
        var seen: [UInt64] = []
        #expect(throws: LogError.damaged(position: 10, reason: "lost")) {
            var isRead = false
            _ = try Replay(
                events: 20, decide: { _, _ in [] }, reporting: { seen.append($0) }
            ) {
                defer { isRead = true }
                if isRead { throw LogError.damaged(position: 10, reason: "lost") }
                return records[..<10].map { DecodedRecord($0) }
            }
        }
        #expect(seen == [10])
    }

    private func replayed(_ records: [EventRecord], batches size: Int) throws -> Replay {
        let decider = Links.decider
        var next = 0
        return try Replay(
            events: UInt64(records.count), decide: { decider.decide($0, $1) }
        ) {
            defer { next += size }
            guard next < records.count else { return nil }
            return records[next...].prefix(size).map { DecodedRecord($0) }
        }
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
            return decider.decide(state, event)?.map { outcome in
                guard case .requestAccepted(let data) = outcome.payload else { return outcome }
                let changed = RequestAccepted(
                    request: data.request, prompt: data.prompt, digest: data.digest,
                    expires: data.expires &+ extra)
                return Outcome(.requestAccepted(changed), request: outcome.request)
            }
        })
        for record in records { replayer.feed(record) }
        replayer.finish()
        let accepted = records.filter { $0.type == "request.accepted" }
        #expect(replayer.divergences.map(\.position) == accepted.map(\.id))
        #expect(Set(replayer.divergences.map(\.field)) == ["data.expires"])
    }
}
