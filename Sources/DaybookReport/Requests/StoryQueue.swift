import DaybookDomain

/// Puts the stories of requests, whose events lie among each other, back together.
///
/// A story is handed out as soon as it and those before it are whole, so that memory holds the
/// requests that were open at the same time, not all.
struct StoryQueue {
    private let lastEvents: [UInt64: UInt64]
    private var stories: [UInt64: Story] = [:]
    private var order: [UInt64] = []
    private var next = 0

    /// A queue for requests whose last events are known.
    init(lastEvents: [UInt64: UInt64]) {
        self.lastEvents = lastEvents
    }

    /// Takes the next event; returns the stories that are now to be told.
    mutating func take(_ event: Event?, at position: UInt64) -> [Story] {
        if let event, let id = event.request, lastEvents[id] != nil {
            if id == position { order.append(id) }
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
