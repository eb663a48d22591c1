import DaybookEncoding
import Testing

@testable import Daybook

/// The long session, replayed where nothing is as it was when it was recorded.
struct LongSessionTests {
    private static let surroundings: [[String: String?]] = [
        ["TZ": "Pacific/Chatham", "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8"],
        ["TZ": "America/St_Johns", "LANG": "C", "SWIFT_DETERMINISTIC_HASHING": "1"],
        ["TZ": nil, "LANG": nil, "HOME": nil, "PATH": nil, "SWIFT_DETERMINISTIC_HASHING": nil],
    ]

    @Test
    func `a session of 1000 mixed requests replays the same in every other process`()
        async throws
    {
        let session = try GeneratedSession(seed: 1000)
        try await session.run(requests: 1000)
        let records = try await session.store.allRecords()
        #expect(records.count > 5000)
        let problems = try LogAudit.problems(of: records)
        #expect(problems == [])
        #expect(try AuditTests.violations(records) == [])
        let differences = try await session.store.differencesFromChains()
        #expect(differences == [])
        let digest = Hex.encode(try await session.store.liveDigest())
        for surroundings in Self.surroundings {
            let replay = try ReplayProcess(replaying: session.folder.path, in: surroundings)
            #expect(replay.status == 0 && replay.error == "", "\(replay.error)")
            #expect(replay.answer["divergences"]?.arrayValue?.isEmpty == true)
            #expect(replay.answer["events"]?.intValue == Int64(records.count))
            #expect(replay.answer["digest"]?.stringValue == digest, "\(surroundings)")
        }
    }
}
