import Daybook
import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookNodes
import DaybookSystem

/// Measurements of a whole store.
extension Measurement {
    /// Opening a store and reading from it for the first time.
    static let open = Measurement(name: "open") { place in
        let start = Clock.monotonicMicroseconds()
        let store = try Store(opening: place.store, frontEnd: "daybook-bench", acceptsClock: true)
        _ = try await store.wallets()
        return Result(
            count: 1, nanoseconds: (Clock.monotonicMicroseconds() - start) * 1_000)
    }

    /// Payments from URL to delivered callback, one after another.
    static let lifecycle = Measurement(name: "lifecycle") { place in
        try await payments(in: place.folder + "/lifecycle", by: 1, place)
    }

    /// The same payments by eight front ends of one store at once.
    static let crowd = Measurement(name: "crowd") { place in
        try await payments(in: place.folder + "/crowd", by: 8, place)
    }

    /// Payments from a new wallet of a store that already has events.
    static let payments = Measurement(name: "payments") { place in
        let store = try open(place.store)
        let wallet = try await fundedWallet(in: store)
        let count = min(place.limit, paymentsPerBlock)
        let start = Clock.monotonicMicroseconds()
        for number in 0..<count { try await pay(number, from: wallet, in: store) }
        return Result(
            count: count, nanoseconds: (Clock.monotonicMicroseconds() - start) * 1_000)
    }

    /// The number of payments from each wallet per block: nodes accept chains of 25 transactions.
    private static let paymentsPerBlock = 20
    static let payee = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"

    private static func payments(
        in path: String, by frontEnds: Int, _ place: Place
    ) async throws -> Result {
        let rounds = try await rounds(
            min(5, place.limit / (frontEnds * paymentsPerBlock)), of: frontEnds, in: path)
        if place.writesInputs {
            let commits = try commits(in: path, during: rounds.times)
            try Inputs.write(commits: commits, to: path + ".commits")
            try Inputs.write(Inputs(of: path).signatures, to: path + ".signatures")
        }
        return Result(
            count: rounds.times.count * frontEnds * paymentsPerBlock,
            nanoseconds: rounds.times.reduce(0) { $0 + $1.upperBound - $1.lowerBound } * 1_000,
            chain: rounds.chain * 1_000)
    }

    /// Rounds of payments, each before a block.
    private struct Rounds {
        /// When each began and ended, in microseconds since 1970.
        var times: [Range<UInt64>] = []
        /// The microseconds of these in which the embedded chain was asked something.
        var chain: UInt64 = 0
    }

    /// Creates a store and pays from it.
    private static func rounds(
        _ count: Int, of frontEnds: Int, in path: String
    ) async throws -> Rounds {
        try Store.create(at: path)
        let asked = Monitor(AskedTime())
        let store = try open(path, asked)
        var wallets: [WalletID] = []
        for _ in 0..<frontEnds { wallets.append(try await fundedWallet(in: store)) }
        var rounds = Rounds()
        for round in 0..<count {
            let (start, before) = (Clock.nowMicroseconds(), asked.change { $0.microseconds })
            try await withThrowingTaskGroup(of: Void.self) { group in
                for wallet in wallets {
                    group.addTask {
                        for number in 0..<paymentsPerBlock {
                            try await pay(round * 100 + number, from: wallet, in: store)
                        }
                    }
                }
                try await group.waitForAll()
            }
            rounds.times.append(start..<Clock.nowMicroseconds())
            rounds.chain += asked.change { $0.microseconds } - before
            try await store.mine()
        }
        return rounds
    }

    private static func open(
        _ path: String, _ asked: Monitor<AskedTime> = Monitor(AskedTime())
    ) throws -> Store {
        var options = StoreOptions()
        // Generated logs have their own times.
        options.acceptsClock = true
        options.scrypt = Scrypt.Parameters(n: 16, r: 1, p: 1)
        var parts = StoreParts(at: path, sealing: options.scrypt)
        parts.client = { _, _, embedded in TimedNode(embedded: embedded, asked: asked) }
        return try Store(parts, at: path, frontEnd: "daybook-bench", options: options)
    }

