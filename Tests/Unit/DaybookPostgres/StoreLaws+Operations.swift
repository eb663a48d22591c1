import DaybookEncoding
import DaybookLog
import EventStores
import Testing

extension StoreLaw {
    /// What an operation may keep from one read to the next, and what it may not.
    static let operations = [
        StoreLaw("an operation sees what others appended before it began or was renewed") {
            (log, store) throws in
            let other = try store.other()
            _ = try other.append(batch("a"), expecting: 0, epoch: 1)
            try LogOperation.run { () throws in
                #expect(try names(log.read(from: 0, limit: 9)) == ["a"])
                _ = try other.append(batch("b"), expecting: 1, epoch: 1)
                LogOperation.renew()
                #expect(try names(log.read(from: 0, limit: 9)) == ["a", "b"])
                _ = try other.append(batch("c"), expecting: 2, epoch: 1)
            }
            #expect(try log.count() == 3)
            _ = try other.append(batch("d"), expecting: 3, epoch: 1)
            try LogOperation.run { () throws in #expect(try log.count() == 4) }
        },
        StoreLaw("an operation reads what it has appended") { (log, _) throws in
            try LogOperation.run { () throws in
                for number in 0..<50 {
                    _ = try log.append(batch("\(number)"), expecting: UInt64(number), epoch: 1)
                    #expect(try log.count() == UInt64(number) + 1)
                    let last = try log.read(from: UInt64(number), limit: 9)
                    #expect(names(last) == ["\(number)"])
                }
                #expect(try names(log.read(from: 0, limit: 99)) == (0..<50).map { "\($0)" })
            }
        },
        StoreLaw("an operation decides at the log's end, whatever it has read before") {
            (log, store) throws in
            let other = try store.other()
            try LogOperation.run { () throws in
                #expect(try log.count() == 0)
                _ = try other.append(batch("a"), expecting: 0, epoch: 1)
                try log.turn { view throws in ((), batch("behind \(view.count)")) }
                #expect(try names(log.read(from: 0, limit: 9)) == ["a", "behind 1"])
            }
        },
        StoreLaw("an operation finds a take-over before it sends, whatever it has read before") {
            (log, store) throws in
            guard let takeOver = store.takeOver else { return }
            try LogOperation.run { () throws in
                try log.checkWriter()
                _ = try takeOver()
                #expect(throws: LogError.fenced(held: 1, epoch: 2)) { try log.checkWriter() }
            }
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
