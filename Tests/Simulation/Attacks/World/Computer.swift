import Daybook
import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookMigrations
import DaybookNodes
import DaybookReplay
import DaybookSigner
import DaybookSystem
import Simulator
import Synchronization
import TestSupport

/// A user's computer: the log in memory, the sealed keys in a folder, and the chains around it.
///
/// The attacker may alter everything but the sealed keys and what chains really hold.
final class Computer: Sendable {
    /// The log's tables; a store and its trial use them one after the other.
    nonisolated(unsafe) let log = MemoryTables()
    /// The tables derived from the log.
    nonisolated(unsafe) let derived = MemoryTables()
    let chains: Chains
    /// The store's folder, in which only `keys/` is of use.
    let folder: String
    let now: Mutex<UInt64>
    /// The last transaction that the rules prepared, for the controls.
    let lastPrepared = Mutex<(chain: Chain, data: CBOR)?>(nil)
    /// The ways to two nodes of each chain, which have the same chain.
    let wires: [Wire]

    /// The way to the only node, or to the first of two.
    var wire: Wire { wires[0] }

    static let start: UInt64 = 1_800_000_000_000_000
    static let passphrase = "correct horse battery"

    /// All that changes, at one moment.
    struct Moment: Sendable {
        var log: MemoryTables.Image
        var derived = MemoryTables().image
        var chains: Chains.Image
        var now: UInt64
    }

    init(_ network: Network, folder: String) {
        chains = Chains(network)
        self.folder = folder
        now = Mutex(Self.start)
        wires = [Wire(chains), Wire(chains)]
    }

    var moment: Moment {
        get {
            Moment(
                log: log.image, derived: derived.image, chains: chains.image,
                now: now.withLock { $0 })
        }
        set {
            log.image = newValue.log
            derived.image = newValue.derived
            chains.image = newValue.chains
            now.withLock { $0 = newValue.now }
        }
    }

    /// The tables of a log without events.
    static func emptyLog(_ id: Bytes) throws -> MemoryTables.Image {
        let tables = MemoryTables()
        try LogFolder.initialise(SafeStorage(tables), id: id)
        _ = try Migrations.migrate(SafeStorage(tables))
        return tables.image
    }

    /// Puts another log in the place of this one; what follows from it is made again.
    func replaceLog(by image: MemoryTables.Image) {
        log.image = image
        derived.image = MemoryTables().image
    }

    func openLog() throws -> EventLog {
        try EventLog(
            in: SafeStorage(log), derived: SafeStorage(derived))
    }

    /// The state's rows.
    func stateRows() throws -> [Row] {
        try openLog().read { $0.state.rows.scan(prefix: [], after: nil, limit: .max) }
    }

    func wait(seconds: UInt64) { now.withLock { $0 += seconds * 1_000_000 } }

    /// Opens the store as a front end's process does.
    func open(nodes: Int = 1) throws -> Store {
        let log = SafeStorage(log)
        let derived = SafeStorage(derived)
        let sandbox = SafeStorage(chains.tables)
        let scrypt = Scrypt.Parameters.cheap
        var parts = StoreParts(
            log: { try EventLog(in: log, derived: derived) },
            sandbox: { sandbox },
            keystore: Keystore(folder: folder + "/keys", parameters: scrypt),
            sendLock: { _ in FreeSendLock() }, settings: { Settings() })
        parts.decide = { [self] state, input in
            let outcomes = StoreParts.decide(state, input)
            note(outcomes ?? [], state)
            return outcomes
        }
        let clock: @Sendable () -> UInt64 = { [self] in
            now.withLock { $0 += 1000; return $0 }
        }
        if chains.network != .sandbox {
            let groups = Mutex<[Chain: NodeGroup]>([:])
            parts.client = { [self] chain, network, _ in
                groups.withLock { groups in
                    if let group = groups[chain] { return group }
                    let clients = wires.prefix(nodes).map { $0.client(chain, network, clock) }
                    let group = NodeGroup(of: chain, network, clients, clock: clock)
                    groups[chain] = group
                    return group
                }
            }
        }
        var options = StoreOptions()
        options.clock = clock
        options.run = { work in work()() }
        options.pause = { [self] seconds in wait(seconds: UInt64(seconds)) }
        options.scrypt = scrypt
        return try Store(parts, at: folder, frontEnd: "attacks", options: options)
    }

    private func note(_ outcomes: [Outcome], _ state: State) {
        for case .transactionPrepared(let data) in outcomes.map(\.payload) {
            guard let chain = state.wallet(data.wallet)?.wallet.chain else { continue }
            lastPrepared.withLock { $0 = (chain, EncodedCBOR(data.encoded(), at: 0).value) }
        }
    }

    /// The log's events from a position on.
    func records(from position: UInt64 = 0) throws -> [EventRecord] {
        try openLog().read { try $0.records(from: position, limit: .max) }
    }

    static func secret(_ text: String) -> Passphrase {
        var bytes = Array(text.utf8)
        return Passphrase(wiping: &bytes)
    }
}

/// A lock that is always free, because no other task sends.
final class FreeSendLock: SendLock {
    func end() {}
}
