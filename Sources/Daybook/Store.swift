package import DaybookChains
package import DaybookCrypto
package import DaybookDomain
import DaybookEncoding
package import DaybookLMDB
import DaybookLinks
package import DaybookLog
package import DaybookNodes
import DaybookPostgres
import DaybookReplay
package import DaybookSigner
package import DaybookSystem

/// A wallet backend in a folder: receives other apps' links, asks, signs, sends, answers.
///
/// For example, the life of one request:
///
///     let store = try Store(opening: path, frontEnd: "my-app")
///     let request = try await store.receive("dashwallet://pay=…&amount=1.5&sender=shop")
///     if let prompt = request.prompt {                    // show all of it
///         let done = try await store.approve(
///             request.id, shown: prompt, unlockedBy: passphrase)
///         if let url = done.callback {
///             open(url)                                   // and say so when it is open
///             try await store.delivered(done.id)
///         }
///     }
///
/// Everything that a call reports is durable when it returns. A crash between two steps loses
/// nothing: the next call continues the remaining work, with the same transaction and the same
/// callback. Several processes may use one folder at once. Calls throw `DaybookError` and nothing
/// else, so that `catch` needs no cast.
public actor Store {
    /// Where the store's calls run.
    ///
    /// With a log in a database that is a thread of the store's own, because calls wait for the
    /// database: no task of the program has to wait with them. Otherwise it is as in any actor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        if let thread { return unsafe thread.asUnownedSerialExecutor() }
        return unsafe isolation.unownedExecutor
    }

    private nonisolated let thread: ActorThread?
    private nonisolated let isolation = Isolation()

    /// An actor like any other, of which a store takes the place to run.
    private actor Isolation {}

    /// The path of the store's folder.
    public nonisolated let path: String
    let journal: Journal
    /// The log, which all threads share.
    nonisolated let log: EventLog
    /// Computes the outcomes of an input.
    nonisolated let decide: @Sendable (State, Event) -> [Outcome]?
    /// The engines that it knows; the last one decides in its own sessions.
    nonisolated let engines: Engines
    /// The source that subscribers to changes wait for.
    nonisolated let feed: ChangeFeed
    /// The activity of the store, for an operator.
    package nonisolated let activity: StoreActivity
    /// Reads the settings that decisions depend on.
    nonisolated let readSettings: @Sendable () throws -> Settings
    let keys: WalletKeys
    /// Wrong passphrases that could not be recorded, each with its request.
    var owedGuesses: [WalletID: [Journal.Input.Request]] = [:]
    let clients: Nodes
    let sendLock: SendLocking
    let activeRequests = ActiveRequests()
    /// Callbacks that were checked and handed out, until they are delivered.
    var handedOut: [RequestID: String] = [:]
    /// The wallets that are unlocked for a while.
    var unlockedWallets: [WalletID: UnlockedWallet] = [:] {
        didSet {
            keysHeld.change { $0 = unlockedWallets.count }
            if unlockedWallets.isEmpty { keyWatch = nil }
        }
    }
    /// The calls of `unlock` in progress that no `lock` has overtaken, by their numbers.
    var unlockings: [WalletID: Set<UInt64>] = [:]
    var lastUnlocking: UInt64 = 0
    /// Looks, while a wallet is unlocked, whether it must not be any more.
    var keyWatch: (log: any Sendable, files: FileWatch)?
    /// Whether other processes may change what this one holds; false in a simulation.
    nonisolated let isShared: Bool
    private nonisolated let keysHeld = Monitor(0)
    let chains: SandboxChains
    let clock: @Sendable () -> UInt64
    let pause: @Sendable (_ seconds: Int) async throws -> Void
    let probe: Probe?

    /// Makes a store in a folder that is missing or empty.
    ///
    /// A creation that a crash interrupted can be repeated; until then there is no store.
    public static func create(at path: String) throws(DaybookError) {
        do {
            try StoreFolder.create(path)
        } catch {
            throw DaybookError.from(error)
        }
    }

    /// Opens a store; `frontEnd` names the caller in the log, in 1 to 128 bytes.
    ///
    /// Where its files can't be written, as on a read-only mount, it is opened for reading: calls
    /// that would record something throw `storeReadOnly` (see `isReadOnly`).
    ///
    /// If the machine's clock is more than 90 days from the log's last event, calls that would
    /// record something throw `clockJumped`, because under a wrong clock all pending requests would
    /// expire. Ask the user, and open the store with `acceptsClock` if the clock is right; it
    /// applies to the first call that records something.
    ///
    /// - Throws: `invalidName`, `storeMissing`, `storeHalfCreated`, `storeTooNew`,
    ///   `developmentVersion`, `storeDamaged`, `storeNotOwned`, `permissionDenied`,
    ///   `storeReadOnly`, `storeAlreadyOpen`, `diskFull`.
    public init(
        opening path: String, frontEnd: String, acceptsClock: Bool = false
    ) throws(DaybookError) {
        var options = StoreOptions()
        options.acceptsClock = acceptsClock
        try self.init(opening: path, frontEnd: frontEnd, options: options)
    }

    package init(
        opening path: String, frontEnd: String, options: StoreOptions
    ) throws(DaybookError) {
        do {
            try Self.blind()
        } catch {
            throw DaybookError.from(error)
        }
        try self.init(
            StoreParts(in: StoreFolder(path), sealing: options.scrypt), at: path,
            frontEnd: frontEnd, options: options)
    }

    /// Opens a store made of the given parts; nothing is read from `path` yet.
    package init(
        _ parts: StoreParts, at path: String, frontEnd: String, options: StoreOptions
    ) throws(DaybookError) {
        do {
            try Self.check(frontEnd, "the front end's name")
            _ = try parts.settings()
            let log = try parts.log()
            // A server of many logs has threads of its own, which its tasks prefer.
            thread = options.run == nil ? log.makeThread() : nil
            self.path = path
            isShared = options.run == nil
            clock = options.clock
            pause = options.pause
            probe = options.probe
            let rules = JournalRules(
                frontEnd: frontEnd, settings: parts.settings, engines: parts.engines,
                decide: parts.decide, clock: options.clock, acceptsClock: options.acceptsClock,
                probe: options.probe)
            self.log = log
            decide = parts.decide
            engines = parts.engines
            let feed = ChangeFeed(log)
            self.feed = feed
            let activity = options.activity ?? StoreActivity()
            self.activity = activity
            readSettings = parts.settings
            journal = try Journal(
                log: log, rules: rules, on: options.run, waitsOnlyForDisk: thread == nil,
                afterCommit: { answers, microseconds in
                    feed.noteCommit()
                    activity.noteCommit(answers, microseconds: microseconds)
                })
            keys = WalletKeys(parts.keystore)
            sendLock = parts.sendLock
            chains = SandboxChains(open: parts.sandbox, clock: options.clock, on: options.run)
            clients = Nodes(
                settings: NodeSettings(folder: StoreFolder(path)), embedded: chains.clients,
                replacing: parts.client, clock: options.clock, activity: activity)
        } catch {
            throw DaybookError.from(error)
        }
    }

    deinit {
        feed.close()
        for wallet in unlockedWallets.values { wallet.expiry.cancel() }
    }

    /// Blinds computations with private keys against side channels, once in a process.
    static func blind() throws {
        guard !Secp256k1.isBlinded else { return }
        var entropy = try Entropy.bytes(32)
        Secp256k1.blind(with: SecretBytes(wiping: &entropy))
    }

    /// Whether nothing can be recorded, because the store's files can't be written.
    ///
    /// Then requests whose time is over are still shown as pending, and what others record later
    /// is not seen where this process could not register as a reader.
    public nonisolated var isReadOnly: Bool { log.isReadOnly }

    /// Whether a wallet is unlocked, whose key would be lost with the store.
    nonisolated var holdsKeys: Bool { keysHeld.change { $0 > 0 } }

    /// Refuses to write into a folder that is not there, as one of a log that others write to.
    nonisolated func checkFolder() throws {
        if try !Files.exists(path) { try log.read(.asWriter) { _ in } }
    }

    /// Ends all subscriptions to changes; there can be no others of this store.
    nonisolated func endSubscriptions() { feed.close() }

    /// Checks the length of a front end's name or key, which become parts of row keys.
    static func check(_ name: String, _ what: String) throws {
        guard (1...128).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw DaybookError("invalidName", .usage, "\(what) has 1 to 128 bytes and no NUL")
        }
    }

    /// The log's id, 16 bytes in hex.
    ///
    /// Importing a log into a store without events changes it to that log's id.
    public var logID: String {
        get throws(DaybookError) { try convertingErrors { Hex.encode(try journal.log.id) } }
    }

    /// The log's id, its engine and its number of events.
    public func info() throws(DaybookError) -> StoreInfo {
        try convertingErrors {
            try journal.log.read { log in
                StoreInfo(
                    log: Hex.encode(try journal.log.id), engine: Int(Engine.current),
                    events: log.count)
            }
        }
    }

    /// Continues work that a crash interrupted and that needs no passphrase.
    ///
    /// `sync` does this as well; `receive` and `approve` do it for their own request.
    public func resume() async throws(DaybookError) {
        try await convertingErrors {
            try journal.read { _ in }
            try await worker.run()
        }
    }

    var worker: Worker {
        Worker(
            journal: journal, nodes: clients, activeRequests: activeRequests, sendLock: sendLock,
            clock: clock, pause: pause, probe: probe)
    }

    /// Runs `body`, and converts its errors to `DaybookError`.
    func convertingErrors<Value>(_ body: () throws -> Value) throws(DaybookError) -> Value {
        do {
            return try body()
        } catch {
            throw DaybookError.from(error)
        }
    }

    func convertingErrors<Value>(
        _ body: () async throws -> Value
    ) async throws(DaybookError) -> Value {
        do {
            return try await body()
        } catch {
            throw DaybookError.from(error)
        }
    }
}

