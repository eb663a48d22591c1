import Daybook
import DaybookChains
import DaybookCommands
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookMigrations
import DaybookNodes
import DaybookReplay
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
        options: [
            Option("--seed", "S", "another log than that of seed 1"),
            Option("--a-day", "N", "receive N requests a day; else they follow each other"),
        ],
        changes: true
    ) { invocation in
        let events = try invocation.number(at: 1, "EVENTS")
        guard events > 0 else { throw CommandFailure.usage("a log has at least one event") }
        let path = invocation.arguments[0]
        let start = Clock.monotonicMicroseconds()
        var log = try await MadeLog(
            at: path, seed: try invocation.number("--seed") ?? 1,
            requestsADay: try invocation.number("--a-day"))
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

/// Generates a store with the events of made-up requests.
///
/// The engine really decides on every input, signatures are made and verified, and transactions
/// are checked by the sandbox's rules. It is fast because the sandbox's rows are in memory and
/// thousands of events share a commit.
struct MadeLog {
    private let path: String
    private let seed: UInt64
    private var world: GeneratedWorld

    /// The number of events in a commit and in a session.
    private static let commitEvents: UInt64 = 16_384
    private static let sessionEvents: UInt64 = 131_072
    private static let frontEnds = ["desktop", "terminal", "kiosk"]

    /// Creates the store with its wallets.
    init(at path: String, seed: UInt64, requestsADay: UInt64? = nil) async throws {
        self.path = path
        self.seed = seed
        world = try GeneratedWorld(seed: seed)
        world.requestsADay = requestsADay
        try Store.create(at: path)
        try Self.name(path, seed)
        var options = StoreOptions()
        options.acceptsClock = true
        options.clock = { GeneratedWorld.beginning }
        options.scrypt = Scrypt.Parameters(n: 16, r: 1, p: 1)
        let store = try Store(opening: path, frontEnd: Self.frontEnds[0], options: options)
        for seed in world.keys.seeds {
            var passphrase = Bytes(Keys.passphrase.utf8)
            _ = try await store.addWallet(
                Keys.source(seed), chain: try Self.name(of: seed.chain), label: seed.label,
                sealedBy: Passphrase(wiping: &passphrase))
        }
    }

    /// Fills the log with this many events, and a few more that complete the last requests.
    ///
    /// `progress` is called after every commit.
    mutating func fill(
        to events: UInt64, progress: (UInt64) throws -> Void
    ) throws -> UInt64 {
        let log = try Migrations.openLog(at: path + "/log")
        var count = try log.read { $0.count }
        var isFunded = false
        var sessions = 0
        while count < events {
            let end = min(count + Self.sessionEvents, events)
            let frontEnd = Self.frontEnds[sessions % Self.frontEnds.count]
            sessions += 1
            let session = count
            while count < end {
                (world, count) = try log.write { transaction in
                    // A commit may be repeated from the start.
                    var next = world
                    var scribe = Scribe(session: SessionID(session), frontEnd: frontEnd)
                    if transaction.count == session {
                        try scribe.begin(at: next.time, &transaction)
                    }
                    if !isFunded { try next.fund(&scribe, &transaction) }
                    let last = min(transaction.count + Self.commitEvents, end)
                    while transaction.count < last { try next.step(&scribe, &transaction) }
                    if let damage = transaction.state.damage { throw damage }
                    return (next, transaction.count)
                }
                isFunded = true
                try progress(count)
            }
        }
        return count
    }

    /// Copies the chains to the store's folder, so that the store can continue them.
    func keepChains() throws {
        let environment = try DaybookLMDB.Environment(path + "/sandbox")
        try Self.keep(world.icon.rows, "icon", environment)
        for (chain, sandbox) in world.utxo {
            try Self.keep(sandbox.rows, chain.rawValue, environment)
        }
    }

    private static func keep(
        _ rows: any Rows, _ name: String, _ environment: DaybookLMDB.Environment
    ) throws {
        var after: Bytes?
        while true {
            let page = rows.scan(prefix: [], after: after, limit: 10_000)
            guard let last = page.last else { return }
            try environment.write { view in
                guard let table = try view.table(name, create: true) else { return }
                var kept = StoredRows(view, table)
                for row in page { kept.set(row.key, row.value) }
                if let failure = kept.failure { throw failure }
            }
            after = last.key
        }
    }

    /// The log's id is derived from the seed, so that the same seed gives the same bytes.
    private static func name(_ path: String, _ seed: UInt64) throws {
        let id = Bytes(SHA256.hash(Bytes("daybook-bench \(seed)".utf8)).prefix(16))
        try Migrations.openLog(at: path + "/log").write { try $0.adopt(id) }
    }

    private static func name(of chain: DaybookChains.Chain) throws -> ChainName {
        guard let name = ChainName(rawValue: chain.rawValue) else {
            throw LogWriteError("'\(chain.rawValue)' is no chain")
        }
        return name
    }
}
