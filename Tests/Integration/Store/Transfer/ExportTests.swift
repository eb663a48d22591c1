import DaybookEncoding
import DaybookLog
import DaybookSystem
import Foundation
import Synchronization
import Testing

@testable import Daybook

struct ExportTests {
    let scene: TransferScene

    init() async throws {
        scene = try await TransferScene()
    }

    @Test func `an export has every event, and says how many and what their root is`()
        async throws
    {
        for name in ["log.daybook", "log.jsonl"] {
            let summary = try await scene.export(name)
            let store = scene.store
            let records = try await store.allRecords()
            let bytes = try scene.bytes(name)
            #expect(summary.events == UInt64(records.count))
            #expect(summary.root == (try await store.root()))
            #expect(summary.bytes == UInt64(bytes.count))
            let reader = try TransferScene.reader(bytes)
            var found: [EventRecord] = []
            while let item = try reader.next() {
                if case .event(let record, _) = item { found.append(record) }
            }
            #expect(found == records)
            let mode = try #require(try Files.information(scene.path(name))).mode
            #expect(mode == 0o600)
        }
    }

    @Test func `an export is of the log as it was when it began, whoever writes meanwhile`()
        async throws
    {
        try await scene.export("before.daybook")
        let store = scene.store
        let output = ExportedBytes()
        let other = scene.home
        let before = try await store.allRecords().count
        let driver = try await store.export(as: .daybook) { bytes in
            if output.bytes.isEmpty {
                let run = try DriverProcess.run(
                    "reject", other.path, "k", "dashwallet://request=address&sender=late")
                #expect(run.status == 0, "\(run.lines)")
            }
            output.bytes += bytes
        }
        #expect(driver.events == UInt64(before))
        #expect(try await store.allRecords().count > before)
        #expect(output.bytes == (try scene.bytes("before.daybook")))
    }

    @Test func `a part has the events that its selection names`() async throws {
        let store = scene.store
        let all = try await store.allRecords()
        let wallets = try await store.wallets()
        let requests = try await store.pending()
        let dash = try #require(wallets.first { $0.chain == .dash })
        let icon = try #require(wallets.first { $0.chain == .icon })
        let request = try #require(requests.first)
        func positions(_ selection: LogSelection) async throws -> [UInt64] {
            let output = ExportedBytes()
            _ = try await store.export(selection, as: .daybook) { output.bytes += $0 }
            let reader = try TransferScene.reader(output.bytes)
            var found: [UInt64] = []
            while let item = try reader.next() {
                if case .event(let record, _) = item { found.append(record.position) }
            }
            return found
        }
        #expect(try await positions(LogSelection(from: 3, to: 9)) == Array(3...9))
        #expect(try await positions(LogSelection(from: 0, to: 0)) == [0])
        let own = all.filter { $0.requestID == request.id }.map(\.position)
        #expect(try await positions(LogSelection(request: request.id)) == own)
        let part = LogSelection(from: own[1], to: own[1], request: request.id)
        #expect(try await positions(part) == [own[1]])

        let paid = try #require(all.first { $0.type == "transaction.signed" }?.requestID)
        let bound = try #require(all.first { $0.type == "binding.granted" }?.requestID)
        let sides = [(dash, "dash", paid, bound), (icon, "icon", bound, paid)]
        for (wallet, chain, mine, others) in sides {
            let found = try await positions(LogSelection(wallet: wallet.id))
            let expected = all.filter { record in
                record.requestID == mine || record.stream == "wallet/\(wallet.id)"
                    || record.stream == "chain/\(chain)/sandbox" && record.id > wallet.id.position
            }.map(\.position)
            #expect(found == expected)
            #expect(found.contains(wallet.id.number) && found.contains(mine.number))
            #expect(!found.contains(others.number))
        }
        let both = try await positions(LogSelection(request: bound, wallet: dash.id))
        #expect(both.isEmpty)
    }

