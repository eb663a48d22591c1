import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookMigrations
import DaybookReplay
import Foundation
import Testing

/// The answers of programs about a session whose engine they do not know.
struct UnknownEngineTests {
    private let scene: Scene
    /// The request that the unknown engine has decided.
    private let request: String
    /// The position at which its session begins: three events follow from there.
    private let start: UInt64

    /// An engine gives an address by a decision that breaks every rule of ours.
    init() throws {
        scene = try Scene()
        request = try scene.pending("dashwallet://request=address&sender=myapp")
        start = try Self.decide(request, by: 99, scene)
    }

    private static func decide(_ id: String, by engine: UInt64, _ scene: Scene) throws -> UInt64 {
        let id = try #require(UInt64(id))
        return try Migrations.openLog(at: scene.home + "/log").write { transaction in
            let (start, time) = (transaction.count, transaction.lastTime)
            let wallet = try #require(transaction.state.wallets.rows().first?.key)
            let (session, request) = (SessionID(start), RequestID(id))
            func append(_ payload: Payload, about request: RequestID?) throws -> Event {
                let position = Position(transaction.count)
                _ = try transaction.append(
                    EventDraft(
                        payload, position: position, time: time, session: session,
                        request: request, actor: "later"))
                return Event(
                    position: position, time: time, session: session, request: request,
                    payload: payload)
            }
            _ = try append(
                .sessionStarted(
                    SessionStarted(
                        frontEnd: "later", engine: engine, libraries: [], settings: Settings())),
                about: nil)
            let decision = DecisionMade(
                decision: .approve, prompt: Bytes(repeating: 7, count: 32), wallet: wallet,
                amount: nil, unlocked: false)
            let input = try append(.decisionMade(decision), about: request)
            let binding = BindingGranted(
                caller: "myapp", wallet: wallet, kind: .address, values: [Scene.payee])
            let position = Position(transaction.count)
            _ = try transaction.append(
                EventDraft(
                    Outcome(.bindingGranted(binding), request: request), of: input,
                    position: position))
            return start
        }
    }

    private var sentence: String {
        "3 events from \(start) to \(start + 2) are of engine 99, newer than 10, the last one "
            + "known: use the program that wrote the log"
    }

    /// The sessions that were not judged, as JSON says it.
    private var notJudged: JSON {
        .array([
            .record([
                "session": .int(start), "engine": .int(99 as UInt64), "events": .int(3 as UInt64),
                "inputs": .int(2 as UInt64), "last": .int(start + 2),
            ])
        ])
    }

    @Test func `verify says what it did not judge, and accuses nobody`() throws {
        let text = try scene.replay("verify", scene.home)
        text.expectFailure(1, "engineUnknown", of: "verify")
        #expect(text.lines[0].hasSuffix(" 0 violations"))
        #expect(text.lines.contains("not checked: rules: \(sentence)"))
        let json = try scene.replay("verify", scene.home, "--json").object
        #expect(json["violations"] == .array([]) && json["notJudged"] == notJudged)
        try scene.done("export", scene.path("log.daybook"))
        let export = try scene.replay("verify", scene.path("log.daybook"), "--json").object
        #expect(export["notJudged"] == notJudged && export["violations"] == .array([]))
    }

    @Test func `replay judges the rest, and its status is not that of a log that follows`() throws {
        let text = try scene.replay("replay", scene.home)
        text.expectFailure(1, "engineUnknown", of: "replay")
        #expect(text.lines[0].hasSuffix(" 0 divergences"))
        #expect(text.lines[1] == "not judged: \(sentence)")
        let json = try scene.replay("replay", scene.home, "--json").object
        #expect(json["divergences"] == .array([]) && json["notJudged"] == notJudged)
        let before = try scene.replay("replay", scene.home, "--until", String(start - 1), "--json")
        #expect(before.status == 0)
        #expect(try before.object["notJudged"] == .array([]))
    }

    @Test func `a folder's results have it as an error that is named`() throws {
        let answer = try scene.replay("replay", scene.home, "--junit", scene.path("results.xml"))
        #expect(answer.status == 1)
        #expect(answer.lines[0] == "replay: 1 logs, 0 diverge, 1 can't be replayed")
        #expect(answer.lines[1] == "store: \(sentence) (engineUnknown)")
    }

    @Test func `the report and the state say it`() throws {
        let page = scene.path("page.html")
        let report = try scene.replay("report", scene.home, "--out", page)
        #expect(report.status == 0, "\(report.error)")
        #expect(report.output.contains(", 0 findings, "))
        #expect(report.lines.contains("not judged: \(sentence)"))
        let text = try String(contentsOfFile: page, encoding: .utf8)
        #expect(text.contains(sentence) && text.contains("found in what was judged."))
        #expect(text.contains("but what is listed below was decided again"))
        let json = try scene.replay("report", scene.home, "--out", page, "--json").object
        #expect(json["notJudged"] == notJudged)
        let position = String(start + 2)
        let state = try scene.replay("state", scene.home, "--at", position)
        #expect(
            state.lines.last
                == "not judged: this is what the events say; those from \(start) on are of engine "
                + "99, newer than 10, the last one known: use the program that wrote the log")
        let then = try scene.replay("state", scene.home, "--at", position, "--json").object
        #expect(
            then["notJudged"] == .array([
                .record(["session": .int(start), "engine": .int(99 as UInt64)])
            ]))
        let earlier = try scene.replay("state", scene.home, "--at", request, "--json").object
        #expect(earlier["notJudged"] == .array([]))
    }

    @Test func `what-if, import and recording refuse by name`() throws {
        let asked = try scene.replay("what-if", scene.home, "--decide", "\(request)=reject")
        asked.expectFailure(1, "engineUnknown", of: "what-if")
        #expect(asked.error.contains("engine 99, newer than 10, the last one known"))
        try scene.done("export", scene.path("log.daybook"))
        let other = try Scene(empty: true)
        try other.done("init")
        let taken = try other.daybook("import", scene.path("log.daybook"))
        taken.expectFailure(1, "exportTooNew", of: "import")
        #expect(taken.error.contains("event \(start) is of engine 99, newer than 10, the last"))
        #expect(try other.daybook("log", "--json").objects.isEmpty)
        let opened = try scene.daybook("open", "dashwallet://request=address&sender=later")
        opened.expectFailure(3, "storeTooNew", of: "open")
        #expect(opened.error.contains("the store's last session is of engine 99, newer than 10"))
    }

    @Test func `an older engine is named, and none decides after a newer one`() throws {
        let scene = try Scene()
        let request = try scene.pending("dashwallet://request=address&sender=myapp")
        let start = try Self.decide(request, by: 2, scene)
        let lines = try scene.replay("verify", scene.home).lines
        #expect(
            lines.contains(
                "not checked: rules: 3 events from \(start) to \(start + 2) are of engine 2, of a "
                    + "development version before 1.0: use the program that wrote the log"))
        #expect(lines[0].hasSuffix(" 3 violations"))
        for position in start...start + 2 {
            let fault = "its session is of engine 2, after one of engine 10"
            #expect(lines.contains("event \(position), engineFell: \(fault)"))
        }
    }
}
