import DaybookEncoding

/// A target of the links within the page; no link leads anywhere else.
enum Anchor: Equatable {
    case section(Section)
    case event(Position)
    /// An event's leaf hash, which opens its inclusion proof.
    case proof(Position)
    /// The root of the tree over all events.
    case root
    case request(RequestID)
    case wallet(WalletID)
    case session(SessionID)

    /// A section of the page.
    enum Section: String, CaseIterable {
        case findings, summary, requests, balances, bindings, history, sessions, events

        /// The section's title.
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
