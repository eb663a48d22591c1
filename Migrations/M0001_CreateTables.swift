internal import DaybookLMDB

/// Layout 1: the table of events.
enum M0001_CreateTables {
    @Sendable static func run(_ view: any StorageView) throws {
        _ = try view.table("events", create: true)
    }
}
