import DaybookDomain
package import DaybookEncoding
import DaybookLog

/// What a log comes down to: all that a page says before and after its long lists.
package struct Survey {
    let logID: Bytes
    /// The tree over all events.
    var head: TreeHead
    /// The state after the last event.
    var state: State
    /// When the first and the last event happened.
    var times: ClosedRange<UInt64>?
    var sessions: [SessionSurvey] = []
    /// How many events there are.
    package var events: UInt64 { head.size }
    /// The root of the tree over all events.
    package var root: Bytes { head.root.bytes }
    /// How many requests have come.
    package var requestCount: Int { lastEvents.count }
    /// How many payments counted as paid and are not.
    package var lostCount: Int { lost.count }
    /// For each request, by its id, the last event that belongs to it.
    var lastEvents: [RequestID: Position] = [:]
    /// What was approved, by the decision, where it is not what was first offered.
    var prompts: [Position: Prompt] = [:]
    /// For each request that told its caller something, the event by which.
    var grants: [RequestID: Position] = [:]
    /// Payments that counted as paid and are not, by request: the event by which, and why.
    var lost: [RequestID: (position: Position, loss: PaymentLoss)] = [:]
    /// What moved, by wallet.
    var movements: [WalletID: [WalletMovement]] = [:]
    var balances: [BalanceSeries] = []

    /// A session, and what belongs to it.
    struct SessionSurvey {
        let id: SessionID
        let started: SessionStarted
        let begins: UInt64
        var lastEvent: UInt64
        var events: UInt64 = 0
        var requests: UInt64 = 0
    }

    /// What one event moved in a wallet.
    struct WalletMovement {
        let position: Position
        let time: UInt64
        let movement: BookEntry.Movement
    }

    /// Whether the page tells a request's story.
    func tells(_ request: RequestID) -> Bool { lastEvents[request] != nil }
}
