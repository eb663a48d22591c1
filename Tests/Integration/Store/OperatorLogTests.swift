import DaybookChains
import DaybookEncoding
import Synchronization
import TestSupport
import Testing

@testable import Daybook

/// The lines that a server writes for its operator.
struct OperatorLogTests {
    /// A log whose lines and clock are the test's.
    private final class Scene: Sendable {
        let lines = Mutex<[String]>([])
        let now = Mutex<UInt64>(1)

        func log(_ form: OperatorLog.Form = .journal) -> OperatorLog {
            OperatorLog(as: form, clock: { self.now.withLock { $0 } }) { line in
                self.lines.withLock { $0.append(line) }
            }
        }

        var taken: [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }

        func wait(_ seconds: UInt64) { now.withLock { $0 += seconds * 1_000_000 } }
    }

    @Test func `a flood is a line at first, and a count at the end of each minute`() {
        let scene = Scene()
        let log = scene.log()
        for number in 0..<1_000_000 {
            log.note(.requestRefused, reason: "senderBlocked", request: RequestID(UInt64(number)))
        }
        log.note(.requestRefused, reason: "noWallet", request: 7)
        #expect(scene.taken == [
            "<5>a request was refused: request 0, senderBlocked (requestRefused)",
            "<5>a request was refused: request 7, noWallet (requestRefused)",
        ])
        scene.wait(59)
        log.tick()
        #expect(scene.taken == [])
        scene.wait(1)
        log.tick()
        #expect(scene.taken == [
            "<5>a request was refused: 999999 more, senderBlocked (requestRefused)"
        ])
        // The one that came once is written at once again, the flood is still counted.
        log.note(.requestRefused, reason: "noWallet", request: 8)
        log.note(.requestRefused, reason: "senderBlocked", request: 9)
        #expect(scene.taken == ["<5>a request was refused: request 8, noWallet (requestRefused)"])
        log.finish()
        #expect(scene.taken == ["<5>a request was refused: 1 more, senderBlocked (requestRefused)"])
    }

    @Test func `reasons without end make no lines without end`() {
        let scene = Scene()
        let log = scene.log()
        for number in 0..<100_000 { log.note(.callFailed, reason: "code\(number)") }
        log.note(.serverStopped)
        #expect(scene.taken.count == 256)
    }

    @Test func `a line of JSON has time, level, message, code and request`() throws {
        let scene = Scene()
        scene.log(.json).note(.paymentFailed, reason: "refused\nByNode", request: 12)
        let line = try #require(scene.taken.first)
        #expect(!line.contains("\n"))
        let json = try JSON.parse(Array(line.utf8))
        #expect(json["level"] == .string("warning") && json["code"] == .string("paymentFailed"))
        #expect(json["request"] == .int(12) && json["reason"] == .string("refused\nByNode"))
        #expect(json["message"]?.stringValue?.hasPrefix("a payment failed: request 12") == true)
        #expect(json["time"]?.stringValue?.hasSuffix("Z") == true)
    }

    @Test func `a line of text has a time and a level, and no second line`() throws {
        let scene = Scene()
        scene.log(.text).note(.nodeFailed, about: "dash mainnet, node 2", reason: "a\nb\u{202e}")
        let line = try #require(scene.taken.first)
        let rest = " warning: a node failed: dash mainnet, node 2, "
            + "a\\u{000A}b\\u{202E} (nodeFailed)"
        #expect(line.hasSuffix(rest) && line.count == "2026-01-31T23:59:59Z".count + rest.count)
    }

    @Test func `a node's failure and its end are told once, and chains by their scans`() {
        let scene = Scene()
        let activity = StoreActivity(telling: scene.log())
        let node = NodeNumber(chain: ChainID(.dash, .mainnet), number: 2)
        activity.noteAnswer(of: node, height: 5, at: 1)
        #expect(scene.taken == [])
        for _ in 0..<3 { activity.noteFailure(of: node, .unreachable) }
        activity.noteAnswer(of: node, height: nil, at: 9_000_000)
        activity.noteAnswer(of: node, height: 7, at: 9_000_000)
        #expect(scene.taken == [
            "<4>a node failed: dash mainnet, node 2, unreachable (nodeFailed)",
            "<5>a node that had failed answers: dash mainnet, node 2 (nodeAnswers)",
        ])
        #expect(activity.counts.nodes[node]?.height == 7)
    }

    @Test func `commits are counted by how long they took, and slow ones are told`() {
        let scene = Scene()
        let activity = StoreActivity(telling: scene.log())
        for time: UInt64 in [1000, 1001, 2_000_000, 9_000_000] {
            activity.noteCommit([.success([])], microseconds: time)
        }
        let full = DaybookError(.diskFull, .store, "no space is left")
        activity.noteCommit([.failure(full)], microseconds: 1)
        #expect(activity.recentFailure?.code == .diskFull)
        let text = MetricsText(of: activity, version: "1").text
        for line in [
            #"_bucket{le="0.001"} 2"#, #"_bucket{le="0.0025"} 3"#, #"_bucket{le="5"} 4"#,
            #"_bucket{le="+Inf"} 5"#, "_sum 11.002002", "_count 5",
        ] { #expect(text.contains("daybook_commit_duration_seconds\(line)\n")) }
        #expect(text.contains("daybook_commits_failed_total 1\n"))
        #expect(scene.taken == ["<4>a commit took a second or more (commitSlow)"])
        // A refusal is no failure of the store.
        let refusal = DaybookError(.unknownRequest, .refused, "there is no such request")
        activity.noteCommit([.failure(refusal)], microseconds: 1)
        #expect(activity.recentFailure == nil)
    }

    @Test func `events of the log are counted, and nothing is told of a request but its number`()
        async throws
    {
        let scene = Scene()
        let temporary = try TemporaryStore()
        let activity = StoreActivity(telling: scene.log())
        var options = StoreOptions()
        options.activity = activity
        let watched = try Store(opening: temporary.path, frontEnd: "tests", options: options)
        let following = Task { await watched.followForOperator() }
        // The follower begins with what is there when it looks first.
        while watched.feed.waiters == 0 { await Task.yield() }
        for index in 1...2 {
            try await watched.receive("dash:XnoAddress\(index)?amount=1&label=SECRETLABEL")
        }
        while activity.counts.outcomes[.refused] != 2 { await Task.yield() }
        following.cancel()
        await following.value
        #expect(activity.counts.refusals == ["invalidAddress": 2])
        #expect(scene.taken == [
            "<5>a request was refused: request 1, invalidAddress (requestRefused)"
        ])
        var text = MetricsText(of: activity, version: "1")
        try text.add(watched)
        #expect(text.text.contains("daybook_refusals_total{code=\"invalidAddress\"} 2\n"))
        #expect(text.text.contains("daybook_log_events 5\n"))
        #expect(!text.text.contains("SECRET") && watched.problem() == nil)
    }
}

/// The messages and metrics in the operator's document.
struct MonitoringDocumentedTests {
    @Test func `the messages and metrics are those of the program`() throws {
        let messages = OperatorMessage.allCases.map { message in
            "| `\(message.rawValue)` (\(message.level.name)) | \(message.text) "
                + "| \(message.advice) |"
        }
        let metrics = Metric.allCases.map { metric in
            let alert = metric.alert.isEmpty ? "none" : metric.alert
            return "| `\(metric.rawValue)` (\(metric.kind.rawValue)) | \(metric.help) | \(alert) |"
        }
        try MadeText("messages and metrics", in: "docs/OPERATIONS.md").expect(
            ["| message (level), metric (kind) | meaning | alert |", "|---|---|---|"]
                + messages + metrics)
    }
}
