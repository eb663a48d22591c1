/// A metric of a server, in the order in which Prometheus is given them.
///
/// The raw value is its name there. Metrics whose names end with `total` count from the start of
/// the server.
package enum Metric: String, CaseIterable, Sendable {
    case info = "daybook_info"
    case start = "daybook_start_timestamp_seconds"
    case requests = "daybook_requests_total"
    case refusals = "daybook_refusals_total"
    case pending = "daybook_requests_pending"
    case inFlight = "daybook_payments_in_flight"
    case commitTimes = "daybook_commit_duration_seconds"
    case failedCommits = "daybook_commits_failed_total"
    case failedCalls = "daybook_calls_failed_total"
    case chainUp = "daybook_chain_up"
    case chainHeight = "daybook_chain_height"
    case nodeUp = "daybook_node_up"
    case nodeHeight = "daybook_node_height"
    case nodeAnswered = "daybook_node_answer_timestamp_seconds"
    case subscribers = "daybook_subscribers"
    case droppedSubscribers = "daybook_subscribers_dropped_total"
    case lockouts = "daybook_lockouts_total"
    case lockedWallets = "daybook_wallets_locked"
    case events = "daybook_log_events"
    case checkpointEvents = "daybook_checkpoint_events"
    case checkpointTime = "daybook_checkpoint_timestamp_seconds"
    case bytes = "daybook_store_bytes"
    case openLogs = "daybook_logs_open"
    case lostLines = "daybook_log_lines_lost_total"

    /// The type of a metric for Prometheus.
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    package var kind: Kind {
        switch self {
        case .requests, .refusals, .failedCommits, .failedCalls, .droppedSubscribers, .lockouts,
            .lostLines:
            .counter
        case .commitTimes: .histogram
        case .info, .start, .pending, .inFlight, .chainUp, .chainHeight, .nodeUp, .nodeHeight,
            .nodeAnswered, .subscribers, .lockedWallets, .events, .checkpointEvents,
            .checkpointTime, .bytes, .openLogs:
            .gauge
        }
    }

    /// Its meaning, in one sentence without its full stop.
    package var help: String {
        switch self {
        case .info: "1, with the version of the program and its rules"
        case .start: "When the server began"
        case .requests: "Requests by what their events say of them; a payment is signed and sent"
        case .refusals: "Refused requests by their codes"
        case .pending: "Requests that wait for their user"
        case .inFlight: "Payments that are signed, and in no block"
        case .commitTimes: "How long a commit took, with the wait for its turn"
        case .failedCommits: "Commits that failed at the disk or the database"
        case .failedCalls: "Calls that the store made fail, by their codes"
        case .chainUp: "Whether the last scan of a chain succeeded"
        case .chainHeight: "The height of a chain at its last scan"
        case .nodeUp: "Whether a node answered when it was asked last; nodes by their order"
        case .nodeHeight: "The height that a node told last"
        case .nodeAnswered: "When a node answered last"
        case .subscribers: "Subscriptions to changes that are open"
        case .droppedSubscribers: "Subscriptions that ended because their readers were slow"
        case .lockouts: "How often a wallet was locked after wrong passphrases"
        case .lockedWallets: "Wallets that are locked now"
        case .events: "Events in the log; the next one's position"
        case .checkpointEvents: "Events that the last checkpoint covers"
        case .checkpointTime: "When the last checkpoint was made"
        case .bytes: "The size of the log and of what is derived from it"
        case .openLogs: "With --logs: logs that are open"
        case .lostLines: "Lines of the server's log that were not written"
        }
    }

    /// When an operator should look; empty if never for this alone.
    package var alert: String {
        switch self {
        case .info, .requests, .pending, .subscribers, .lockedWallets, .events, .chainHeight,
            .nodeHeight, .openLogs:
            ""
        case .start: "changed three times in an hour: the server is restarted"
        case .refusals: "more than 10 a minute: somebody floods the store with links"
        case .inFlight: "above 0 for an hour: `daybook pending`"
        case .commitTimes: "a tenth take longer than 1 second: the disk or the database is slow"
        case .failedCommits, .failedCalls: "any: `daybook doctor`"
        case .chainUp: "0 for ten minutes: `daybook node check`"
        case .nodeUp: "0 for ten minutes: `daybook node check`"
        case .nodeAnswered: "an hour ago, where fronts call `sync`: nobody asks, or no answer"
        case .droppedSubscribers: "any in an hour: a front end hangs"
        case .lockouts: "any that the user does not know of: somebody guesses"
        case .checkpointEvents, .checkpointTime: "older than your plan: `daybook checkpoint`"
        case .bytes: "less free space on the disk than this"
        case .lostLines: "any: what reads standard error hangs"
        }
    }
}
