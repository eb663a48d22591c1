import DaybookEncoding
import DaybookLog
import EventStores
import Testing

extension StoreLaw {
    /// The facts that a reading may keep from an earlier one, and those that it may not.
    static let freshness = [
        StoreLaw("a reading that asks sees what others appended, and a later one no less") {
            (log, store) throws in
            let other = try store.other()
            for (count, name) in ["a", "b", "c"].enumerated() {
                _ = try other.append(batch(name), expecting: UInt64(count), epoch: 1)
                #expect(try log.count(.askedNow) == UInt64(count) + 1)
                #expect(try log.count(.published) == UInt64(count) + 1)
                #expect(try names(log.read(.published, from: UInt64(count), limit: 9)) == [name])
            }
            _ = try other.append(batch("d"), expecting: 3, epoch: 1)
            #expect(try log.count(.published) >= 3)
            #expect(try log.count(.asWriter) == 4)
            #expect(try log.count(.published) == 4)
        },
        StoreLaw("a reading without a question has what its process appended") { (log, _) throws in
            for number in 0..<50 {
                _ = try log.append(batch("\(number)"), expecting: UInt64(number), epoch: 1)
                #expect(try log.count(.published) == UInt64(number) + 1)
                let last = try log.read(.published, from: UInt64(number), limit: 9)
                #expect(names(last) == ["\(number)"])
            }
            let all = try log.read(.published, from: 0, limit: 99)
            #expect(names(all) == (0..<50).map { "\($0)" })
        },
        StoreLaw("a turn decides at the log's end, whatever was read before") {
            (log, store) throws in
            let other = try store.other()
            #expect(try log.count(.published) == 0)
            _ = try other.append(batch("a"), expecting: 0, epoch: 1)
            try log.turn { view throws in ((), batch("behind \(view.count)")) }
            #expect(try names(log.read(.published, from: 0, limit: 9)) == ["a", "behind 1"])
        },
        StoreLaw("a turn that appends nothing answers as of the log's end") {
            (log, store) throws in
            let other = try store.other()
            #expect(try log.count(.published) == 0)
            _ = try other.append(batch("a"), expecting: 0, epoch: 1)
            #expect(try log.turn { view throws in (view.count, batch([])) } == 1)
        },
        StoreLaw("events at several positions come in the order of the positions") {
            (log, store) throws in
            let all = (0..<3000).map { "event \($0)" }
            _ = try log.append(batch(all), expecting: 0, epoch: 1)
            for store in [log, try store.other()] {
                try store.snapshot { view throws in
                    let positions: [UInt64] = [2999, 0, 17, 17, 1024, 2998]
                    let found = try names(view.events(at: positions))
                    #expect(found == positions.map { "event \($0)" })
                    #expect(try view.events(at: []).isEmpty)
                    let many = (0..<UInt64(3000)).reversed().map { $0 }
                    #expect(try names(view.events(at: many)) == all.reversed())
                    #expect(throws: LogError.damaged(
                        position: 3000, reason: "the event is missing")
                    ) { try view.events(at: [1, 3000]) }
                }
            }
        },
    ]
}