/// A store's description: its log, and the rules by which it decides.
public struct StoreInfo: Codable, Hashable, Sendable {
    /// The log's id, 16 bytes in hex.
    public let log: String
    /// The number of the rules by which this version decides.
    public let engine: Int
    /// The number of events in the log.
    public let events: UInt64

    /// A value for previews and tests.
    public init(log: String, engine: Int, events: UInt64) {
        self.log = log
        self.engine = engine
        self.events = events
    }
}

/// Options that only tests set, besides `acceptsClock` and `activity`.
package struct StoreOptions: Sendable {
    package var clock: @Sendable () -> UInt64 = { Clock.nowMicroseconds() }
    package var acceptsClock = false
    /// Counts what is done for an operator; several stores of a process may share it.
    package var activity: StoreActivity?
    /// Waits before a node is asked again.
    package var pause: @Sendable (_ seconds: Int) async throws -> Void = {
        try await Task.sleep(for: .seconds($0))
    }
    package var scrypt = Keystore.standardParameters
    package var probe: (@Sendable (String) -> Void)?
    /// Does the writers' work in order; nil gives each writer a thread of its own.
    package var run: (@Sendable (@escaping WorkThread.Work) -> Void)?

    package init() {}
}

/// A store's storage, keys and nodes: those of its folder, or those of a simulated computer.
///
/// Everything else is the same code in both, so that a simulation tests the real store.
package struct StoreParts: Sendable {
    /// Opens the log.
    package var log: @Sendable () throws -> EventLog
    /// Opens the storage of the embedded chains.
    package var sandbox: @Sendable () throws -> any Storage
    /// Where the wallets' keys are sealed.
    package var keystore: any KeyVault
    /// Locks the sending of a request's transaction.
    package var sendLock: SendLocking
    /// Reads the settings that decisions depend on, which may change at any time.
    package var settings: @Sendable () throws -> Settings
    /// Computes the outcomes of an input.
    package var decide: @Sendable (State, Event) -> [Outcome]? = Self.decide
    /// The engines that `decide` knows.
    package var engines = Engines.known
    /// Makes the client of a chain and network, given that of the embedded chain.
    ///
    /// If nil, the nodes are those of the settings.
    package var client: (@Sendable (Chain, Network, any ChainClient) -> any ChainClient)?

    /// Parts that decide by the usual rules, with the nodes of the settings.
    package init(
        log: @escaping @Sendable () throws -> EventLog,
        sandbox: @escaping @Sendable () throws -> any Storage, keystore: any KeyVault,
        sendLock: @escaping SendLocking, settings: @escaping @Sendable () throws -> Settings
    ) {
        self.log = log
        self.sandbox = sandbox
        self.keystore = keystore
        self.sendLock = sendLock
        self.settings = settings
    }

    /// The parts in the folder at a path.
    package init(at path: String, sealing scrypt: Scrypt.Parameters) {
        self.init(in: StoreFolder(path), sealing: scrypt)
    }

    /// The parts in a store's folder.
    init(in folder: StoreFolder, sealing scrypt: Scrypt.Parameters) {
        self.init(
            log: { try Self.log(at: folder.logPlace()) },
            sandbox: { try SandboxChains.open(folder.sandbox) },
            keystore: Keystore(
                folder: folder.keys, of: folder.path, parameters: scrypt),
            sendLock: { try FileSendLock.take(of: $0, in: folder.sendingLock) },
            settings: folder.presentSettings)
    }

    /// Opens the log of a folder; for reading only where nothing may be written there.
    private static func log(at place: LogLocation) throws -> EventLog {
        do {
            return try place.openWriting()
        } catch LogError.readOnlyFileSystem, LogError.permissionDenied {
            return try place.openReading()
        }
    }

    /// Decides by the rules of this version.
    package static let decide: @Sendable (State, Event) -> [Outcome]? = {
        let decider = Links.decider
        return { state, input in decider.decide(state, input) }
    }()
}
