import DaybookLMDB

/// A log's storage that does what a test says before each commit, and fails where that throws.
final class HookedDisk: Storage {
    private let environment: DaybookLMDB.Environment
    private let beforeCommit: @Sendable () throws -> Void

    init(_ path: String, beforeCommit: @escaping @Sendable () throws -> Void) throws {
        environment = try DaybookLMDB.Environment(path)
        self.beforeCommit = beforeCommit
    }

    func snapshot<Value>(_ body: (any StorageView) throws -> Value) throws -> Value {
        try environment.snapshot(body)
    }

    func update<Value>(_ body: (any StorageView) throws -> Value) throws -> Value {
        try environment.update { view in
            let value = try body(view)
            try beforeCommit()
            return value
        }
    }

    func copy(to folder: String) throws { try environment.copy(to: folder) }
    var mapBytes: Int { environment.mapBytes }
}
