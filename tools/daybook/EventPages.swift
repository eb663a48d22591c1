import DaybookEncoding
import Daybook

/// Events of the log, read a page at a time.
struct EventPages {
    var next: Position = 0
    var request: RequestID?
    var session: SessionID?

    private static let size = 500

    /// Calls `body` with every event from `next` on; returns the position to go on from.
    @discardableResult
    func each(
        of store: Store, _ body: (LogEvent) throws -> Void
    ) async throws -> Position {
        var next = next
        while true {
            let page = try await store.events(
                from: next, limit: Self.size, request: request, session: session)
            for event in page { try body(event) }
            if let last = page.last { next = last.position.next }
            if page.count < Self.size { return next }
        }
    }
}
