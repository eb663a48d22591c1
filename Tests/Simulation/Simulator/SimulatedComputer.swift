import Daybook
import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookMigrations
import DaybookNodes
import TestSupport

/// A computer with several front ends, the chains around it, and its users: no time passes, no
/// byte is written and no number is drawn but by the script.
final class SimulatedComputer {
    let loop = Loop()
    let disk = Disk()
    let vault = Vault()
    let model = Model()
    let knobs: Knobs
    let plant: PlantedBug?
    let chainTables = MemoryTables()
    let chainStorage: SafeStorage
    let logID: Bytes
    var random: Seeded
    var now: UInt64 = 1_800_000_000_000_000
    var weather: [Chain: Weather] = [:]
    var isCalm = false
    /// The transactions that the networks will not take.
    var refused: Set<Bytes> = []
    /// The transactions that nodes have refused and kept, to send them later.
    var kept: [(chain: Chain, txid: Bytes, bytes: Bytes)] = []
    /// The requests that came to nothing, by their links: their users try again.
    var failed: [Bytes] = []
    var links: [RequestID: Bytes] = [:]
    /// The latest time that there ever was: chains do not go back with a computer's clock.
    private(set) var latest: UInt64 = 0
    /// The chains with a node that has lied.
    var liars: Set<Chain> = []
    var parked: [Parked] = []
    var frontEnds: [SimulatedFrontEnd] = []
    var processes = 0
    var wallets: [Wallet] = []
    var keys = 0
    /// Requests that front ends know of, the latest last, and the prompts that were shown.
    var known: [RequestID] = []
    var prompts: [RequestID: [PromptText]] = [:]
    var fundings: [Funding] = []
    var texts: [(text: Bytes, key: String?)] = []
    /// The wallet of each address that is ours, by its first address: ids change when a wallet
    /// goes and comes back.
    var owners: [String: String] = [:]
    var homes: [WalletID: String] = [:]
    var images: [Chain: MemoryRows] = [:]
    /// The spendable coins of the wallets of Dash and Axe at the last check.
    var available: [String: [UInt64]] = [:]
    var received = 0
    /// The send locks that were taken, by request.
    var sendLocks: [RequestID: SimulatedSendLock] = [:]
    /// The story in sentences, where somebody wants to read it.
    var story: [String] = []
    let isTold: Bool

    var coverage: PlaceCounts {
        get { model.coverage }
        set { model.coverage = newValue }
    }

    /// A call that waits for a node.
    struct Parked {
        let process: SimulatedProcess
        let resumption: UnsafeContinuation<Void, Never>
    }

    struct Funding {
        let chain: Chain
        let id: Bytes
        /// The wallet's first address.
        let home: String
        let asset: String
        let amount: UInt256
        /// The transactions sent on Dash and Axe.
        var bytes: Bytes = []
    }

    init(_ script: Scenario, plant: PlantedBug?, isTold: Bool) throws {
        knobs = script.knobs
        self.plant = plant
        self.isTold = isTold
        random = Seeded(script.seed)
        chainStorage = SafeStorage(chainTables)
        logID = SHA256.hash(Bytes("\(script.seed)".utf8)).prefix(16).map { $0 }
        disk.isLying = plant == .early
        model.freeGuesses = Settings().freeUnlockFailures
        disk.hears = { [unowned self] event in
            model.hears(event)
            tellLast()
        }
        let maker = SimulatedProcess(0, on: disk)
        try LogFolder.initialise(maker, id: logID)
        _ = try Migrations.migrate(maker)
        model.worth = { [unowned self] chain, outpoint in
            self.onChain(chain) { $0.output(outpoint)?.amount } ?? nil
        }
        for chain in Chain.allCases where flips() { weather[chain] = knobs.weather }
        // A payment that is locked at once can't be cancelled.
        if script.steps.contains(where: { $0.action == .remedy }) {
            for chain in [Chain.dash, .axe] { onChain(chain) { $0.switches.withholdsLocks = true } }
        }
        for number in 0..<knobs.frontEnds { frontEnds.append(SimulatedFrontEnd(number: number)) }
    }

