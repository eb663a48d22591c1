import Daybook

/// Events of the log, read a page at a time.
struct EventPages {
    var next: UInt64 = 0
    var request: UInt64?
    var session: UInt64?

    private static let size = 500

    /// Calls `body` with every event from `next` on; returns the position to go on from.
    @discardableResult
    func each(
        of store: Store, _ body: (LogEvent) throws -> Void
    ) async throws -> UInt64 {
        var next = next
        while true {
            let page = try await store.events(
                from: next, limit: Self.size, request: request, session: session)
            for event in page { try body(event) }
            if let last = page.last { next = last.position + 1 }
            if page.count < Self.size { return next }
        }
    }
}
