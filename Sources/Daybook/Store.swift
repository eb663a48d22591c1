package import DaybookChains
package import DaybookCrypto
package import DaybookDomain
import DaybookEncoding
package import DaybookLMDB
import DaybookLinks
package import DaybookLog
import DaybookMigrations
package import DaybookNodes
import DaybookReplay
package import DaybookSigner
package import DaybookSystem

/// A wallet backend in a folder: receives other apps' links, asks, signs, sends, answers.
///
/// For example, the life of one request:
///
///     let store = try Store(opening: path, frontEnd: "my-app")
///     let request = try await store.receive("dashwallet://pay=…&amount=1.5&sender=shop")
///     if let prompt = request.prompt {                    // show every line of it
///         let done = try await store.approve(
///             request.id, shown: prompt, unlockedBy: passphrase)
///         if let url = done.callback {
///             open(url)                                   // and say so when it is open
///             try await store.delivered(done.id)
///         }
///     }
///
/// Everything that a call reports is durable when it returns. A crash between two steps loses
/// nothing: the next call goes on with what remains to be done, with the same transaction and the
/// same callback. Several processes may use one folder at once. Every call throws `DaybookError`.
public actor Store {
    /// The folder.
    public nonisolated let path: String
    let journal: Journal
    let keystore: any KeyVault
    let clients: Nodes
    let sendLocks: any SendLocks
    let activeRequests = ActiveRequests()
    /// Callbacks that were checked and handed out, until a front end says that it opened them.
    var handedOut: [RequestID: String] = [:]
    let chains: SandboxChains
    let clock: @Sendable () -> UInt64
    let pause: @Sendable (_ seconds: Int) async throws -> Void
    let probe: Probe?

    /// Makes a store in a folder that is missing or empty.
    ///
    /// A creation that a crash cut off can be repeated; until it is done there is no store.
    public static func create(at path: String) throws {
        do {
            try StoreFolder.create(path)
        } catch {
            throw DaybookError.from(error)
        }
    }

    /// Opens a store; `frontEnd` names the caller in the log, in 1 to 128 bytes.
    ///
    /// Where the machine's clock is more than 90 days from the log's last event, calls that record
    /// something throw `clockJumped` and record nothing: under a wrong clock everything that waits
    /// would expire. Ask the user, and open the store with `acceptsClock` if the clock is right;
    /// it holds for the first call that records something.
    ///
    /// - Throws: `invalidName`, `storeMissing`, `storeHalfCreated`, `storeTooNew`, `storeDamaged`,
    ///   `storeNotOwned`, `permissionDenied`, `storeReadOnly`, `storeAlreadyOpen`, `diskFull`.
    public init(opening path: String, frontEnd: String, acceptsClock: Bool = false) throws {
        var options = StoreOptions()
        options.acceptsClock = acceptsClock
        try self.init(opening: path, frontEnd: frontEnd, options: options)
    }

    package init(opening path: String, frontEnd: String, options: StoreOptions) throws {
        do {
            try Self.blind()
        } catch {
            throw DaybookError.from(error)
        }
        try self.init(
            StoreParts(in: StoreFolder(path), sealing: options.scrypt), at: path,
            frontEnd: frontEnd, options: options)
    }

    /// Opens a store of the parts given; files are only looked for at `path`.
    package init(
        _ parts: StoreParts, at path: String, frontEnd: String, options: StoreOptions
    ) throws {
        do {
            try Self.check(frontEnd, "the front end's name")
            let settings = try parts.settings()
            let log = try parts.log()
            self.path = path
            clock = options.clock
            pause = options.pause
            probe = options.probe
            let rules = JournalRules(
                frontEnd: frontEnd, settings: settings, decide: parts.decide,
                clock: options.clock, acceptsClock: options.acceptsClock, probe: options.probe)
            journal = try Journal(log: log, rules: rules, on: options.run)
            keystore = parts.keystore
            sendLocks = parts.sendLocks
            chains = SandboxChains(open: parts.sandbox, clock: options.clock, on: options.run)
            clients = Nodes(
                settings: NodeSettings(folder: StoreFolder(path)), sandbox: chains,
                replacing: parts.client, clock: options.clock)
        } catch {
            throw DaybookError.from(error)
        }
    }

    /// Blinds what is computed with private keys, once in a process.
    private static func blind() throws {
        guard !Secp256k1.isBlinded else { return }
        var entropy = try Entropy.bytes(32)
        Secp256k1.blind(with: SecretBytes(wiping: &entropy))
    }

    /// Names of a front end's stand in the log and in keys of rows, which have their limits.
    static func check(_ name: String, _ what: String) throws {
        guard (1...128).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw DaybookError("invalidName", .usage, "\(what) has 1 to 128 bytes and no NUL")
        }
    }

    /// The log's id, 16 bytes in hex.
    ///
    /// Restoring a log into a store without events makes this that log, also in other processes.
    public var logID: String {
        get throws { try facing { Hex.encode(try journal.log.id) } }
    }

    /// Goes on with what a crash cut off and what needs no passphrase.
    ///
    /// `receive`, `approve` and `sync` do the same on their way.
    public func resume() async throws {
        try await facing { try await worker.run() }
    }

    var worker: Worker {
        Worker(
            journal: journal, nodes: clients, activeRequests: activeRequests, sendLocks: sendLocks,
            clock: clock,
            pause: pause, probe: probe)
    }

    /// Turns every error of the layers below into the facade's.
    func facing<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw DaybookError.from(error)
        }
    }

    func facing<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            throw DaybookError.from(error)
        }
    }
}

