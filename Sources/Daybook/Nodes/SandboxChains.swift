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
    private let clock: @Sendable () -> UInt64
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
        let opened = Monitor<(any Storage)?>(nil)
        commits = GroupCommit(on: run) { changes in
            Self.commit(changes) {
                try opened.change { opened in
                    let storage = try opened ?? open()
                    opened = storage
                    return storage
                }
            }
        }
    }

    /// Chains in a folder.
    init(folder: String, clock: @escaping @Sendable () -> UInt64) {
        self.init(open: { try Self.open(folder) }, clock: clock)
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
        guard let parameters = UTXOParameters.of(chain, .sandbox) else {
            throw DaybookError("wrongChain", .usage, "\(chain.rawValue) has no such chain")
        }
        return try await write(chain) { [clock] rows in
            var sandbox = UTXOSandbox(rows, parameters)
            return try body(&sandbox, clock())
        }
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

    private func write<Value: Sendable>(
        _ chain: Chain, _ body: @escaping @Sendable (StoredRows) throws -> Value
    ) async throws -> Value {
        let value = Monitor<Value?>(nil)
        do {
            try await commits.join { view in
                guard let table = try view.table(chain.rawValue, create: true) else {
                    throw DaybookError("storageError", .store, "the sandbox has no table")
                }
                let rows = StoredRows(view, table)
                let made = try body(rows)
                if let failure = rows.failure { throw failure }
                value.change { $0 = made }
            }.get()
        } catch {
            throw DaybookError.from(error)
        }
        guard let value = value.change({ $0 }) else {
            preconditionFailure("a change that was committed was made")
        }
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