    /// A new wallet of a single key, which needs no derivation, unlocked for all payments.
    static func fundedWallet(in store: Store) async throws -> WalletID {
        let number = 10 + (try await store.wallets().count)
        var digits = Bytes("\(String(repeating: "0", count: 62))\(number)".utf8)
        let added = try await store.addWallet(
            .hexKey(Passphrase(wiping: &digits)), chain: .dash, sealedBy: secret)
        let id = added.wallet.id
        _ = try await store.fundFromFaucet(id, amount: 100_000_000_000)
        try await store.unlock(id, with: secret, seconds: 86_400, limit: 100_000_000_000)
        return id
    }

    /// The first event of each of the four commits that a payment needs.
    private static let points = [
        RequestReceived.type, DecisionMade.type, BroadcastAnswered.type, CallbackDelivered.type,
    ]

    /// The events of these times, grouped by the commits that payments need, one after another.
    ///
    /// The changes by the scan after a sending belong to the commit of the node's answer: a commit
    /// of their own protects nothing.
    private static func commits(
        in path: String, during rounds: [Range<UInt64>]
    ) throws -> [[Bytes]] {
        let log = try EventLog(readingAt: path + "/log")
        var commits: [[Bytes]] = []
        for record in try log.read({ try $0.records(from: 0, limit: .max) })
        where rounds.contains(where: { $0.contains(record.time) }) {
            if commits.isEmpty || points.contains(record.type) { commits.append([]) }
            commits[commits.count - 1].append(record.bytes)
        }
        return commits
    }

    static var secret: Passphrase {
        var bytes = Bytes("daybook-bench".utf8)
        return Passphrase(wiping: &bytes)
    }

    private static func pay(_ number: Int, from wallet: WalletID, in store: Store) async throws {
        // A prompt warns of the same payment at once, and of senders with similar names.
        let sender = String(
            decoding: (0..<6).map { UInt8(0x61 + (wallet.number * (2 * $0 + 1) + $0 * $0) % 26) },
            as: UTF8.self)
        let amount = "0.0\(1000 + number)\(10 + wallet.number % 90)"
        let request = try await store.receive(
            "dashwallet://pay=\(payee)&amount=\(amount)&sender=\(sender)")
        let shown = try await store.prompt(for: request.id, wallet: wallet)
        let paid = try await store.approve(
            request.id, shown: shown, wallet: wallet, unlockedBy: nil)
        guard paid.callback != nil else { throw LogWriteError("a payment was not made") }
        _ = try await store.delivered(request.id)
    }
}

/// The time in which at least one call of a node is under way.
private struct AskedTime {
    private(set) var microseconds: UInt64 = 0
    private var calls = 0
    private var since: UInt64 = 0

    mutating func begin() {
        if calls == 0 { since = Clock.monotonicMicroseconds() }
        calls += 1
    }

    mutating func end() {
        calls -= 1
        if calls == 0 { microseconds += Clock.monotonicMicroseconds() - since }
    }
}

/// The embedded chain as a node whose calls are timed.
private struct TimedNode: ChainClient {
    let embedded: any ChainClient
    let asked: Monitor<AskedTime>

    func observe(
        _ query: ChainQuery, progress: ChainProgress?
    ) async throws(ChainFailure) -> ChainSnapshot {
        asked.change { $0.begin() }
        defer { asked.change { $0.end() } }
        return try await embedded.observe(query, progress: progress)
    }

    func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes] {
        asked.change { $0.begin() }
        defer { asked.change { $0.end() } }
        return try await embedded.transactions(ids)
    }

    func times(
        of blocks: [NamedBlock], below tip: ChainQuery.Tip
    ) async throws(ChainFailure) -> BlockTimes {
        asked.change { $0.begin() }
        defer { asked.change { $0.end() } }
        return try await embedded.times(of: blocks, below: tip)
    }

    func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
        asked.change { $0.begin() }
        defer { asked.change { $0.end() } }
        return await embedded.broadcast(bytes, txid: txid)
    }
}
