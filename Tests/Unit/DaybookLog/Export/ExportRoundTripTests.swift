import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookLog

struct ExportRoundTripTests {
    @Test(arguments: ExportFormat.allCases)
    func `an export is read as it was written`(_ format: ExportFormat) throws {
        let log = try SampleLog(40, checkpointsAt: [0, 7, 7, 40])
        let reader = try ExportReader(source(try log.export(format), piece: 7))
        #expect(reader.format == format)
        var events: [Bytes] = []
        var notes: [Bytes] = []
        while let item = try reader.next() {
            if case .event(let record, let bytes) = item {
                #expect(try EventRecord.decode(bytes) == record)
                events.append(bytes)
            }
            if case .checkpoint(let note) = item { notes.append(note) }
        }
        #expect(events == log.events)
        #expect(notes == log.checkpoints.map(\.note))
        #expect(try reader.next() == nil)
    }

    @Test func `the formats say the same and give each other's bytes back`() throws {
        let log = try SampleLog(61, checkpointsAt: [10, 30, 61])
        let selections: [ExportSelection] = [
            .all, ExportSelection(from: 5, to: 40), ExportSelection(request: 9),
            ExportSelection(from: 60), ExportSelection(from: 100), ExportSelection(to: 0),
        ]
        for selection in selections {
            let frames = try log.export(.daybook, selection)
            let lines = try log.export(.jsonl, selection)
            #expect(try converted(frames, to: .jsonl) == lines)
            #expect(try converted(lines, to: .daybook) == frames)
            #expect(outcome(frames) == outcome(lines))
        }
    }

    @Test(arguments: ExportFormat.allCases)
    func `an empty log exports, too`(_ format: ExportFormat) throws {
        let bytes = try SampleLog(0, checkpointsAt: [0]).export(format)
        let trailer = try ExportReader.verify(source(bytes)).trailer
        #expect(trailer.events == 0)
        #expect(trailer.head == TreeHead(size: 0, root: .ofEmptyTree))
    }

    @Test func `any data survives the readable format byte for byte`() throws {
        var random = Seeded(11)
        let events = (0..<200).map { position in
            SampleLog.event(
                position,
                data: .map([.init(key: .text("x"), value: Self.value(depth: 1, &random))]))
        }
        let log = try SampleLog(events)
        let frames = try log.export(.daybook)
        #expect(try converted(try converted(frames, to: .jsonl), to: .daybook) == frames)
    }

    @Test func `the longest event fits into a frame and on a line`() throws {
        let room = LogLimits.eventBytes - SampleLog.event(0).count - 10
        let zeros = Bytes(repeating: 0, count: room)
        let long = SampleLog.event(0, data: .record(["x": .bytes(zeros)]))
        #expect(long.count > LogLimits.eventBytes - 10)
        let log = try SampleLog([long])
        #expect(try converted(try log.export(.jsonl), to: .daybook) == log.export(.daybook))
        // Empty byte strings as keys and values: the most characters for the fewest bytes.
        let pair = CBOR.map([.init(key: .bytes([]), value: .bytes([]))])
        let wide = SampleLog.event(
            0, data: .record(["x": .array(Array(repeating: pair, count: room / 3))]))
        let line = LineEncoder().encode(try .event(wide)).count
        #expect(wide.count > LogLimits.eventBytes - 20)
        #expect(line > 12 * wide.count && line < ExportLimits.lineBytes)
    }

    @Test func `reformatted lines still prove the same log`() throws {
        let log = try SampleLog(12)
        let lines = String(decoding: try log.export(.jsonl), as: UTF8.self)
        let loose = lines.replacing(",\"", with: " ,\t\"").replacing("\n", with: "\r\n")
        #expect(try converted(Bytes(loose.utf8), to: .daybook) == log.export(.daybook))
    }

    private static func value(depth: Int, _ random: inout Seeded) -> CBOR {
        switch Int.random(in: 0..<(depth < 14 ? 9 : 7), using: &random) {
        case 0: return .unsigned(UInt64.random(in: 0 ... .max, using: &random))
        case 1: return .negative(UInt64.random(in: 0 ... .max, using: &random))
        case 2: return .bytes(Bytes((0..<Int.random(in: 0..<4, using: &random)).map { UInt8($0) }))
        case 3:
            let texts = ["", "$hex", "é", "e\u{301}", "\u{0}\"\\\n", "𝄞"]
            return .text(texts[Int.random(in: 0..<6, using: &random)])
        case 4: return .null
        case 5: return .bool(Bool.random(using: &random))
        case 6: return .unsigned(UInt64.random(in: 0..<30, using: &random))
        case 7:
            return .array(
                (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                    value(depth: depth + 1, &random)
                })
        default:
            let keys: [CBOR] = [
                .text("$hex"), .text("$"), .text("a"), .text("bb"), .unsigned(1), .null,
                .bytes([]), .array([.text("a")]), .text("1"),
            ]
            let chosen = keys.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
            return .map(chosen.map { .init(key: $0, value: value(depth: depth + 1, &random)) })
        }
    }
}