    @Test func `the events that a selection names must be there`() async throws {
        let store = scene.store
        let count = UInt64(try await store.allRecords().count)
        let wrong: [(LogSelection, String)] = [
            (LogSelection(from: count), "unknownPosition"),
            (LogSelection(to: count), "unknownPosition"),
            (LogSelection(from: .max, to: .max), "unknownPosition"),
            (LogSelection(from: 5, to: 4), "invalidRange"),
            (LogSelection(request: 0), "unknownRequest"),
            (LogSelection(request: RequestID(.max)), "unknownRequest"),
            (LogSelection(wallet: 0), "unknownWallet"),
            (LogSelection(wallet: WalletID(.max)), "unknownWallet"),
        ]
        for (selection, code) in wrong {
            await expectCode(code) {
                try await store.export(selection, to: scene.path("part.daybook"))
            }
        }
        await expectCode("unknownFormat") { try await store.export(to: scene.path("log.txt")) }
        #expect(try Files.list(scene.home.folder) == ["store"])
    }

    @Test func `a file that exists is replaced only where that was asked for`() async throws {
        let store = scene.store
        let path = try scene.write("log.daybook", [1, 2, 3])
        await expectCode("fileExists") { try await store.export(to: path) }
        #expect(try scene.bytes("log.daybook") == [1, 2, 3])
        _ = try await store.export(to: path, replacing: true)
        #expect(try scene.bytes("log.daybook").count > 3)
        #expect(try Files.list(scene.home.folder) == ["log.daybook", "store"])
    }

    @Test func `an export that comes to nothing leaves no file behind`() async throws {
        struct Full: Error {}
        let store = scene.store
        await expectCode("systemError") {
            try await store.export(to: scene.path("missing/log.daybook"))
        }
        await expectCode("failed") {
            try await store.export(as: .daybook) { _ in throw Full() }
        }
        let killed = try DriverProcess.run(
            "--kill", "1", "export", scene.home.path, scene.path("log.daybook"))
        #expect(killed.wasKilled && killed.places == ["exported"])
        let left = try Files.list(scene.home.folder).filter { $0 != "store" }
        #expect(left.count == 1 && left[0].hasSuffix(".new"), "\(left)")
        #expect(ExportFileFormat(extensionOf: left[0]) == nil)
        let whole = try DriverProcess.run("export", scene.home.path, scene.path("log.daybook"))
        #expect(whole.status == 0, "\(whole.lines)")
        #expect(try Files.list(scene.home.folder) == ["log.daybook", "store"])
    }

    @Test func `the table and the journal show what the selection names`() async throws {
        let store = scene.store
        let wallets = try await store.wallets()
        let dash = try #require(wallets.first { $0.chain == .dash })
        func text(_ format: ExportFileFormat, _ selection: LogSelection = .init()) async throws
            -> (summary: ExportSummary, lines: [String])
        {
            let output = ExportedBytes()
            let summary = try await store.export(selection, as: format) { output.bytes += $0 }
            #expect(summary.bytes == UInt64(output.bytes.count))
            return (
                summary,
                String(decoding: output.bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
                    .map(String.init)
            )
        }
        let table = try await text(.csv)
        let own = try await text(.csv, LogSelection(wallet: dash.id))
        #expect(table.lines.first == own.lines.first)
        #expect(table.summary.events == UInt64(table.lines.count - 1))
        #expect(own.lines.count > 2 && own.lines.count < table.lines.count)
        #expect(own.lines.dropFirst().allSatisfy { $0.contains(",DASH,") })
        let paid = try #require(own.lines.last { $0.contains(",payment,") })
        let request = try #require(
            try await store.allRecords().first { $0.type == "transaction.signed" }?.requestID)
        #expect(try await text(.csv, LogSelection(request: request)).lines.contains(paid))
        let first = try #require(own.lines.dropFirst().first)
        let position = try #require(first.split(separator: ",").last.flatMap { UInt64($0) })
        let beginning = try await text(.csv, LogSelection(to: position))
        let rest = try await text(.csv, LogSelection(from: position + 1))
        #expect(beginning.lines.contains { $0.hasSuffix(",\(position)") })
        #expect(!rest.lines.contains { $0.hasSuffix(",\(position)") })
        let sum = beginning.summary.events + rest.summary.events
        #expect(sum == table.summary.events && rest.summary.events > 0)
        for format in [ExportFileFormat.hledger, .ledger, .beancount] {
            let journal = try await text(format)
            #expect(journal.summary.events == table.summary.events)
            #expect(journal.lines.contains { $0.hasSuffix("position: \(position)") })
        }
    }
}

/// Collects what an export hands out.
final class ExportedBytes: Sendable {
    private let stored = Mutex(Bytes())

    var bytes: Bytes {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
