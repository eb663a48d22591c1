/// The messages in a server's log for its operator.
///
/// The raw value is the message's stable code. No message names an address, an amount, a link, a
/// label or a node's URL: of personal data a line has the number of a request alone.
package enum OperatorMessage: String, CaseIterable, Sendable {
    case serverStarted, serverStopped, storeReadOnly
    case requestRefused, paymentFailed, paymentLost, walletLocked
    case chainUnavailable, chainAnswers, nodeFailed, nodeAnswers
    case witnessFailed
    case commitSlow, callFailed, logUnreadable
    case subscriberDropped, linesLost

    /// How urgent a message is, as syslog(3) numbers it.
    package enum Level: Int, Sendable {
        case error = 3
        case warning = 4
        case notice = 5

        package var name: String {
            switch self {
            case .error: "error"
            case .warning: "warning"
            case .notice: "notice"
            }
        }
    }

    package var level: Level {
        switch self {
        case .callFailed, .logUnreadable: .error
        case .storeReadOnly, .paymentFailed, .paymentLost, .walletLocked, .chainUnavailable,
            .nodeFailed, .witnessFailed, .commitSlow, .subscriberDropped, .linesLost:
            .warning
        case .serverStarted, .serverStopped, .requestRefused, .chainAnswers, .nodeAnswers: .notice
        }
    }

    /// The event, in one clause.
    package var text: String {
        switch self {
        case .serverStarted: "the server answers"
        case .serverStopped: "the server has stopped"
        case .storeReadOnly: "the store can only be read here"
        case .requestRefused: "a request was refused"
        case .paymentFailed: "a payment failed"
        case .paymentLost: "no node has a payment any more that was sent"
        case .walletLocked: "a wallet was locked after wrong passphrases"
        case .chainUnavailable: "a chain can't be read"
        case .chainAnswers: "a chain can be read again"
        case .nodeFailed: "a node failed"
        case .nodeAnswers: "a node that had failed answers"
        case .witnessFailed: "a witness has not cosigned a checkpoint"
        case .commitSlow: "a commit took a second or more"
        case .callFailed: "a call failed at the store"
        case .logUnreadable: "the log can't be read"
        case .subscriberDropped: "a subscriber read too slowly, and was dropped"
        case .linesLost: "lines of this log were not written, because nobody took them"
        }
    }

    /// The operator's remedy.
    package var advice: String {
        switch self {
        case .serverStarted: "none; several in a short time mean that the server is restarted"
        case .serverStopped: "if nobody stopped it"
        case .storeReadOnly: "if it should record: its files or their file system can't be written"
        case .requestRefused:
            "if there are many: block the sender by the setting `blockedSenders`; "
                + "`daybook requests --status refused` shows them"
        case .paymentFailed: "`daybook show N` says why"
        case .paymentLost: "`daybook show N`; tell the payee, and pay again if it is still wanted"
        case .walletLocked: "if it was not the user: somebody guesses at a passphrase"
        case .chainUnavailable: "if it lasts for ten minutes: `daybook node check`"
        case .chainAnswers, .nodeAnswers: "none"
        case .nodeFailed: "if it lasts, and no other node serves: `daybook node check`"
        case .witnessFailed: "if it repeats: `daybook witness list` says why"
        case .commitSlow: "if it repeats: the disk or the database is slow or full of work"
        case .callFailed: "always: the reason is a code such as `diskFull`; `daybook doctor`"
        case .logUnreadable: "always: `daybook doctor`, `daybook verify`"
        case .subscriberDropped: "if it repeats: a front end hangs"
        case .linesLost: "what reads standard error hangs"
        }
    }
}
