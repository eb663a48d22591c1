import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem
import Testing

/// Commands under a clock that is far from the log's last event.
struct ClockCommandTests {
    private let scene: Scene

    init() throws {
        scene = try Scene(empty: true)
        try scene.done("init")
    }

    private static let link = "dashwallet://request=address&sender=app"

    @Test func `a clock that has jumped ahead is asked about, and believed when accepted`() throws {
        try record(at: Clock.nowMicroseconds() - 92 * Self.day)
        try expectQuestion(" 92 days after the log's last event")
        let answer = try scene.daybook("open", Self.link, "--accept-clock", "--json").object
        #expect(answer["refusal"]?.stringValue != nil, "there is no wallet: \(answer.text())")
        try scene.done("callbacks")
        // From the new last event it is no jump any more.
        #expect(try scene.daybook("open", Self.link).code != "clockJumped")
        try scene.expectCleanReplay()
    }

    @Test func `a log whose last time lies far ahead is set back when the clock is accepted`()
        throws
    {
        try record(at: Clock.nowMicroseconds() + 92 * Self.day)
        try expectQuestion(" days before the log's last event")
        #expect(try scene.daybook("open", Self.link, "--accept-clock").code != "clockJumped")
        let types = try scene.done("log", "--json").objects.compactMap { $0["type"]?.stringValue }
        #expect(types.count { $0 == "clock.set" } == 1)
        #expect(try scene.daybook("open", Self.link).code != "clockJumped")
        try scene.expectCleanReplay()
    }

    private static let day: UInt64 = 86_400_000_000

    /// Puts an event of a time into the log, which has none yet.
    private func record(at time: UInt64) throws {
        let log = try EventLog(opening: scene.home + "/log")
        let count = try log.write { transaction in
            _ = try transaction.append(
                EventDraft(
                    stream: "tests", type: "test.filler", time: time, session: .own,
                    actor: "tests", data: .record([:])))
            return transaction.count
        }
        #expect(count == 1)
    }

    /// Each command that would record something asks; those that only look go on.
    private func expectQuestion(
        _ words: String, at place: SourceLocation = #_sourceLocation
    ) throws {
        let answer = try scene.daybook("open", Self.link, "--json")
        answer.expectFailure(1, "clockJumped", of: "open", at: place)
        #expect(answer.lastWords.contains(words), "\(answer.error)", sourceLocation: place)
        let code = try answer.object["error"]?["code"]
        #expect(code == .string("clockJumped"), sourceLocation: place)
        try scene.daybook("checkpoint").expectFailure(1, "clockJumped", of: "checkpoint", at: place)
        try scene.done("pending", at: place)
        #expect(try scene.done("log", "--json").objects.count == 1, sourceLocation: place)
    }
}
