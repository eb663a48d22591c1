import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLMDB
import DaybookLinks
import DaybookLog
import DaybookReplay
import DaybookSystem
import Foundation
import NodeServer
import Synchronization
import TestSupport
import Testing

@testable import Daybook

/// A store in a folder of its own, with a clock that the test turns.
final class TemporaryStore: Sendable {
    let path: String
    let now: Mutex<UInt64>

    init() throws {
        path = NSTemporaryDirectory() + "daybook-" + UUID().uuidString
        now = Mutex(1_800_000_000_000_000)
        try Store.create(at: path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func open(
        at other: String? = nil, probe: Probe? = nil, acceptsClock: Bool = false,
        pause: (@Sendable (_ seconds: Int) async throws -> Void)? = nil, gate: Gate? = nil
    ) throws -> Store {
        var options = StoreOptions()
        options.acceptsClock = acceptsClock
        options.scrypt = .cheap
        options.clock = { [self] in now.withLock { $0 += 1000; return $0 } }
        options.probe = probe
        if let pause { options.pause = pause }
        if let gate { options.run = gate.run }
        return try Store(opening: other ?? path, frontEnd: "tests", options: options)
    }

    /// Opens the store with parts that the test replaces.
    func open(
        at other: String? = nil, run: (@Sendable (@escaping WorkThread.Work) -> Void)? = nil,
        replacing change: (inout StoreParts) -> Void
    ) throws -> Store {
        var parts = StoreParts(in: StoreFolder(other ?? path), sealing: .cheap)
        change(&parts)
        var options = StoreOptions()
        options.clock = { [self] in now.withLock { $0 += 1000; return $0 } }
        if let run { options.run = run }
        return try Store(parts, at: other ?? path, frontEnd: "tests", options: options)
    }

    /// A node of Dash with the time of this store, on which no payment is locked.
    func dashNodeWithoutLocks() throws -> NodeServer {
        let server = try NodeServer(.dash)
        server.settings.time = now.withLock { $0 }
        server.utxo { $0.switches.withholdsLocks = true }
        server.mine()
        return server
    }

    /// Brings the derived tables of a closed store to its log's end.
    func storeDerived(at other: String? = nil) throws {
        try EventLog(opening: (other ?? path) + "/log").bringForward()
    }

    /// Alters the state in the store's derived tables, as no program of ours would.
    func alterDerived(_ body: (inout State) throws -> Void) throws {
        try storeDerived()
        try alterRows { rows in
            var stored = MemoryRows()
            rows.walk { stored.set($0, $1) }
            var state = State(stored)
            try body(&state)
            for (key, value) in state.changes {
                if let value { rows.set(key, value) } else { rows.remove(key) }
            }
        }
    }

    /// Alters the encoded rows of the state in the store's derived tables, as far as they go.
    func alterRows(_ body: (inout StoredRows) throws -> Void) throws {
        let environment = try DaybookLMDB.Environment(path + "/derived")
        try environment.write { view in
            let table = try #require(try view.table("state"))
            var rows = StoredRows(view, table)
            try body(&rows)
            if let failure = rows.failure { throw failure }
        }
    }

    func wait(seconds: UInt64) { now.withLock { $0 += seconds * 1_000_000 } }
}

/// The code of the error that a call ends with; nil if it succeeds.
func errorCode(of body: () async throws -> Void) async -> DaybookError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? DaybookError)?.code
    }
}

extension Store {
    func allRecords() throws -> [EventRecord] {
        try journal.log.read { try $0.records(from: 0, limit: .max) }
    }

    func liveDigest() throws -> Bytes { try journal.read { StateDigest.of($0) } }

    /// The log decides again what it says, and adds up to the state that the store has.
    func expectCleanReplay(_ location: SourceLocation = #_sourceLocation) throws {
        let (divergences, digest) = try replay(try allRecords())
        #expect(divergences == [], sourceLocation: location)
        #expect(try liveDigest() == digest, sourceLocation: location)
    }

    /// Adds a wallet of the well-known test words, or of key 1 on ICON.
    @discardableResult
    func addTestWallet(_ chain: ChainName, network: NetworkName = .sandbox) async throws -> Wallet {
        let source: WalletSource
        if chain == .icon {
            source = .hexKey(Passphrase(String(repeating: "0", count: 63) + "1"))
        } else {
            let words = Array(repeating: "abandon", count: 11) + ["about"]
            source = .mnemonic(Passphrase(words.joined(separator: " ")))
        }
        return try await addWallet(
            source, chain: chain, network: network, sealedBy: Passphrase("correct horse")).wallet
    }

    /// Adds a wallet of other words than those of `addTestWallet`.
    func addOtherTestWallet(_ chain: ChainName) async throws -> Wallet {
        let words = Array(repeating: "zoo", count: 11) + ["wrong"]
        return try await addWallet(
            .mnemonic(Passphrase(words.joined(separator: " "))), chain: chain, network: .sandbox,
            sealedBy: Passphrase("correct horse")).wallet
    }

    /// Adds a test wallet whose coins are in blocks; one of ICON has tokens too.
    @discardableResult
    func addFundedWallet(_ chain: ChainName) async throws -> Wallet {
        let wallet = try await addTestWallet(chain)
        let amount: MinorAmount = chain == .icon ? "9000000000000000000" : "1000000000"
        _ = try await fundFromFaucet(wallet.id, amount: amount)
        if chain == .icon { _ = try await fundFromFaucet(wallet.id, amount: "5000", token: true) }
        return wallet
    }

    /// Approves what is shown, as a user would who reads it.
    @discardableResult
    func approve(
        _ id: RequestID, wallet: WalletID? = nil, amount: MinorAmount? = nil,
        coins: ChosenCoins = .automatic
    ) async throws -> WalletRequest {
        let shown = try prompt(for: id, wallet: wallet, amount: amount, coins: coins)
        return try await approve(
            id, shown: shown, wallet: wallet, amount: amount, coins: coins,
            unlockedBy: Passphrase("correct horse"))
    }
}

extension Passphrase {
    init(_ text: String) {
        var bytes = Array(text.utf8)
        self.init(wiping: &bytes)
    }
}

/// Replays a log from its start; the digest is that of the replayed state.
func replay(_ records: [EventRecord], scope: Replayer.Scope = .all) throws
    -> (divergences: [Divergence], digest: Bytes)
{
    let decider = Links.decider
    var replayer = Replayer(scope: scope, decide: decider.decide)
    for record in records { replayer.feed(record) }
    replayer.finish()
    return (replayer.divergences, StateDigest.of(replayer.state))
}
