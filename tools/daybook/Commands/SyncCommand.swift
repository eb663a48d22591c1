import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let sync = Command(
        "sync", does: """
            ask the nodes for changes and record them
            All chains are asked, also if the nodes of one fail. Then the changes and the problems
            are shown, and the status is 5 if there is a problem. About once a day everything that
            is recorded is compared with the nodes, and corrected where a node had left something
            out or invented it; `--full` does so now.
            """,
        options: [
            Option("--full", nil, "compare everything that is recorded with the nodes"),
            Option("--follow", nil, "sync until interrupted, and show what changes"),
            Option("--interval", "SECONDS", "with --follow: how often to ask; default 5"),
        ]
    ) { invocation, store in
        let isFollowing = invocation.has("--follow")
        guard isFollowing || !invocation.has("--interval") else {
            throw CommandFailure.usage("--interval goes with --follow")
        }
        guard !isFollowing || !invocation.has("--full") else {
            throw CommandFailure.usage("--full goes without --follow")
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
        let round = try await store.syncReachable(
            full: invocation.has("--full"), progress: ProgressLine.ofSync)
        let tips = try await store.tips()
        ProgressLine.clear()
        try invocation.console.result(
            round.json(tips),
            (["\(round.events) new events"]
                + tips.map { "\($0.chain) is at block \($0.height)" }
                + round.payments.map(\.text) + round.differenceLines
                + (round.isMoreLeft ? ["there is more to ask about: sync again"] : []))
                .joined(separator: "\n"))
        for line in round.asides { try invocation.console.note(line) }
        if let failure = round.failure { throw failure }
        return .done
    }

    private static func follow(
        _ store: Store, every seconds: Int, _ console: Console
    ) async throws {
        try await StopSignals.cancelling {
            var known = SyncRound.Problems()
            try await store.follow(every: seconds, progress: ProgressLine.ofSync) { round in
                ProgressLine.clear()
                let tips = try await store.tips()
                if console.isJSON {
                    try console.result(round.followedJSON(tips), "")
                } else {
                    if round.events > 0 { try console.text(round.text(tips)) }
                    for payment in round.payments { try console.text(payment.text) }
                    for line in round.corrections { try console.text(line) }
                    for line in round.changes(since: known) { try console.note(line) }
                }
                known = round.allProblems
            }
        }
        ProgressLine.clear()
    }
}

extension SyncRound {
    fileprivate func text(_ tips: [ChainTip]) -> TerminalText {
        let heights: [TerminalText] = tips.map { "\($0.chain) at block \($0.height)" }
        return "\(events) new events; \(heights.joined(separator: ", "))"
    }

    /// What a comparison of everything has found; no lines if there was none.
    fileprivate var differenceLines: [TerminalText] {
        guard let differences else { return [] }
        return differences.isEmpty
            ? ["everything that is recorded agrees with the nodes"] : corrections
    }

    /// A line for each recorded fact that was corrected.
    fileprivate var corrections: [TerminalText] {
        (differences ?? []).map { difference in
            "\(difference.chain.rawValue) \(difference.network.rawValue): corrected: of "
                + "\(Text.escaped(difference.sentence))"
        }
    }

    /// The problems of nodes: of chains without an answer, and of nodes that others served for.
    struct Problems {
        fileprivate var problems: [NodeProblem] = []
        fileprivate var passedOver: [NodeProblem] = []
        fileprivate var setAside: [SetAsidePart] = []
    }

    fileprivate var allProblems: Problems {
        Problems(problems: problems, passedOver: passedOver, setAside: setAside)
    }

    /// A line for each problem, except the first, which the command's failure reports.
    fileprivate var asides: [TerminalText] {
        changes(since: Problems(problems: Array(problems.prefix(1))))
    }

    /// A line for each problem that is new, and for each that was solved.
    fileprivate func changes(since known: Problems) -> [TerminalText] {
        let new = problems.filter { problem in
            !known.problems.contains { $0.isSameNode(as: problem) && $0.code == problem.code }
        }
        let newlyPassedOver = passedOver.filter { problem in
            !known.passedOver.contains { $0.url == problem.url && $0.code == problem.code }
        }
        let solved = known.problems.filter { problem in
            !problems.contains { $0.isSameNode(as: problem) }
        }
        return new.map { "\($0.place): \($0.sentence)" }
            + newlyPassedOver.map(\.passedOverText)
            + setAside.filter { !known.setAside.contains($0) }.map(\.text)
            + solved.map { "\($0.place): the node answers again" }
    }
}

extension SetAsidePart {
    fileprivate var text: TerminalText {
        "\(chain.rawValue) \(network.rawValue): \(Text.escaped(sentence))"
    }
}

extension NodeProblem {
    /// The message that another node of the chain is asked instead, and why.
    var passedOverText: TerminalText {
        "\(place): passed over \(Text.escaped(url ?? "")): \(sentence)"
    }

    fileprivate var place: String { "\(chain.rawValue) \(network.rawValue)" }

    fileprivate func isSameNode(as other: NodeProblem) -> Bool {
        chain == other.chain && network == other.network
    }
}
