import DaybookEncoding
import DaybookLog
import DaybookReplay
import Foundation
import Testing

/// Bad logs that earlier versions wrote: every later one must name the same first error.
///
/// Forgeries that are new are added to the newest by
///
///     DAYBOOK_GOLDEN=v1 swift test --filter BadLogTests
struct BadLogTests {
    @Test(arguments: GoldenLogTests.versions)
    func `each bad log is found out by its first error, at its place`(version: String) throws {
        for log in try BadLog.all(version) {
            #expect(try BadLog.Errors(of: log.events) == log.expected, "\(log.name)")
        }
    }

    @Test(arguments: GoldenLogTests.versions)
    func `every rule about events has a bad log`(version: String) throws {
        let found = Set(try BadLog.all(version).compactMap(\.expected.verify?.code))
        let elsewhere = [Violation.Rule.treeMismatch, .checkpointMismatch]
        #expect(found == Set(Violation.Rule.allCases.filter { !elsewhere.contains($0) }
            .map(\.rawValue)))
    }

    /// Writes the bad logs that a version lacks.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["DAYBOOK_GOLDEN"] != nil))
    func `the bad logs of a version are written`() throws {
        let version = try #require(ProcessInfo.processInfo.environment["DAYBOOK_GOLDEN"])
        let session = try GoldenLogTests.lines(version, "session")
        let records = try session.map { try EventRecord.decode($0) }
        for forgery in Forgery.all {
            let (forged, position) = try forgery.make(records)
            let name = forgery.name.replacing(" ", with: "-").replacing("'", with: "")
            let events = forged.map(\.bytes)
            let found = try BadLog.Errors(of: events).verify
            try #require(found == .init(position: position, code: forgery.rule.rawValue), "\(name)")
            try BadLog.write(name, events, over: session, version)
        }
    }
}
