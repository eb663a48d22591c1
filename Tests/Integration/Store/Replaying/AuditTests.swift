import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import Testing

@testable import DaybookReplay

/// Every rule of an audit finds what breaks it, and nothing where nothing is broken.
struct AuditTests {
    /// The violations that an audit finds in a log.
    static func violations(_ records: [EventRecord]) throws -> [Violation] {
        var audit = Audit(logID: try #require(records.first).logID)
        for record in records { audit.feed(record.bytes) }
        return audit.violations
    }

    @Test func `the recorded session breaks no rule, and each signature was verified`()
        async throws
    {
        let records = try await RecordedSession.shared.value.records
        var audit = Audit(logID: records[0].logID)
        var inputs = 0
        for record in records {
            audit.feed(record.bytes)
            if case .signatureMade(let data) = try record.event()?.payload {
                inputs += data.signatures.count
            }
        }
        #expect(audit.violations == [])
        #expect(audit.signatures == inputs && inputs > 15)
        #expect(audit.events == UInt64(records.count))
    }

    @Test(arguments: Forgery.all)
    func `a forged log is found out by its rule, at its place`(forgery: Forgery) async throws {
        let records = try await RecordedSession.shared.value.records
        let (forged, position) = try forgery.make(records)
        #expect(forged != records)
        let found = try Self.violations(forged)
        let first = try #require(found.first, "\(forgery.name)")
        #expect(first.rule == forgery.rule, "\(forgery.name): \(found)")
        #expect(first.position.number == position, "\(forgery.name): \(found)")
    }

    @Test func `every rule about events has a forgery`() {
        let elsewhere: [Violation.Rule] = [
            .treeMismatch, .checkpointMismatch, .stampInvalid, .timeDisagrees,
        ]
        let rules = Set(Forgery.all.map(\.rule) + elsewhere)
        #expect(rules == Set(Violation.Rule.allCases))
    }

    @Test func `a log that is wrong throughout is counted, not listed`() async throws {
        let records = try await RecordedSession.shared.value.records
        var audit = Audit(logID: Bytes(repeating: 1, count: 16))
        for _ in 0..<20 { for record in records { audit.feed(record.bytes) } }
        #expect(audit.violationCount == 20 * records.count)
        #expect(audit.violations.count == Audit.mostViolations)
    }
}
