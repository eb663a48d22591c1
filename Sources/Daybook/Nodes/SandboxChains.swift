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
        _ chain: Chain, _ body: (inout UTXOSandbox, UInt64) throws -> Value
    ) throws -> Value {
        guard let parameters = UTXOParameters.of(chain, .sandbox) else {
            throw DaybookError("wrongChain", .usage, "\(chain.rawValue) has no such chain")
        }
        return try write(chain) { rows in
            var sandbox = UTXOSandbox(rows, parameters)
            return try body(&sandbox, clock())
        }
    }

    /// Runs `body` on the ICON network; what it changes is kept.
    func icon<Value: Sendable>(
        _ body: (inout ICONSandbox, UInt64) throws -> Value
    ) throws -> Value {
        try write(.icon) { rows in
            var sandbox = ICONSandbox(rows)
            return try body(&sandbox, clock())
        }
    }

    private func write<Value>(
        _ chain: Chain, _ body: (StoredRows) throws -> Value
    ) throws -> Value {
        do {
            return try opened().update { view in
                guard let table = try view.table(chain.rawValue, create: true) else {
                    throw DaybookError("storageError", .store, "the sandbox has no table")
                }
                let rows = StoredRows(view, table)
                let value = try body(rows)
                if let failure = rows.failure { throw failure }
                return value
            }
        } catch {
            throw DaybookError.from(error)
        }
    }

    private func opened() throws -> any Storage {
        if let storage { return storage }
        let opened = try open()
        storage = opened
        return opened
    }
}
