import DaybookChains
import DaybookEncoding

/// What a store that follows its chains knows from round to round: which nodes are due, and what
/// was wrong with them.
struct SyncWatch {
    /// How many rounds a node is left in peace at most.
    let longestPause: Int
    private var paces: [ChainID: Pace] = [:]
    private var problems: [NodeProblem] = []
    private var passedOver: [NodeProblem] = []
    /// Why payments were not taken when that was told last.
    private var told: [RequestID: String] = [:]

    init(longestPause: Int) {
        self.longestPause = max(longestPause, 1)
    }

    /// A node that answers is asked in every round; one that fails after two, four, eight.
    private struct Pace {
        var step = 1
        var pause = 0
    }

    /// Those of all places whose node is asked in the round that begins now.
    mutating func due(of places: [ChainID]) -> [ChainID] {
        places.filter { place in
            guard let pause = paces[place]?.pause, pause > 0 else { return true }
            paces[place]?.pause = pause - 1
            return false
        }
    }

    /// What is worth telling of a round in which these of all places were due; nil for nothing.
    mutating func news(in round: SyncRound, due: [ChainID], of places: [ChainID]) -> SyncRound? {
        for place in due {
            let hasFailed = round.problems.contains { $0.place == place }
            let step = hasFailed ? min((paces[place]?.step ?? 1) * 2, longestPause) : 1
            paces[place] = Pace(step: step, pause: step - 1)
        }
        let before = problems
        problems = places.compactMap { place in
            (due.contains(place) ? round.problems : before).first { $0.place == place }
        }
        let passedOverBefore = passedOver
        passedOver = passedOverBefore.filter { !due.contains($0.place) } + round.passedOver
        let isSame =
            problems.elementsEqual(before) { $0.place == $1.place && $0.code == $1.code }
            && passedOver.elementsEqual(passedOverBefore) { $0.url == $1.url && $0.code == $1.code }
        let payments = round.payments.filter { isNews($0) }
        if isSame, round.events == 0, payments.isEmpty { return nil }
        return SyncRound(
            events: round.events, problems: problems, passedOver: passedOver,
            isMoreLeft: round.isMoreLeft, payments: payments)
    }

    /// A payment that is not taken, for the same reason as before, is told once.
    private mutating func isNews(_ payment: PaymentNews) -> Bool {
        let reason = payment.kind == .notTaken ? payment.request.reason : nil
        defer { told[payment.request.id] = reason }
        return reason == nil || told[payment.request.id] != reason
    }
}