    /// Lets go of everything that still runs.
    func end() {
        isCalm = true
        for frontEnd in frontEnds { frontEnd.process?.die() }
        while let waiting = parked.popLast() {
            waiting.resumption.resume()
            loop.drain()
        }
    }

    func tell(_ sentence: @autoclosure () -> String) {
        if isTold { story.append(sentence()) }
    }

    /// Tells the event that has just become durable.
    private func tellLast() {
        guard isTold, let event = model.records.last else { return }
        let request = event.request.map { " of \($0)" } ?? ""
        tell("    \(event.position)\(request) \(event.type) \(event.data.json.text())")
    }

    // MARK: - What nodes ask

    func below(_ limit: Int) -> Int { random.below(limit) }
    func flips() -> Bool { random.chance(50) }
    func pick<Value>(_ values: [Value]) -> Value { random.pick(values) }
    func bytes(_ count: Int) -> Bytes { (0..<count).map { _ in UInt8(random.below(256)) } }

    func draws(_ rate: KeyPath<Weather, Int>, _ chain: Chain) -> Bool {
        !isCalm && random.chance((weather[chain] ?? .fine)[keyPath: rate])
    }

    /// Waits until the script lets it go on, if the weather says so.
    nonisolated(nonsending) func delay(
        _ chain: Chain, _ process: SimulatedProcess, _ place: String
    ) async {
        guard !process.isDead, draws(\.delays, chain) else { return }
        coverage.mark("fault: a delay \(place)")
        await withUnsafeContinuation { parked.append(Parked(process: process, resumption: $0)) }
    }

    // MARK: - Chains

    /// Looks at or changes a Dash or Axe chain.
    @discardableResult
    func onChain<Value>(_ chain: Chain, _ body: (inout UTXOSandbox) throws -> Value) rethrows
        -> Value?
    {
        guard let parameters = UTXOParameters.of(chain, .sandbox), let rows = rows(of: chain)
        else { return nil }
        var sandbox = UTXOSandbox(rows, parameters)
        let value = try body(&sandbox)
        chainTables.commit()
        return value
    }

    /// Looks at or changes the ICON network.
    @discardableResult
    func onICON<Value>(_ body: (inout ICONSandbox) throws -> Value) rethrows -> Value? {
        guard let rows = rows(of: .icon) else { return nil }
        var sandbox = ICONSandbox(rows)
        let value = try body(&sandbox)
        chainTables.commit()
        return value
    }

    private func rows(of chain: Chain) -> StoredRows? {
        do {
            return try chainTables.table(chain.rawValue, create: true).map {
                StoredRows(chainTables, $0)
            }
        } catch {
            model.find("the chains' storage fails: \(error)")
            return nil
        }
    }

    /// A node sends what it had refused and kept.
    func sendKept(on chain: Chain) {
        latest = max(latest, now)
        for item in kept where item.chain == chain && !refused.contains(item.txid) {
            coverage.mark("fault: a node sends what it refused")
            if chain.rules.ledger == .accounts {
                guard let params = try? JSON.parse(item.bytes) else { continue }
                onICON { _ = $0.submit(params, at: latest) }
            } else {
                onChain(chain) { _ = $0.submit(item.bytes) }
            }
        }
        kept.removeAll { $0.chain == chain }
    }

    func mine(_ count: Int, on chain: Chain) {
        if chain.rules.ledger == .accounts {
            onICON { $0.mine(count, at: now) }
        } else {
            onChain(chain) { $0.mine(count, at: now) }
        }
    }
}

/// One front end: a program that may have died, and the store that it has open.
struct SimulatedFrontEnd {
    let number: Int
    var process: SimulatedProcess?
    var store: Store?
    var running = 0
}