/// What tests set and nobody else.
package struct StoreOptions: Sendable {
    package var clock: @Sendable () -> UInt64 = { Clock.nowMicroseconds() }
    package var acceptsClock = false
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

/// What a store acts through: what lies in its folder, or the parts of a simulated computer.
///
/// Everything else of a store is the same code in both, which is what makes a simulation worth
/// its name.
package struct StoreParts: Sendable {
    /// Opens the log.
    package var log: @Sendable () throws -> EventLog
    /// Opens the storage of the embedded chains.
    package var sandbox: @Sendable () throws -> any Storage
    /// Where the wallets' keys are sealed.
    package var keystore: any KeyVault
    /// Who may send which request's transaction.
    package var sendLocks: any SendLocks
    /// What decisions go by.
    package var settings: @Sendable () throws -> Settings
    /// What follows from an input.
    package var decide: @Sendable (State, Event) -> [Outcome] = Self.decide
    /// The client of a chain and network, given that of the embedded chain.
    ///
    /// Where it is nil, the user's settings say which nodes there are.
    package var client: (@Sendable (Chain, Network, any ChainClient) -> any ChainClient)?

    /// The parts that have no usual form.
    package init(
        log: @escaping @Sendable () throws -> EventLog,
        sandbox: @escaping @Sendable () throws -> any Storage, keystore: any KeyVault,
        sendLocks: any SendLocks, settings: @escaping @Sendable () throws -> Settings
    ) {
        self.log = log
        self.sandbox = sandbox
        self.keystore = keystore
        self.sendLocks = sendLocks
        self.settings = settings
    }

    /// What lies in a store's folder.
    init(in folder: StoreFolder, sealing scrypt: Scrypt.Parameters) {
        self.init(
            log: { try Migrations.openLog(at: folder.log, by: StateFold()) },
            sandbox: { try SandboxChains.open(folder.sandbox) },
            keystore: Keystore(
                folder: folder.keys, of: folder.path, parameters: scrypt),
            sendLocks: FileSendLocks(path: folder.sendingLock),
            settings: { try folder.readSettings() })
    }

    /// What follows by the rules as they are.
    package static let decide: @Sendable (State, Event) -> [Outcome] = {
        let decider = Links.decider
        return { state, input in decider.decide(state, input) }
    }()
}
