import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookLog

struct DamageTests {
    @Test(arguments: ExportFormat.allCases)
    func `a file cut off anywhere says how far it is good`(_ format: ExportFormat) throws {
        let log = try SampleLog(9, checkpointsAt: [4, 9], payload: 3)
        let bytes = try log.export(format, ExportSelection(request: 3))
        let items = try items(of: bytes)
        for length in 0..<bytes.count {
            let error = try #require(refusal(Bytes(bytes.prefix(length))))
            let whole = items.count { $0.end <= UInt64(length) }
            #expect(error.fault == .truncated, "cut at \(length)")
            #expect(error.lastGood == (whole == 0 ? nil : items[whole - 1].lastGood))
            if length >= 8 { #expect(error.place.offset == items[whole].start, "cut at \(length)") }
        }
    }

    @Test func `every flipped byte is found, and in its frame`() throws {
        let log = try SampleLog(9, checkpointsAt: [4, 9], payload: 3)
        let bytes = try log.export(.daybook, ExportSelection(request: 3))
        let items = try items(of: bytes)
        for index in bytes.indices {
            let hit = try #require(items.firstIndex { UInt64(index) < $0.end })
            for mask in [1 << UInt8(index % 8), 0xff] as [UInt8] {
                var flipped = bytes
                flipped[index] ^= mask
                let error = try #require(refusal(flipped))
                #expect(error.place.number == UInt64(hit), "byte \(index): \(error)")
                #expect(error.lastGood == (hit == 0 ? nil : items[hit - 1].lastGood))
            }
        }
    }

    @Test func `every changed byte of the readable format is found on its line`() throws {
        let log = try SampleLog(9, checkpointsAt: [4, 9], payload: 3)
        let bytes = try log.export(.jsonl, ExportSelection(request: 3))
        let items = try items(of: bytes)
        var random = Seeded(5)
        for index in bytes.indices.dropFirst() where index % 3 != 0 {
            var changed = bytes
            changed[index] ^= 1 << UInt8.random(in: 0..<7, using: &random)
            let error = try #require(refusal(changed), "byte \(index)")
            let line = items.firstIndex { UInt64(index) < $0.end } ?? items.count
            #expect(error.place.number == UInt64(line + 1), "byte \(index): \(error)")
            #expect(error.lastGood == (line == 0 ? nil : items[line - 1].lastGood))
        }
    }

    @Test func `flipped bits of a larger file are found in their frames`() throws {
        let bytes = try SampleLog(700, payload: 300).export()
        let items = try items(of: bytes)
        var random = Seeded(3)
        for _ in 0..<60 {
            let index = Int.random(in: bytes.indices, using: &random)
            var flipped = bytes
            flipped[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            let error = try #require(refusal(flipped))
            let hit = try #require(items.firstIndex { UInt64(index) < $0.end })
            #expect(error.place.number == UInt64(hit))
            #expect(error.place.offset == items[hit].start)
        }
    }

    @Test func `frames that were moved, doubled or taken out are found where it happened`() throws {
        let bytes = try SampleLog(6).export()
        let items = try items(of: bytes)
        let frames = items.map { Bytes(bytes[Int($0.start)..<Int($0.end)]) }
        let magic = Bytes(bytes.prefix(8))
        func error(_ order: [Int]) -> ExportError? { refusal(magic + order.flatMap { frames[$0] }) }
        #expect(error([0, 2, 1, 3, 4, 5, 6, 7])?.place.number == 1)
        #expect(error([0, 2, 1, 3, 4, 5, 6, 7])?.fault == .altered)
        #expect(error([0, 1, 3, 4, 5, 6, 7])?.place.number == 2)
        #expect(error([0, 1, 3, 4, 5, 6, 7])?.fault == .altered)
        #expect(error([0, 1, 1, 2, 3, 4, 5, 6, 7])?.place.number == 2)
        #expect(error([0, 1, 1, 2, 3, 4, 5, 6, 7])?.fault == .altered)
        #expect(error([0, 1, 2, 3, 4, 5, 6, 7]) == nil)
    }

    @Test(arguments: ExportFormat.allCases)
    func `nothing may follow the trailer`(_ format: ExportFormat) throws {
        let bytes = try SampleLog(3).export(format)
        for rest in [[0], [0x0a], Bytes(repeating: 0, count: 4096), bytes] as [Bytes] {
            let error = refusal(bytes + rest)
            #expect(error?.fault == .trailingBytes)
            #expect(error?.lastGood == 2)
        }
    }

    @Test func `zeros that a crash left behind are named as such`() throws {
        let bytes = try SampleLog(5).export(.jsonl)
        let items = try items(of: bytes)
        let kept = Bytes(bytes.prefix(Int(items[3].start)))
        for zeros in [1, 100, 5_000_000] {
            let error = refusal(kept + Bytes(repeating: 0, count: zeros))
            #expect(error?.fault == .zeroFilled)
            #expect(error?.place == ExportPlace(unit: .line, number: 4, offset: items[3].start))
            #expect(error?.lastGood == 1)
        }
    }

    @Test func `errors stay: reading on after one says the same`() throws {
        let bytes = try SampleLog(5).export()
        let reader = try ExportReader(source(Bytes(bytes.dropLast())))
        var errors: [ExportError] = []
        for _ in 0..<10 {
            do { _ = try reader.next() } catch let error as ExportError { errors.append(error) }
        }
        #expect(errors.count == 4 && errors.allSatisfy { $0 == errors[0] })
        #expect(
            errors[0].description == "frame 6 at byte \(try items(of: bytes)[6].start): "
                + "it ends here, before its trailer: the rest is missing "
                + "(position 4 is the last good one)")
    }

    /// Where each item of a good export lies, and the last position up to its end.
    private func items(of bytes: Bytes) throws -> [Item] {
        let reader = try ExportReader(source(bytes))
        var items: [Item] = []
        while try reader.next() != nil {
            if !items.isEmpty { items[items.count - 1].end = reader.place.offset }
            items.append(
                Item(
                    start: reader.place.offset, end: UInt64(bytes.count),
                    lastGood: reader.lastGood))
        }
        return items
    }

    private struct Item {
        let start: UInt64
        var end: UInt64
        let lastGood: UInt64?
    }
}
