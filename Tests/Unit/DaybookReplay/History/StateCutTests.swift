import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import Testing

/// A state whose rows lie in tables up to a position, with the events after it in memory.
struct StateCutTests {
    private static func events() throws -> [Event] {
        try TemporaryLog.golden.compactMap { try EventRecord.decode($0).event() }
    }

    private static func rows(_ state: State) -> [Row] {
        state.rows.scan(prefix: [], after: nil, limit: .max)
    }

    @Test(arguments: 0..<8)
    func `wherever the tables end, the state is that of a fold from the beginning`(
        offset: Int
    ) throws {
        let events = try Self.events()
        var whole = State()
        for event in events { whole.evolve(event) }
        let expected = Self.rows(whole)
        for cut in stride(from: offset, to: events.count, by: 16) {
            var state = State(in: MemoryRows())
            for event in events[..<cut] { state.evolve(event) }
            state.save()
            for event in events[cut...] { state.evolve(event) }
            #expect(Self.rows(state) == expected, "tables through event \(cut)")
            #expect(state.damage == nil)
        }
    }

    @Test func `a log's tables hold what its events add up to, however long the tail is`() throws {
        let log = try TemporaryLog([])
        var folded = State()
        folded.keepsSearchIndex = true
        var next = 0
        for count in [1, 60, 7, 130, 2, 100, 100] {
            let end = min(next + count, TemporaryLog.golden.count)
            try log.append(TemporaryLog.golden[next..<end])
            let stored = try log.log.read { Self.rows($0.state) }
            for record in TemporaryLog.golden[next..<end] {
                if let event = try EventRecord.decode(record).event() { folded.evolve(event) }
            }
            #expect(stored == Self.rows(folded))
            if count > 50 { try log.log.bringForward() }
            #expect(try log.log.read { Self.rows($0.state) } == stored)
            next = end
        }
    }
}
