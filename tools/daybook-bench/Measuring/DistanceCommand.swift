import Daybook
import DaybookCommands
import DaybookEncoding
import Distance

extension Command {
    static let distance = Command(
        "distance", does: """
            count what a node that is 45 ms away is asked
            Round trips and calls of a first sync of 2 000 used addresses, of one with nothing new,
            of an approval, and of a sync after a reorganisation that lost 290 payments.
            """
    ) { invocation in
        let (_, first, idle) = try await Scenes.syncs(
            .dash, usedAddresses: 2000, latencyMilliseconds: latency)
        let approval = try await Scenes.approval(latencyMilliseconds: latency).cost
        let lost = try await Scenes.reorganisation(
            losing: payments, latencyMilliseconds: latency
        ).cost
        let all = [
            ("first", first), ("idle", idle), ("approve", approval), ("reorganisation", lost),
        ]
        try invocation.console.result(
            .record([
                "first": json(first), "idle": json(idle), "approve": json(approval),
                "reorganisation": json(lost), "payments": .int(payments),
            ]),
            all.map { name, cost -> TerminalText in
                "\(name): \(cost.trips) round trips, \(cost.calls) calls, \(cost.milliseconds) ms"
            }.joined(separator: "\n"))
        return .done
    }

    private static let latency: UInt32 = 45
    private static let payments = 290

    private static func json(_ cost: Cost) -> JSON {
        .record([
            "trips": .int(cost.trips), "calls": .int(cost.calls),
            "milliseconds": .int(cost.milliseconds),
        ])
    }
}
