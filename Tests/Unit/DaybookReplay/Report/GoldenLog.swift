import DaybookEncoding
import DaybookLog
import Foundation
import Testing
import TestSupport

@testable import DaybookReplay

/// A recorded session with requests and payments on all chains, and pages made of it.
enum GoldenLog {
    static func records() throws -> [EventRecord] {
        try Fixture.hexLines("logs/v1/session.hex").map { try EventRecord.decode($0) }
    }

    static func survey(_ records: [EventRecord]) -> ReportIndex {
        var surveyor = ReportIndexer(logID: records.first?.logID ?? [])
        for record in records { surveyor.feed(record) }
        return surveyor.finish()
    }

    static func page(_ records: [EventRecord], findings: [ReportFinding] = []) throws -> Page {
        let output = Output()
        let report = Report(
            survey(records), findings: findings, checks: ["Everything was looked at."])
        try report.write(to: { output.bytes += $0 }, reading: { try records.forEach($0) })
        return try Page(output.bytes)
    }

    private final class Output {
        var bytes: Bytes = []
    }
}

extension EventRecord {
    /// The same record with other data.
    func with(data: CBOR) -> EventRecord {
        EventRecord(
            logID: logID, position: position, stream: stream, revision: revision, type: type,
            version: version, time: time, session: session, request: request, cause: cause,
            actor: actor, data: data.encoded())
    }
}
