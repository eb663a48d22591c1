import DaybookDomain
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

    static func survey(
        _ records: [EventRecord], _ scope: ReportScope = ReportScope(), wallet: WalletID? = nil
    ) -> ReportIndex {
        var indexer = ReportIndexer(logID: records.first?.logID ?? [], scope: scope)
        for record in records { indexer.feed(record) }
        return indexer.finish { _ in wallet }
    }

    static func page(
        _ records: [EventRecord], _ scope: ReportScope = ReportScope(), wallet: WalletID? = nil,
        findings: [ReportFinding] = []
    ) throws -> ReportPage {
        let output = Output()
        let report = Report(
            survey(records, scope, wallet: wallet),
            ReportFindings(
                findings, checked: ["Everything was looked at."],
                unchecked: ["Nobody was asked."]))
        try report.write(to: { output.bytes += $0 }, reading: { try records.forEach($0) })
        return try ReportPage(output.bytes)
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
