import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem
import Distance

extension Command {
    static let measure = Command(
        "measure", "NAME STORE DIR", count: 3...3, does: """
            do one kind of work and say how long it took
            STORE was made by `log`; DIR is a folder with what `inputs` wrote, where the work may
            leave files. Each run prints how much was done in how many nanoseconds, and of what
            waits for a disk the 99th percentile. NAME is one of
            \(Measurement.all.map(\.name).joined(separator: ", ")).
            """,
        options: [
            Option("--limit", "N", "do it N times at most"),
            Option("--inputs", nil, "write what a baseline needs to do the same into DIR"),
        ],
        changes: true
    ) { invocation in
        let name = invocation.arguments[0]
        guard let chosen = Measurement.all.first(where: { Text.equal($0.name, name) }) else {
            throw CommandFailure.usage("there is no measurement '\(CommandFailure.quoted(name))'")
        }
        let place = Measurement.Place(
            store: invocation.arguments[1], folder: invocation.arguments[2],
            limit: Int(clamping: try invocation.number("--limit") ?? .max),
            writesInputs: invocation.has("--inputs"))
        let result = try await chosen.run(place)
        try invocation.console.result(
            .record([
                "count": .int(result.count), "nanoseconds": .int(result.nanoseconds),
                "p99": result.p99.map { .int($0) },
                "chain": result.chain.map { .int($0) },
            ]),
            "\(result.count) \(result.nanoseconds)" + (result.p99.map { " \($0)" } ?? ""))
        return .done
    }

    static let inputs = Command(
        "inputs", "STORE DIR", count: 2...2,
        does: "write a store's events, links and signatures for the baselines", changes: true
    ) { invocation in
        let made = try Inputs(of: invocation.arguments[0])
        try made.write(to: invocation.arguments[1])
        try invocation.console.result(
            .record([
                "events": .int(made.events.count), "links": .int(made.links.count),
                "signatures": .int(made.signatures.count),
                "bytes": .int(made.events.reduce(0) { $0 + $1.count }),
            ]),
            "\(made.events.count) events, \(made.signatures.count) signatures")
        return .done
    }
}

/// One kind of measured work.
struct Measurement: Sendable {
    /// The input of the work, and a folder for its files.
    struct Place {
        let store: String
        let folder: String
        /// The maximum number of repetitions.
        let limit: Int
        /// Whether the baseline's input is written: no part of the work, and read of its log.
        let writesInputs: Bool
    }

    /// The amount of work and its time.
    struct Result {
        let count: Int
        let nanoseconds: UInt64
        /// The 99th percentile in nanoseconds, if each repetition was timed.
        var p99: UInt64?
        /// The nanoseconds in which the embedded chain was asked, of payments.
        var chain: UInt64?
    }

    let name: String
    let run: @Sendable (Place) async throws -> Result

    static let all = [
        append, batch, largeBatch, rebuild, lifecycle, crowd, payments, recording, recordingSilent,
        links, decode, read, encode, verify, fold, replay, proof, open, calls, cosignatures,
    ]

    /// Times `body`, which does `count` units of work.
    static func time(_ count: Int, _ body: () throws -> Void) rethrows -> Result {
        let start = Clock.monotonicMicroseconds()
        try body()
        return Result(
            count: count, nanoseconds: (Clock.monotonicMicroseconds() - start) * 1_000)
    }

    /// Times each call of `body`.
    static func time<Thing>(each things: [Thing], _ body: (Thing) throws -> Void) rethrows
        -> Result
    {
        var times: [UInt64] = []
        for thing in things { times.append(try time(1) { try body(thing) }.nanoseconds) }
        times.sort()
        return Result(
            count: times.count, nanoseconds: times.reduce(0, +),
            p99: times.isEmpty ? nil : times[(times.count - 1) * 99 / 100])
    }
}

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
