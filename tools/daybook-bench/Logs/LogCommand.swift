import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let log = Command(
        "log", "DIR EVENTS", count: 2...2, does: """
            make a store with a log of so many events
            The lives of requests are real: each link is read, judged by the engine, shown,
            decided, signed, taken by an in-memory sandbox and answered. Three sessions' front
            ends, five wallets (two Dash, one Axe, two ICON), eight callers. Of 100 requests:
              24 Dash payments, 10 Axe payments      12 ICX and token transfers, 4 ICON signatures
              8 addresses, 4 public keys, 4 binds    34 links that are refused
            Of those that reach their user 10 % expire, 67 % are approved, 23 % rejected; 95 % of
            the callbacks are delivered. A block comes after eight transactions, or a minute.
            The same seed makes the same events. All wallets have the passphrase daybook-bench.
            """,
        options: [Option("--seed", "S", "another log than that of seed 1")],
        changes: true
    ) { invocation in
        let events = try invocation.number(at: 1, "EVENTS")
        guard events > 0 else { throw CommandFailure.usage("a log has at least one event") }
        let path = invocation.arguments[0]
        let start = Clock.monotonicMicroseconds()
        var log = try await MadeLog(at: path, seed: try invocation.number("--seed") ?? 1)
        let isShown = Terminal.isTerminal(2)
        let made = try log.fill(to: events) { count in
            guard isShown else { return }
            try StandardStreams.write("\r\(count) of \(events) events", to: .error)
        }
        try log.keepChains()
        let microseconds = max(Clock.monotonicMicroseconds() - start, 1)
        let rate = made * 1_000_000 / microseconds
        try invocation.console.result(
            .record([
                "events": .int(made), "seconds": .int(microseconds / 1_000_000),
                "eventsPerSecond": .int(rate), "home": .string(path),
            ]),
            "\(made) events in \(microseconds / 1000) ms: \(rate) a second")
        return .done
    }
}
