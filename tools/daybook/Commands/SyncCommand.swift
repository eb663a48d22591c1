import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let sync = Command(
        "sync", does: "ask the nodes what is new and record it",
        options: [
            Option("--follow", nil, "go on until interrupted, and tell what changes"),
            Option("--interval", "SECONDS", "with --follow: how often to ask; default 5"),
        ]
    ) { invocation, store in
        let isFollowing = invocation.has("--follow")
        guard isFollowing || !invocation.has("--interval") else {
            throw CommandFailure.usage("--interval goes with --follow")
        }
        let interval = Int(clamping: try invocation.number("--interval") ?? 5)
        guard (1...3600).contains(interval) else {
            throw CommandFailure.usage("--interval takes 1 to 3600 seconds")
        }
        if isFollowing {
            try await follow(store, every: interval, invocation.console)
            return .done
        }
        defer { ProgressLine.clear() }
        let events = try await store.sync(progress: ProgressLine.ofSync)
        let tips = try await store.tips()
        ProgressLine.clear()
        try invocation.console.result(
            .record(["events": .int(events), "tips": tips.json]),
            (["\(events) new events"] + tips.map { "\($0.chain) is at block \($0.height)" })
                .joined(separator: "\n"))
        return .done
    }

    private static func follow(
        _ store: Store, every seconds: Int, _ console: Console
    ) async throws {
        try await StopSignals.cancelling {
            var known: [NodeProblem] = []
            try await store.follow(every: seconds, progress: ProgressLine.ofSync) { round in
                ProgressLine.clear()
                let tips = try await store.tips()
                if console.isJSON {
                    try console.result(round.json(tips), "")
                } else {
                    if round.events > 0 { try console.text(round.text(tips)) }
                    for line in round.changes(since: known) { try console.note(line) }
                }
                known = round.problems
            }
        }
        ProgressLine.clear()
    }
}

extension SyncRound {
    fileprivate func json(_ tips: [(chain: String, height: UInt64)]) -> JSON {
        .record([
            "events": .int(events), "tips": tips.json,
            "problems": .array(
                problems.map { problem in
                    .record([
                        "chain": .string(problem.chain.rawValue),
                        "network": .string(problem.network.rawValue),
                        "problem": .string(problem.sentence), "code": .string(problem.code),
                    ])
                }),
        ])
    }

    fileprivate func text(_ tips: [(chain: String, height: UInt64)]) -> TerminalText {
        let heights: [TerminalText] = tips.map { "\($0.chain) at block \($0.height)" }
        return "\(events) new events; \(heights.joined(separator: ", "))"
    }

    /// A line for each node of which something else is wrong than before, or nothing any more.
    fileprivate func changes(since known: [NodeProblem]) -> [TerminalText] {
        let new = problems.filter { problem in
            !known.contains { $0.isSameNode(as: problem) && $0.code == problem.code }
        }
        let mended = known.filter { problem in
            !problems.contains { $0.isSameNode(as: problem) }
        }
        return new.map { "\($0.place): \($0.sentence)" }
            + mended.map { "\($0.place): the node answers again" }
    }
}

extension NodeProblem {
    fileprivate var place: String { "\(chain.rawValue) \(network.rawValue)" }

    fileprivate func isSameNode(as other: NodeProblem) -> Bool {
        chain == other.chain && network == other.network
    }
}
