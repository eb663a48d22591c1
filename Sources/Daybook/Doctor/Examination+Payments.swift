import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay

/// Payments that hold coins back, and those that came to nothing after their caller was told.
extension Examination {
    /// So many payments are named one by one.
    private static let mostNamed = 20

    func payments(_ log: LogSnapshot) throws -> [StoreFinding] {
        let state = log.state
        let ids = state.inFlight()
        var findings = try ids.prefix(Self.mostNamed).compactMap { id in
            try state.request(id).flatMap { try finding(id, $0, state, log) }
        }
        if ids.count > Self.mostNamed {
            findings.append(
                StoreFinding(
                    "payments", .warning,
                    "\(ids.count - Self.mostNamed) more payments are in flight",
                    advice: "see them with daybook pending"))
        }
        findings += lost(state)
        return findings.isEmpty
            ? [StoreFinding("payments", .ok, "none is in flight for want of a node")] : findings
    }

    /// What is said of a payment that no node has, or that can't end by itself.
    private func finding(
        _ id: RequestID, _ row: RequestRow, _ state: State, _ log: LogSnapshot
    ) throws -> StoreFinding? {
        let course = try log.course(of: id)
        let reason = course.reason
        if let standstill = state.standstill(of: id, row) {
            return StoreFinding(
                "payments", .warning,
                "request \(id) can't end: \(standstill.sentence)\(held(by: id, row, state))",
                advice: standstill.advice(for: id))
        }
        guard row.status == .signed || reason != nil else { return nil }
        let said = reason ?? .noAnswer
        return StoreFinding(
            "payments", .warning,
            "request \(id) is \(row.status == .signed ? "signed" : "sent"), and no node "
                + (reason == nil ? "has answered yet" : "has it now: \(said.sentence)")
                + held(by: id, row, state),
            advice: said.advice(for: id, on: row.request?.chain))
    }

    private func held(by id: RequestID, _ row: RequestRow, _ state: State) -> String {
        let amounts = state.heldAmounts(by: id, row).map(\.text)
        return amounts.isEmpty ? "" : "; it holds back " + amounts.joined(separator: " and ")
    }

    /// Payments of which the network had been told, and that no block will have.
    private func lost(_ state: State) -> [StoreFinding] {
        var ids: [RequestID] = []
        var lastLoss: PaymentLoss?
        // One row at a time: a log may have millions of requests.
        state.requests.walk { id, row in
            if let loss = state.loss(of: row) {
                ids = ids.suffix(Self.mostNamed - 1) + [id]
                lastLoss = loss
            }
            return true
        }
        guard let lastLoss else { return [] }
        let named = ids.map { "\($0)" }.joined(separator: ", ")
        return [
            StoreFinding(
                "payments", .warning,
                "not paid after all, although they counted as paid: requests \(named); of the last "
                    + "one \(lastLoss.sentence)", advice: lastLoss.advice)
        ]
    }
}
