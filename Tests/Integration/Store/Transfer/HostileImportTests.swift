import DaybookEncoding
import DaybookLog
import Testing

@testable import Daybook

/// Exports that prove themselves and hold what no log of ours would.
struct HostileImportTests {
    let scene: TransferScene
    let records: [EventRecord]

    init() async throws {
        scene = try await TransferScene()
        records = try await scene.store.allRecords()
    }

    @Test func `an event that can't follow is refused by its position`() async throws {
        let last = records.count - 1
        let wrong: [(String, EventRecord)] = [
            ("importDiverges", changed(last, revision: records[last].revision + 1)),
            ("importDiverges", changed(last, time: records[last - 1].time - 1)),
            ("eventInvalid", changed(last, type: "wallet.added")),
            ("exportTooNew", changed(last, format: 11)),
            ("developmentVersion", changed(last, format: 1)),
        ]
        for (code, record) in wrong {
            let to = try OtherStore().open()
            let id = try await to.logID
            let path = try write(records.dropLast() + [record])
            let error = await expectCode(code) { try await to.import(from: path) }
            #expect(error?.kind == .refused, "\(error as Any)")
            #expect(try await to.allRecords().isEmpty)
            #expect(try await to.logID == id)
        }
    }

    @Test func `a file that changes after it was proven is noticed before it is believed`()
        async throws
    {
        let path = try await wholeExport()
        let home = try OtherStore().home
        let forged = records.map { record in
            record.position == 1 ? changed(1, actor: "somebody else") : record
        }
        let header = try self.header(of: path)
        let output = ExportedBytes()
        let writer = ExportWriter(.daybook) { output.bytes += $0 }
        try writer.write(.header(header))
        for record in forged { try writer.write(.event(record, bytes: record.bytes)) }
        #expect(throws: ExportFault.otherTree("header")) { _ = try writer.finish() }
        let replaced = try await replacing(path, by: output.bytes, home)
        #expect(replaced == "exportDamaged" || replaced == "exportChanged")
        let other = try OtherStore()
        _ = try await other.open().receive("dashwallet://request=address&sender=own")
        _ = try await other.open().export(to: scene.path("other.daybook"))
        let swapped = try await replacing(path, by: try scene.bytes("other.daybook"), home)
        #expect(swapped == "exportChanged")
        #expect(try await home.open().allRecords().isEmpty)
    }

    /// The code with which an import ends whose file is overwritten as soon as it was proven.
    private func replacing(
        _ path: String, by bytes: Bytes, _ home: SharedHome
    ) async throws -> String? {
        let before = try scene.bytes("log.daybook")
        let scene = scene
        var options = StoreOptions()
        options.probe = { place in
            if place == "proven" { _ = try? scene.write("log.daybook", bytes) }
        }
        let store = try Store(opening: home.path, frontEnd: "tests", options: options)
        defer { _ = try? scene.write("log.daybook", before) }
        do {
            _ = try await store.import(from: path)
            return nil
        } catch {
            return error.code.rawValue
        }
    }

    private func wholeExport() async throws -> String {
        try await scene.export("log.daybook")
        return scene.path("log.daybook")
    }

    private func header(of path: String) throws -> ExportHeader {
        let item = try TransferScene.reader(try scene.bytes("log.daybook")).next()
        guard case .header(let header) = item else { throw Missing() }
        return header
    }

    private struct Missing: Error {}

    private func changed(
        _ position: Int, format: UInt64 = 10, revision: UInt64? = nil, type: String? = nil,
        version: UInt64 = 1, time: UInt64? = nil, actor: String? = nil
    ) -> EventRecord {
        let record = records[position]
        return EventRecord(
            format: format, logID: record.logID, position: record.position,
            stream: record.stream, revision: revision ?? record.revision,
            type: type ?? record.type, version: version, time: time ?? record.time,
            session: record.session, request: record.request, cause: record.cause,
            actor: actor ?? record.actor,
            data: record.encodedData.bytes)
    }

    private func write(_ records: [EventRecord]) throws -> String {
        try scene.write("hostile.daybook", records: records)
    }
}
