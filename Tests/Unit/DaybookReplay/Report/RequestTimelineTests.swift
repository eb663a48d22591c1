import DaybookDomain
import DaybookEncoding
import Testing

@testable import DaybookReplay

struct StoryQueueTests {
    private func event(_ position: UInt64, of request: RequestID) -> Event {
        Event(
            position: Position(position), time: position, session: 0, request: request,
            payload: .callbackDelivered(CallbackDelivered()))
    }

    @Test func `timelines whose events lie among each other are told whole, in order`() {
        var queue = TimelineCollector(lastEvents: [1: 4, 2: 3, 5: 6])
        let events: [(UInt64, RequestID)] = [(1, 1), (2, 2), (3, 2), (4, 1), (5, 5), (6, 5)]
        let told = events.map { position, request in
            queue.take(event(position, of: request), at: Position(position))
        }
        #expect(told.map { $0.map(\.id) } == [[], [], [], [1, 2], [], [5]])
        #expect(told[3].map { $0.events.map(\.position) } == [[1, 4], [2, 3]])
    }

    @Test func `a timeline ends also with an event that can't be read`() {
        var queue = TimelineCollector(lastEvents: [1: 2])
        #expect(queue.take(event(1, of: 1), at: 1).isEmpty)
        #expect(queue.take(nil, at: 2).map(\.id) == [1])
    }
}
