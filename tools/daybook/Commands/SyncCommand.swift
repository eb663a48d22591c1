import Daybook
import DaybookCalls
import DaybookCommands
import DaybookSystem

extension Command {
    static let sync = Command(
        .sync,
        options: [
            Option("--follow", nil, "sync until interrupted, and show what changes"),
            Option("--interval", "SECONDS", "with --follow: how often to ask; default 5"),
        ]
    ) { invocation, store in
        let isFollowing = invocation.has("--follow")
        guard isFollowing || !invocation.has("--interval") else {
            throw CommandFailure.usage("--interval goes with --follow")
        }
        guard isFollowing else { return try await invocation.perform(.sync, on: store) }
        guard !invocation.has("--full") else {
            throw CommandFailure.usage("--full goes without --follow")
        }
        let interval = Int(clamping: try invocation.number("--interval") ?? 5)
        guard (1...3600).contains(interval) else {
            throw CommandFailure.usage("--interval takes 1 to 3600 seconds")
        }
        try await follow(store, every: interval, invocation.console)
        return .done
    }

    private static func follow(
        _ store: Store, every seconds: Int, _ console: Console
    ) async throws {
        try await StopSignals.cancelling {
            var known = SyncRound.Problems()
            try await store.follow(everySeconds: seconds, progress: ProgressLine.ofSync) { round in
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
