import DaybookEncoding
import DaybookLog
import DaybookReplay
import Foundation
import Testing

/// Bad logs of earlier versions, in which every later one must find the same first error.
///
/// `tools/dev golden VERSION` adds those that are missing.
struct BadLogTests {
    init() async throws { try await GoldenLogWriter.written.value }

    @Test(arguments: GoldenLogTests.versions)
    func `each bad log is found out by its first error, at its place`(version: String) throws {
        for log in try BadLog.all(version) {
            #expect(try BadLog.Errors(of: log.events) == log.expected, "\(log.name)")
        }
    }

    @Test(arguments: GoldenLogTests.versions)
    func `every rule about events has a bad log`(version: String) throws {
        let found = Set(try BadLog.all(version).compactMap(\.expected.verify?.code))
        let elsewhere = [
            Violation.Rule.treeMismatch, .checkpointMismatch, .stampInvalid, .timeDisagrees,
        ]
        #expect(found == Set(Violation.Rule.allCases.filter { !elsewhere.contains($0) }
            .map(\.rawValue)))
    }
}
