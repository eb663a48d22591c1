import DaybookEncoding
import DaybookDomain

/// Puts the stories of requests, whose events lie among each other, back together.
///
/// A story is handed out as soon as it and those before it are whole, so that memory holds the
/// requests that were open at the same time, not all.
struct RequestTimeline {
    private let lastEvents: [RequestID: Position]
    private var stories: [RequestID: Story] = [:]
    private var order: [RequestID] = []
    private var next = 0

    /// A queue for requests whose last events are known.
    init(lastEvents: [RequestID: Position]) {
        self.lastEvents = lastEvents
    }

    /// Takes the next event; returns the stories that are now to be told.
    mutating func take(_ event: Event?, at position: Position) -> [Story] {
        if let event, let id = event.request, lastEvents[id] != nil {
            if id.position == position { order.append(id) }
            stories[id, default: Story(id: id)].events.append(event)
        }
        var told: [Story] = []
        while next < order.count, let last = lastEvents[order[next]], last <= position {
            if let story = stories.removeValue(forKey: order[next]) { told.append(story) }
            next += 1
        }
        if next > 1024 {
            order.removeFirst(next)
            next = 0
        }
        return told
    }
}
