internal import DaybookLMDB

/// Layout 1: the events, and nothing that follows from them.
enum M0001_CreateTables {
    @Sendable static func run(_ view: any StorageView) throws {
        _ = try view.table("events", create: true)
    }
}
