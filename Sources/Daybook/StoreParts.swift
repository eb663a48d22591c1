package import DaybookChains
import DaybookCrypto
package import DaybookDomain
package import DaybookSigner
package import DaybookLMDB
import DaybookLinks
package import DaybookLog
import DaybookMigrations
package import DaybookNodes
import DaybookReplay

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
