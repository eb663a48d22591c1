internal import DaybookLMDB

/// Layout 1: the events, their indexes, and the rows of the state.
enum M0001_CreateTables {
    @Sendable static func run(_ view: any StorageView) throws {
        let names = ["events", "streams", "by_stream", "by_session", "by_request", "state"]
        for name in names { _ = try view.table(name, create: true) }
    }
}
