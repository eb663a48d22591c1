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
        let request = try #require(refused.request)
        #expect(try replay(altered).divergences.count == 1)
        #expect(try replay(altered, scope: .session(refused.session)).divergences.count == 1)
        #expect(try replay(altered, scope: .session(0)).divergences == [])
        #expect(try replay(altered, scope: .request(request)).divergences.count == 1)
        #expect(try replay(altered, scope: .request(request + 1)).divergences == [])
    }

    @Test func `an outcome can't be moved out of the request that is asked about`() async throws {
        let records = try await RecordedSession.shared.value.records
        let index = try #require(records.lastIndex { $0.type == "callback.emitted" })
        let request = try #require(records[index].request)
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
                    position: place, field: "type", recorded: "moon.risen", produced: "nothing")
            ])
    }

    /// Ways in which a decider can depend on more than state and input.
    enum Impurity: CaseIterable {
        case clock, chance, hashSeed, callCount
    }

    @Test(arguments: Impurity.allCases)
    func `a decider that is not pure is found out`(impurity: Impurity) async throws {
        let records = try await RecordedSession.shared.value.records
        let decider = Decider(links: Links.all, read: { Links.read($0) })
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
        #expect(replayer.divergences.map(\.position) == accepted.map(\.position))
        #expect(Set(replayer.divergences.map(\.field)) == ["data.expires"])
    }
}
