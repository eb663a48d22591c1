import DaybookChains
import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookSandbox
import DaybookSystem

/// The embedded chains of a store, kept in its folder in an LMDB environment of their own.
///
/// Several processes may use them at once, as they may a node: each call is one transaction.
actor SandboxChains {
    private let folder: String
    private let clock: @Sendable () -> UInt64
    private var environment: DaybookLMDB.Environment?

    init(folder: String, clock: @escaping @Sendable () -> UInt64) {
        self.folder = folder
        self.clock = clock
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
            return try open().write { view in
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

    private func open() throws -> DaybookLMDB.Environment {
        if let environment { return environment }
        try Files.createDirectories(folder, mode: 0o700)
        let opened = try DaybookLMDB.Environment(folder)
        environment = opened
        return opened
    }
}
