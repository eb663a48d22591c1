import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookLog

struct PartialExportTests {
    @Test func `any selection of positions proves the root of the whole log`() throws {
        var random = Seeded(21)
        for count in [1, 2, 3, 15, 16, 17, 64, 100, 257] {
            let log = try SampleLog(count, payload: 1)
            for _ in 0..<12 {
                let share = Int.random(in: 1...10, using: &random)
                let chosen = Set(
                    (0..<UInt64(count)).filter { _ in
                        Int.random(in: 0..<10, using: &random) < share
                    })
                var noted = log
                for _ in 0..<3 {
                    let size = UInt64.random(in: 0...UInt64(count), using: &random)
                    let note = try SampleLog.note(try log.tree.head(at: size))
                    noted.checkpoints.append((size, note))
                }
                // A wallet's events are what the exporting program says they are.
                let bytes = try noted.export(.daybook, ExportSelection(wallet: 4), only: chosen)
                let (header, trailer) = try ExportReader.verify(source(bytes))
                #expect(header.head == trailer.head)
                #expect(trailer.head == (try log.tree.head(at: UInt64(count))))
                #expect(trailer.events == UInt64(chosen.count))
                #expect(trailer.checkpoints == 3)
            }
        }
    }

    @Test func `a few events of a large log make a small file`() throws {
        let log = try SampleLog(5_000, payload: 100)
        let whole = try log.export()
        let part = try log.export(.daybook, ExportSelection(from: 3_333, to: 3_333))
        #expect(whole.count > 1_000_000)
        #expect(part.count < 3_000)
        #expect(outcome(part) != outcome(whole))
    }

    @Test func `a range may not lack an event, and has none from outside`() throws {
        let log = try SampleLog(20)
        let range = ExportSelection(from: 5, to: 10)
        #expect(throws: ExportFault.otherSelection(position: 7)) {
            _ = try log.export(.daybook, range, only: [5, 6, 8, 9, 10])
        }
        #expect(throws: ExportFault.otherSelection(position: 0)) {
            _ = try log.export(.daybook, .all, only: [1, 2, 3])
        }
        var events = log.events[5...11]
        #expect(throws: ExportFault.otherSelection(position: 11)) {
            let export = LogExport(try log.header(range), cover: { try log.tree.cover($0) })
            _ = try export.write(to: ExportWriter(.daybook) { _ in }) { events.popFirst() }
        }
    }

    @Test func `the same part of the same log is the same bytes, however the log grew`() throws {
        let selection = ExportSelection(from: 3, to: 8)
        let log = try SampleLog(12, checkpointsAt: [6])
        let once = try log.export(.daybook, selection)
        #expect(try SampleLog(12, checkpointsAt: [6]).export(.daybook, selection) == once)
        // From the start on is the same as not saying where from.
        #expect(
            try log.export(.jsonl, ExportSelection(from: 0, to: 8))
                == log.export(.jsonl, ExportSelection(to: 8)))
    }

    @Test func `an altered hash of left-out events is noticed`() throws {
        let log = try SampleLog(33)
        let header = try log.header(ExportSelection(request: 3))
        let events = log.events[3...5]
        var hashes = try log.tree.cover(6..<33)
        hashes.swapAt(0, 1)
        let writer = ExportWriter(.daybook) { _ in }
        try writer.write(.header(header))
        try writer.write(.leftOut(LeftOut(from: 0, to: 2, hashes: try log.tree.cover(0..<3))))
        for event in events { try writer.write(.event(event)) }
        try writer.write(.leftOut(LeftOut(from: 6, to: 32, hashes: hashes)))
        #expect(throws: ExportFault.otherTree("header")) { _ = try writer.finish() }
    }
}
