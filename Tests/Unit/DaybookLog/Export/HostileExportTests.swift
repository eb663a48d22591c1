import DaybookCrypto
import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookLog

/// Files that no exporter writes: each is refused by name, without a crash or much memory.
struct HostileExportTests {
    private static var log: SampleLog? { try? SampleLog(4) }

    /// A file of frames with good checksums, whatever they hold.
    private static func file(_ frames: [(kind: Character, payload: Bytes)]) -> Bytes {
        var output = FrameFile.magic
        var chain = FrameChain()
        for frame in frames {
            let head = FrameFile.head(kind: frame.kind.asciiValue ?? 0, length: frame.payload.count)
            output += head + frame.payload + chain.checksum(head, frame.payload)
        }
        return output
    }

    private static func header(
        size: CBOR = .unsigned(4), log: CBOR = .bytes(SampleLog.id), root: CBOR? = nil,
        selection: CBOR? = .record([:]), extra: CBOR? = nil
    ) throws -> Bytes {
        let head = try #require(Self.log).tree.head(at: 4)
        return CBOR.record([
            "size": size, "log": log, "root": root ?? .bytes(head.root.bytes),
            "selection": selection, "extra": extra,
        ]).encoded()
    }

    private static func fault(_ frames: [(kind: Character, payload: Bytes)]) -> ExportFault? {
        refusal(file(frames))?.fault
    }

    @Test func `a file that begins like neither format is no export`() {
        for text in ["x", "DAYBOOK\u{1}", "[1]", "\u{feff}{}", " {}", "daybooh", "PK\u{3}\u{4}"] {
            #expect(refusal(Bytes(text.utf8))?.fault == .notAnExport, "\(text)")
        }
    }

