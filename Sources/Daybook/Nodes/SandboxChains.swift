import DaybookChains
import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookNodes
import DaybookSystem

/// The embedded sandbox chains of a store, in a storage of their own.
///
/// Several processes may use them at once, like a node: each call is one transaction.
struct SandboxChains: Sendable {
    /// The parts of the Dash and Axe chains' answers that the next ones need.
    let kept = Monitor(KeptAnswers())
    private let clock: @Sendable () -> UInt64
    private let storage: @Sendable () throws -> any Storage
    /// The chains whose tables a commit of this process has opened.
    private let opened = Monitor<Set<Chain>>([])
    private let commits: GroupCommit<Change, Result<Void, any Error>>

    /// Reads and writes a chain's rows.
    private typealias Change = @Sendable (any StorageView) throws -> Void

    /// Chains in the storage that `open` opens at the first call.
    init(
        open: @escaping @Sendable () throws -> any Storage,
        clock: @escaping @Sendable () -> UInt64,
        on run: (@Sendable (@escaping WorkThread.Work) -> Void)? = nil
    ) {
        self.clock = clock
        let known = Monitor<(any Storage)?>(nil)
        let storage = { @Sendable () throws -> any Storage in
            try known.change { known in
                let storage = try known ?? open()
                known = storage
                return storage
            }
        }
        self.storage = storage
        commits = GroupCommit(on: run) { changes in Self.commit(changes, in: storage) }
    }

    /// Chains in a folder.
    init(folder: String, clock: @escaping @Sendable () -> UInt64) {
        self.init(open: { try Self.open(folder) }, clock: clock)
    }

    /// The clients of the chains.
    var clients: [ChainID: any ChainClient] {
        let all = Chain.allCases.map { chain in
            (ChainID(chain, .sandbox), SandboxClient(chain: chain, chains: self))
        }
        return Dictionary(uniqueKeysWithValues: all)
    }

    /// Opens the storage in a folder, and creates it if it is missing.
    static func open(_ folder: String) throws -> any Storage {
        try Files.createDirectories(folder, mode: 0o700)
        try Environment.createIfMissing(folder)
        return try Environment(folder)
    }

    /// Runs `body` on the Dash or Axe chain and commits its changes.
    func utxo<Value: Sendable>(
        _ chain: Chain, _ body: @escaping @Sendable (inout UTXOSandbox, UInt64) throws -> Value
    ) async throws -> Value {
        let parameters = try Self.parameters(chain)
        return try await write(chain) { [clock] rows in
            var sandbox = UTXOSandbox(rows, parameters)
            return try body(&sandbox, clock())
        }
    }

    /// Runs `body` on the Dash or Axe chain of the last commit; a scan waits for no commit.
    func lastUTXO<Value: Sendable>(
        _ chain: Chain, _ body: @escaping @Sendable (UTXOSandbox) -> Value
    ) async throws -> Value {
        let parameters = try Self.parameters(chain)
        return try await read(chain) { body(UTXOSandbox($0, parameters)) }
    }

    private static func parameters(_ chain: Chain) throws(DaybookError) -> UTXOParameters {
        guard let parameters = UTXOParameters.of(chain, .sandbox) else {
            throw DaybookError("wrongChain", .usage, "\(chain.rawValue) has no such chain")
        }
        return parameters
    }

    /// Runs `body` on the ICON network and commits its changes.
    func icon<Value: Sendable>(
        _ body: @escaping @Sendable (inout ICONSandbox, UInt64) throws -> Value
    ) async throws -> Value {
        try await write(.icon) { [clock] rows in
            var sandbox = ICONSandbox(rows)
            return try body(&sandbox, clock())
        }
    }

    /// Runs `body` on the ICON network of the last commit.
    func lastICON<Value: Sendable>(
        _ body: @escaping @Sendable (ICONSandbox) -> Value
    ) async throws -> Value {
        try await read(.icon) { body(ICONSandbox($0)) }
    }

    @concurrent private func read<Value: Sendable>(
        _ chain: Chain, _ body: @escaping @Sendable (any Rows) -> Value
    ) async throws -> Value {
        // LMDB lets only one transaction at a time open a table (lmdb.h, mdb_dbi_open): the first
        // call of a chain takes a commit's turn.
        guard opened.change({ $0.contains(chain) }) else { return try await write(chain, body) }
        do {
            return try storage().snapshot { try Self.run(body, on: chain, in: $0) }
        } catch {
            throw DaybookError.from(error)
        }
    }

    private func write<Value: Sendable>(
        _ chain: Chain, _ body: @escaping @Sendable (StoredRows) throws -> Value
    ) async throws -> Value {
        let value = Monitor<Value?>(nil)
        do {
            try await commits.join { view in
                let made = try Self.run(body, on: chain, in: view, create: true)
                value.change { $0 = made }
            }.get()
            opened.change { _ = $0.insert(chain) }
        } catch {
            throw DaybookError.from(error)
        }
        guard let value = value.change({ $0 }) else {
            preconditionFailure("a change that was committed was made")
        }
        return value
    }

    private static func run<Value>(
        _ body: (StoredRows) throws -> Value, on chain: Chain, in view: any StorageView,
        create: Bool = false
    ) throws -> Value {
        guard let table = try view.table(chain.rawValue, create: create) else {
            throw DaybookError("storageError", .store, "the sandbox has no table")
        }
        let rows = StoredRows(view, table)
        let value = try body(rows)
        if let failure = rows.failure { throw failure }
        return value
    }

    /// Commits the changes of several tasks together; if that fails, each one alone.
    private static func commit(
        _ changes: [Change], in storage: () throws -> any Storage
    ) -> [Result<Void, any Error>] {
        do {
            try storage().update { view in
                for change in changes { try change(view) }
            }
            return changes.map { _ in .success(()) }
        } catch {
            return changes.count > 1
                ? changes.flatMap { commit([$0], in: storage) } : [.failure(error)]
        }
    }
}
