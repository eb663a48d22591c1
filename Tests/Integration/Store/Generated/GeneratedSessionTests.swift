import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import Testing

@testable import Daybook

/// Laws that hold under any requests, users, chains and clocks.
struct GeneratedSessionTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a hundred mixed requests leave a log in order`(seed: UInt64) async throws {
        let session = try GeneratedSession(seed: seed)
        try await session.run(requests: 100)
        let records = try await session.store.allRecords()
        let problems = try LogAudit.problems(of: records)
        #expect(problems == [])
        #expect(try AuditTests.violations(records) == [])
        let differences = try await session.store.differencesFromChains()
        #expect(differences == [])
        let (divergences, digest) = try replay(records)
        #expect(divergences == [])
        #expect(try await session.store.liveDigest() == digest)
        #expect(try await session.store.foldedDigest() == digest)
    }

    @Test func `the same seed gives the same log, byte for byte`() async throws {
        var logs: [[Bytes]] = []
        for _ in 0..<2 {
            let session = try GeneratedSession(seed: 77)
            try await session.run(requests: 40)
            logs.append(try await session.store.allRecords().map(\.bytes))
        }
        #expect(logs[0] == logs[1])
    }
}

extension Store {
    /// The digest of the state that the recorded events add up to, outcomes included.
    func foldedDigest() throws -> Bytes {
        try journal.log.read { log in
            var state = State()
            for record in try log.records(from: 0, limit: .max) {
                if let event = try record.event() { state.evolve(event) }
            }
            return StateDigest.of(state)
        }
    }
}
