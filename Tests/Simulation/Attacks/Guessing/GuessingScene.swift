import Daybook
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookMigrations
import DaybookReplay
import Simulator
import Synchronization

/// A store with one funded wallet and payments that wait, from which each interleaving begins.
package struct GuessingScene: Sendable {
    /// A vault's fault, for a control.
    package enum Weakness: Sendable, CaseIterable {
        /// Its locks are none.
        case noLocks
        /// All of its sealings are the same.
        case sameSealing
    }

    static let first = "correct horse"
    static let second = "battery staple"
    private static let payments = 10

    let log: MemoryTables.Image
    let chains: MemoryTables.Image
    let content: GuessedVault.Content
    let now: UInt64
    let wallet: WalletID
    let requests: [RequestID]

    /// Makes the store.
    package init() async throws {
        let (log, chains) = (SafeStorage(MemoryTables()), SafeStorage(MemoryTables()))
        log.tables.image = try Computer.emptyLog(Bytes("guesses, log no1".utf8))
        let vault = GuessedVault(GuessedVault.Content())
        let clock = Mutex<UInt64>(Computer.start)
        let parts = StoreParts(
            log: { try EventLog(in: log) }, sandbox: { chains },
            keystore: vault, sendLock: { _ in FreeSendLock() }, settings: { Settings() })
        var options = StoreOptions()
        options.clock = { clock.withLock { $0 += 1000; return $0 } }
        options.run = { work in work()() }
        let store = try Store(parts, at: "", frontEnd: "scene", options: options)
        let added = try await store.addWallet(
            .hexKey(Computer.secret(Hex.encode(GuessedVault.key))), chain: .icon,
            sealedBy: Computer.secret(Self.first)
        ).wallet
        _ = try await store.fundFromFaucet(added.id, amount: 9_000_000_000_000_000_000)
        let links = OpenedLinks(network: .sandbox, owner: try .user(.sandbox), now: Computer.start)
        var requests: [RequestID] = []
        for number in 1...Self.payments {
            let parties = #""from":"\#(added.address)","to":"\#(OpenedLinks.payee)""#
            requests.append(
                try await store.receive(
                    links.connect(
                        #"{"id":2,"method":"sendICX","params":{\#(parties),"#
                            + #""value":"0x\#(String(number, radix: 16))"}}"#)
                ).id)
        }
        (wallet, self.requests) = (added.id, requests)
        (self.log, self.chains, content) = (log.tables.image, chains.tables.image, vault.now)
        now = clock.withLock { $0 }
    }

    /// Runs the interleavings of some seeds; what came of their calls, and the laws that were
    /// broken, by seed.
    package func run(
        _ seeds: Range<UInt64>, weakness: Weakness? = nil
    ) throws -> (codes: [String: Int], findings: [UInt64: [String]]) {
        var (codes, findings): ([String: Int], [UInt64: [String]]) = ([:], [:])
        for seed in seeds {
            let outcome = try Interleaving.run(self, seed: seed, weakness: weakness)
            for code in outcome.codes { codes[code, default: 0] += 1 }
            if !outcome.findings.isEmpty { findings[seed] = outcome.findings }
        }
        return (codes, findings)
    }
}
