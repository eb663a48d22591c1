internal import DaybookLMDB

/// Layout 10: the table of events.
enum M0010_CreateTables {
    @Sendable static func run(_ view: any StorageView) throws -> UInt64 {
        _ = try view.table("events", create: true)
        return 0
    }
}