    @Test func `an export of another program is named`() throws {
        for number in [0, 1, 9, 11, 255] as [UInt8] {
            let error = refusal(Bytes("daybook".utf8) + [number] + Bytes(repeating: 9, count: 99))
            let unknown = try unknown(.export, UInt64(number))
            #expect(error?.fault == .unknownFormat(unknown))
        }
        for (number, why) in [
            (1, "was written by a development version before 1.0; read it with that program"),
            (11, "is newer than 10, the last one known; use the program that wrote it"),
        ] {
            let line = #"{"item":"header","version":\#(number),"what":"ever"}"# + "\n"
            #expect(
                refusal(Bytes(line.utf8))?.description
                    == "line 1 at byte 0: the export format \(number) \(why) "
                    + "(no position is good)")
        }
    }

    @Test func `a header's new field comes with a new number, and alone is a fault`() throws {
        let header = try Self.header(extra: .unsigned(1))
        #expect(Self.fault([("H", header)]) == .malformed("names"))
        let newer = Bytes("daybook".utf8) + [11] + Self.file([("H", header)]).dropFirst(8)
        #expect(refusal(newer)?.fault == .unknownFormat(try unknown(.export, 11)))
    }

    @Test func `a length beyond the limit is refused before anything is read`() throws {
        for length in [262_145, 0x7fff_ffff, 0xffff_ffff] {
            var asked = 0
            let bytes = FrameFile.magic
                + FrameFile.head(kind: FrameKind.event.rawValue, length: length)
            let reader = try ExportReader { limit in
                asked += limit
                return asked == limit ? bytes : Bytes(repeating: 0, count: limit)
            }
            let error = #expect(throws: ExportError.self) { _ = try reader.next() }
            #expect(error?.fault == .tooLarge(bytes: UInt64(length), limit: 262_144))
            #expect(asked <= 65_536)
        }
    }

    @Test func `a line without an end costs no more than the limit`() throws {
        var handed = 0
        let reader = try ExportReader { limit in
            defer { handed += limit }
            return handed == 0 ? Bytes("{\"a\":\"".utf8) : Bytes(repeating: 0x61, count: limit)
        }
        let error = #expect(throws: ExportError.self) { _ = try reader.next() }
        #expect(error?.fault == .tooLarge(bytes: 4_194_305, limit: 4_194_304))
        #expect(handed < 5_000_000)
    }

    @Test func `headers with other fields, types and sizes are refused`() throws {
        let cases: [(Bytes, String)] = [
            (try Self.header(size: .text("4")), "size"), (try Self.header(size: .null), "size"),
            (try Self.header(log: .bytes([1])), "log"), (try Self.header(log: .text("a")), "log"),
            (try Self.header(root: .bytes([])), "root"),
            (try Self.header(selection: nil), "selection"),
            (try Self.header(selection: .array([])), "selection"),
            (try Self.header(selection: .record(["from": .unsigned(0)])), "from"),
            (try Self.header(selection: .record(["to": .negative(0)])), "to"),
            (try Self.header(selection: .record(["until": .unsigned(1)])), "names"),
            (try Self.header(extra: .null), "names"), (CBOR.null.encoded(), "map"),
            (CBOR.array([]).encoded(), "map"), (CBOR.record([:]).encoded(), "log"),
        ]
        for (payload, name) in cases {
            #expect(Self.fault([("H", payload)]) == .malformed(name))
        }
        for payload in [[], [0xff], [0xa1], [0xbf, 0xff], Bytes(repeating: 0x81, count: 90)] {
            guard case .notCanonical = Self.fault([("H", payload)]) else {
                Issue.record("\(payload) was not refused as CBOR")
                continue
            }
        }
    }

    @Test func `items in the wrong place are refused`() throws {
        let log = try #require(Self.log)
        let head = try Self.header()
        let trailer = ExportTrailer(events: 4, checkpoints: 0, head: try log.tree.head(at: 4))
        let end = trailer.coded.encoded()
        let events = log.events.map { (kind: Character("E"), payload: $0) }
        let other = Bytes(repeating: 1, count: 16)
        let cases: [([(kind: Character, payload: Bytes)], ExportFault)] = [
            ([("T", end)], .misplaced("first item that is no header")),
            (events, .misplaced("first item that is no header")),
            ([("H", head), ("H", head)], .misplaced("header")),
            ([("H", head), ("T", end)], .outOfOrder(expected: 0, found: 4)),
            ([("H", head), events[1]], .outOfOrder(expected: 0, found: 1)),
            ([("H", head), events[0], events[0]], .outOfOrder(expected: 1, found: 0)),
            ([("H", head), ("X", [])], .unknownKind("0x58")),
            ([("H", head), ("h", head)], .unknownKind("0x68")),
            ([("H", head), ("E", SampleLog.event(0, log: other))], .otherLog),
            ([("H", head), ("E", [0xa0])], .badEvent(.badField("format"))),
            ([("H", head), ("C", [])], .badCheckpoint(.notText)),
        ]
        for (frames, fault) in cases { #expect(Self.fault(frames) == fault) }
        #expect(Self.fault([("H", head)] + events + [("T", end)]) == nil)
    }

    @Test func `a checkpoint must be this log's and fit its events`() throws {
        let log = try #require(Self.log)
        let head = try Self.header()
        let good = try SampleLog.note(try log.tree.head(at: 0))
        let other = try SampleLog.note(
            try log.tree.head(at: 0), log: Bytes(repeating: 1, count: 16))
        let wrong = try SampleLog.note(TreeHead(size: 1, root: try log.tree.head(at: 2).root))
        let first = (kind: Character("E"), payload: log.events[0])
        #expect(Self.fault([("H", head), ("C", good)]) == .truncated)
        #expect(Self.fault([("H", head), ("C", other)]) == .otherLog)
        #expect(Self.fault([("H", head), first, ("C", wrong)]) == .otherTree("checkpoint"))
        #expect(Self.fault([("H", head), first, ("C", good)]) == .outOfOrder(expected: 1, found: 0))
    }

    @Test func `runs that say too much, too little or nothing are refused`() throws {
        let log = try #require(Self.log)
        let head = try Self.header(selection: .record(["wallet": .unsigned(1)]))
        func fault(_ from: UInt64, _ to: UInt64, _ hashes: [TreeHash]) -> ExportFault? {
            let run = LeftOut(from: from, to: to, hashes: hashes)
            return Self.fault([("H", head), ("L", run.coded.encoded())])
        }
        let cover = try log.tree.cover(0..<3)
        #expect(fault(0, 2, cover) == .truncated)
        #expect(fault(0, 2, Array(cover.dropLast())) == .malformed("hashes"))
        #expect(fault(0, 2, cover + cover) == .malformed("hashes"))
        #expect(fault(0, 4, cover) == .malformed("to"))
        #expect(fault(0, .max, cover) == .malformed("to"))
        #expect(fault(1, 0, []) == .outOfOrder(expected: 0, found: 1))
        let large = try Self.header(
            size: .unsigned(.max), selection: .record(["wallet": .unsigned(1)]))
        let all = LeftOut(
            from: 0, to: .max - 1, hashes: Array(repeating: cover[0], count: 64)).coded.encoded()
        #expect(Self.fault([("H", large), ("L", all)]) == .truncated)
        let run = LeftOut(from: 0, to: 0, hashes: try log.tree.cover(0..<1)).coded.encoded()
        let next = LeftOut(from: 1, to: 1, hashes: try log.tree.cover(1..<2)).coded.encoded()
        #expect(
            Self.fault([("H", head), ("L", run), ("L", next)])
                == .misplaced("second run of positions in a row"))
    }

    @Test func `a trailer that counts otherwise is refused`() throws {
        let log = try #require(Self.log)
        let tree = try log.tree.head(at: 4)
        let frames = [(kind: Character("H"), payload: try Self.header())]
            + log.events.map { (kind: Character("E"), payload: $0) }
        func fault(_ trailer: ExportTrailer) -> ExportFault? {
            Self.fault(frames + [("T", trailer.coded.encoded())])
        }
        #expect(
            fault(ExportTrailer(events: 5, checkpoints: 0, head: tree))
                == .otherCount("events", found: 5, counted: 4))
        #expect(
            fault(ExportTrailer(events: 4, checkpoints: 1, head: tree))
                == .otherCount("checkpoints", found: 1, counted: 0))
        #expect(
            fault(ExportTrailer(events: 4, checkpoints: 0, head: try log.tree.head(at: 3)))
                == .otherTree("trailer"))
    }

    @Test func `lines that are no items are refused, each by its fault`() throws {
        let log = try #require(Self.log)
        let lines = String(decoding: try log.export(.jsonl), as: UTF8.self)
            .split(separator: "\n").map(String.init)
        func fault(_ line: String) -> ExportFault? {
            refusal(Bytes((lines[0] + "\n" + line + "\n").utf8))?.fault
        }
        let deep = String(repeating: "[", count: 5_000)
        let nested = String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
        #expect(fault("") == .notJSON(JSONError(offset: 0, reason: .truncated)))
        #expect(fault("null") == .malformed("item"))
        #expect(fault("{}") == .malformed("item"))
        #expect(fault(#"{"item":3}"#) == .malformed("item"))
        #expect(fault(#"{"item":"Event"}"#) == .unknownKind("Event"))
        #expect(fault(#"{"item":"a\u0000b"}"#) == .unknownKind(#"a\u{0000}b"#))
        #expect(fault(#"{"item":"event","item":"event"}"#)
            == .notJSON(JSONError(offset: 16, reason: .duplicateName)))
        #expect(fault("{\"item\":\(deep)") == .notJSON(JSONError(offset: 71, reason: .tooDeep)))
        #expect(fault(#"{"item":"event"}"#) == .malformed("data"))
        #expect(fault(#"{"item":"checkpoint","note":"x"}"#) == .malformed("names"))
        #expect(fault(#"{"item":"event","position":1.0}"#) == .notAValue(.otherNumber))
        #expect(fault(#"{"item":"event","position":-0}"#) == .notAValue(.otherNumber))
        #expect(fault(#"{"item":"event","position":18446744073709551616}"#)
            == .notAValue(.otherNumber))
        #expect(fault(#"{"item":"event","leaf":{"$hex":"AB"}}"#) == .notAValue(.otherMark))
        #expect(fault(#"{"item":"event","leaf":{"$hex":"ab","x":1}}"#) == .notAValue(.otherMark))
        #expect(fault(#"{"item":"event","leaf":{"$map":[["a",1]]}}"#) == .notAValue(.otherMark))
        #expect(fault(#"{"item":"event","leaf":{"$map":[[1,1],[1,2]]}}"#)
            == .notAValue(.duplicateKey))
        #expect(fault("{\"item\":\"event\",\"data\":\(nested)}") == .notAValue(.tooDeep))
        let event = lines[1]
        for (from, to, fault) in [
            (#""actor":"tester""#, #""actor":"""#, ExportFault.badEvent(.badField("actor"))),
            (#""actor":"tester""#, #""actor":"other""#, .altered),
            (#""at":"2023"#, #""at":"2024"#, .altered),
            (#""request":0"#, #""request":"0""#, .malformed("request")),
            (#""cause":null,"#, "", .malformed("cause")),
            (
                #""format":10"#, #""format":11"#,
                .badEvent(.unknownFormat(try unknown(.event, 11)))
            ),
            (#""item":"event""#, #""item":"event","more":1"#, .malformed("names")),
            (#""data":{"#, #""data":{"$x":1,"#, .notAValue(.otherMark)),
        ] {
            let changed = event.replacing(from, with: to)
            #expect(changed != event && self.fault(of: lines[0], changed) == fault, "\(to)")
        }
    }

    private func fault(of header: String, _ line: String) -> ExportFault? {
        refusal(Bytes((header + "\n" + line + "\n").utf8))?.fault
    }

    @Test func `random bytes never pass and never crash`() throws {
        var random = Seeded(99)
        let good = try #require(Self.log).export(.jsonl)
        for round in 0..<3_000 {
            var bytes: Bytes
            if round % 2 == 0 {
                bytes = FrameFile.magic
                    + (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
            } else {
                bytes = good
                for _ in 0..<3 {
                    let at = Int.random(in: 0..<bytes.count - 9, using: &random)
                    bytes.removeSubrange(at..<(at + Int.random(in: 1...8, using: &random)))
                }
            }
            #expect(refusal(bytes) != nil)
        }
    }
}
