import DaybookEncoding
import DaybookLog
import DaybookReplay
import Foundation
import TestSupport
import Testing

/// A caller's text on a terminal: it can't move the cursor, hide, reorder or imitate anything.
struct HostileTextCommandTests {
    private static let texts = [
        "%1B%5B2J%1B%5BH", "%1B%5D0%3Btitle%07", "%0D%0Aamount%20%200.1", "%08%08%08paid",
        "%C2%9B2J", "%E2%80%AEtpecca", "%E2%81%A6x%E2%81%A9", "%7F%7F", "%E2%80%8Bhidden",
        "%EF%BB%BF", "%C2%AD", "%E2%80%A8next%20line",
    ]

    @Test(arguments: texts)
    func `no command prints a caller's text as more than letters`(text: String) throws {
        let scene = try Scene()
        let links = [
            "dashwallet://pay=\(Scene.payee)&amount=1&sender=shop&message=\(text)",
            "dash:\(Scene.payee)?amount=2&label=\(text)&message=a\(text)b",
            "dashwallet://pay=\(Scene.payee)&amount=1&sender=\(text)",
            "dashwallet://pay=\(text)&amount=1&sender=shop",
        ]
        for link in links {
            try Self.check(try scene.daybook("open", link), link)
        }
        for command in ["pending", "log", "callbacks"] {
            try Self.check(try scene.daybook(command), command)
            try Self.checkJSON(try scene.daybook(command, "--json"), "\(command) --json")
        }
    }

    // MARK: - Events that came from elsewhere

    /// A hostile text for each place of an event: it clears, reorders, hides, begins a line.
    private static let hostile = "x\u{1b}[2J\r\u{202e}y\u{9b}2J\u{7f}\u{200b}\u{2028}"
        + "\u{e0041}\nFORGED"

    /// Appends an event of a type that nobody knows, and one that tells a made-up caller something.
    private static func append(_ scene: Scene, request: UInt64) throws {
        try EventLog(opening: scene.home + "/log").write { transaction in
            let time = transaction.lastTime
            let session = try #require(try transaction.record(at: request)).session
            let granted = CBOR.record([
                "caller": .text(hostile), "kind": .text("address"),
                "values": .array([.text(hostile)]), "wallet": .unsigned(1),
            ])
            let unknown = CBOR.map([.init(key: .text(hostile), value: .text(hostile))])
            for (type, data) in [
                ("\(hostile).made", unknown),
                ("binding.granted", granted),
            ] {
                _ = try transaction.append(
                    EventDraft(
                        stream: type == "binding.granted" ? "request/\(request)" : hostile,
                        type: type, time: time, session: .at(session), request: .at(request),
                        actor: hostile, data: data.encoded()))
            }
        }
    }

    @Test func `nothing that an event of elsewhere holds reaches a terminal raw`() throws {
        let scene = try Scene()
        let link = "dashwallet://pay=\(Scene.payee)&amount=1&sender=shop"
        let request = try scene.pending(link)
        let before = scene.path("before")
        try FileManager.default.copyItem(atPath: scene.home, toPath: before)
        try Self.append(scene, request: try #require(UInt64(request)))
        let answers = [
            try scene.daybook("log"), try scene.daybook("show", request),
            try scene.daybook("verify"), try scene.daybook("doctor"),
            try scene.replay("replay", scene.home), try scene.replay("verify", scene.home),
            try scene.replay("diff", before, scene.home),
            try scene.replay("diff", scene.home, before),
            try scene.replay("state", scene.home, "--at", "\(try Self.lastPosition(scene))"),
            try scene.replay("what-if", scene.home, "--decide", "\(request)=reject"),
            try scene.daybook("export", "-", "--format", "csv"),
            try scene.daybook("export", "-", "--format", "hledger"),
            try scene.daybook("export", "-", "--format", "beancount"),
        ]
        for answer in answers {
            // A table's lines end with CR and LF.
            let lines = answer.output.replacing("\r\n", with: "\n")
            try Self.check(
                ProgramRun(status: answer.status, output: lines, error: answer.error), lines)
        }
        #expect(answers[0].output.contains(#"x\u{001B}[2J\u{000D}\u{202E}y\u{009B}2J"#))
        #expect(answers[8].output.contains("was given the address of wallet 1"))
        let last = "\(try Self.lastPosition(scene))"
        for answer in [
            try scene.daybook("log", "--json"), try scene.daybook("show", request, "--json"),
            try scene.replay("state", scene.home, "--at", last, "--json"),
            try scene.replay("verify", scene.home, "--json"),
            try scene.replay("replay", scene.home, "--json"),
            try scene.replay("diff", before, scene.home, "--json"),
            try scene.daybook("export", "-", "--format", "jsonl"),
        ] {
            try Self.check(answer, answer.output)
        }
        let events = try scene.daybook("log", "--json").output.split(separator: "\n")
        let event = try JSON.parse(Array(try #require(events.dropLast(1).last).utf8))
        #expect(event["type"] == .string("\(Self.hostile).made"), "JSON loses nothing")
        #expect(event["data"]?[Self.hostile] == .string(Self.hostile))
    }

    private static func lastPosition(_ scene: Scene) throws -> UInt64 {
        try EventLog(readingAt: scene.home + "/log").read { $0.count - 1 }
    }

    /// JSON is lossless and for programs, but it is also seen in terminals.
    private static func checkJSON(_ answer: ProgramRun, _ what: String) throws {
        let reorders: [ClosedRange<UInt32>] = [0x200e...0x200f, 0x202a...0x202e, 0x2066...0x2069]
        for scalar in answer.output.unicodeScalars where scalar != "\n" {
            let isPlain = scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value)
            let isOrdered = !reorders.contains { $0.contains(scalar.value) }
            #expect(isPlain && isOrdered, "U+\(String(scalar.value, radix: 16)) of \(what)")
        }
    }

    private static func check(_ answer: ProgramRun, _ what: String) throws {
        let seen = answer.output + answer.error
        #expect(!seen.split(separator: "\n").contains { $0.hasPrefix("FORGED") }, "\(what)")
        for scalar in seen.unicodeScalars where scalar != "\n" {
            let isPlain = scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value)
            let isFormat = scalar.properties.generalCategory == .format
            #expect(isPlain && !isFormat, "U+\(String(scalar.value, radix: 16)) of \(what)")
            let isSeparator = [.lineSeparator, .paragraphSeparator]
                .contains(scalar.properties.generalCategory)
            #expect(!isSeparator, "U+\(String(scalar.value, radix: 16)) of \(what)")
        }
    }
}
