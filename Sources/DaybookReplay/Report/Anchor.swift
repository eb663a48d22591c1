import DaybookDomain
import DaybookEncoding

/// A place in the page: the only thing that a link can lead to.
enum Anchor: Equatable {
    case section(Section)
    case event(Position)
    /// Where an event's leaf hash stands, and its way to the root.
    case proof(Position)
    /// The root of the tree over all events.
    case root
    case request(RequestID)
    case wallet(WalletID)
    case session(SessionID)

    /// The parts of the page.
    enum Section: String, CaseIterable {
        case findings, summary, requests, balances, bindings, history, sessions, events

        /// What the part is called.
        var heading: String {
            switch self {
            case .findings: "Findings"
            case .summary: "Summary"
            case .requests: "Requests"
            case .balances: "Balances"
            case .bindings: "Who knows what"
            case .history: "History of the wallets"
            case .sessions: "Sessions"
            case .events: "Events and proof"
            }
        }
    }

    var id: String {
        switch self {
        case .section(let section): section.rawValue
        case .event(let position): "e\(position)"
        case .proof(let position): "p\(position)"
        case .root: "root"
        case .request(let id): "r\(id)"
        case .wallet(let id): "w\(id)"
        case .session(let id): "s\(id)"
        }
    }
}

/// A moment as a person reads it, in UTC.
enum Moment {
    /// `2026-01-31 23:59:59`.
    static func text(_ microseconds: UInt64) -> String {
        Timestamp.seconds(microseconds).dropLast().split(separator: "T").joined(separator: " ")
    }

    /// `2026-01-31`.
    static func day(_ microseconds: UInt64) -> String {
        String(Timestamp.seconds(microseconds).prefix { $0 != "T" })
    }

    /// `23:59:59`.
    static func clock(_ microseconds: UInt64) -> String {
        String(Timestamp.seconds(microseconds).dropLast().suffix(8))
    }
}
