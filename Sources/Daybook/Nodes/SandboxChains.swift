import DaybookChains
import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookSandbox
import DaybookSystem

/// The embedded chains of a store, kept in a storage of their own.
///
/// Several processes may use them at once, as they may a node: each call is one transaction.
actor SandboxChains {
    private let open: @Sendable () throws -> any Storage
    private let clock: @Sendable () -> UInt64
    private var storage: (any Storage)?
    private let commits = Rounds<Change, Result<Void, any Error>>()

    /// Reads and writes a chain's rows.
    private typealias Change = (any StorageView) throws -> Void

    /// The chains in the storage that `open` opens when they are first needed.
    init(
        open: @escaping @Sendable () throws -> any Storage,
        clock: @escaping @Sendable () -> UInt64
    ) {
        self.open = open
        self.clock = clock
    }

    /// The chains in a folder.
    init(folder: String, clock: @escaping @Sendable () -> UInt64) {
        self.init(open: { try Self.open(folder) }, clock: clock)
    }

    /// Opens the storage of a folder, making it if it is missing.
    static func open(_ folder: String) throws -> any Storage {
        try Files.createDirectories(folder, mode: 0o700)
        try DaybookLMDB.Environment.createIfMissing(folder)
        return try DaybookLMDB.Environment(folder)
    }

    /// Runs `body` on the Dash or Axe chain; what it changes is kept.
    func utxo<Value: Sendable>(
        _ chain: Chain, _ body: @escaping @Sendable (inout UTXOSandbox, UInt64) throws -> Value
    ) async throws -> Value {
        guard let parameters = UTXOParameters.of(chain, .sandbox) else {
            throw DaybookError("wrongChain", .usage, "\(chain.rawValue) has no such chain")
        }
        return try await write(chain) { [clock] rows in
            var sandbox = UTXOSandbox(rows, parameters)
            return try body(&sandbox, clock())
        }
    }

    /// Runs `body` on the ICON network; what it changes is kept.
    func icon<Value: Sendable>(
        _ body: @escaping @Sendable (inout ICONSandbox, UInt64) throws -> Value
    ) async throws -> Value {
        try await write(.icon) { [clock] rows in
            var sandbox = ICONSandbox(rows)
            return try body(&sandbox, clock())
        }
    }

    private func write<Value>(
        _ chain: Chain, _ body: @escaping (StoredRows) throws -> Value
    ) async throws -> Value {
        var value: Value?
        do {
            try await commits.join({ view in
                guard let table = try view.table(chain.rawValue, create: true) else {
                    throw DaybookError("storageError", .store, "the sandbox has no table")
                }
                let rows = StoredRows(view, table)
                value = try body(rows)
                if let failure = rows.failure { throw failure }
            }, { changes in commit(changes) }).get()
        } catch {
            throw DaybookError.from(error)
        }
        guard let value else { preconditionFailure("a change that was committed was made") }
        return value
    }

    /// Makes the changes of several tasks durable at once, or else each alone.
    private func commit(_ changes: [Change]) -> [Result<Void, any Error>] {
        do {
            try opened().update { view in
                for change in changes { try change(view) }
            }
            return changes.map { _ in .success(()) }
        } catch {
            return changes.count > 1
                ? changes.flatMap { commit([$0]) } : [.failure(error)]
        }
    }

    private func opened() throws -> any Storage {
        if let storage { return storage }
        let opened = try open()
        storage = opened
        return opened
    }
}
