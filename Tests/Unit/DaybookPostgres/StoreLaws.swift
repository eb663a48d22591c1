import DaybookEncoding
import DaybookLog
import DaybookSystem
import EventStores
import Testing

/// A law for every store of events, on any storage.
struct StoreLaw: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let check: @Sendable (any EventStore, StoreOfKind) throws -> Void

    init(
        _ name: String, _ check: @escaping @Sendable (any EventStore, StoreOfKind) throws -> Void
    ) {
        testDescription = name
        self.check = check
    }

    /// A batch of events whose bytes tell them apart.
    static func batch(_ names: String...) -> NewEvents { batch(names) }

    static func batch(_ names: [String]) -> NewEvents {
        NewEvents(names.map { Bytes($0.utf8) }) { Bytes(repeating: 7, count: 32) }
    }

    static func names(_ events: [Bytes]) -> [String] {
        events.map { String(decoding: $0, as: UTF8.self) }
    }

    struct Cancelled: Error {}
}

extension StoreLaw {
    static let all: [StoreLaw] = appending + reading + writers + freshness

    private static let appending = [
        StoreLaw("a new log has no events") { (log, _) throws in
            #expect(try log.count() == 0)
            #expect(try log.read(from: 0, limit: 9).isEmpty)
        },
        StoreLaw("an append is at the expected position, and its answer is the new count") {
            (log, _) throws in
            #expect(
                try log.append(batch("a", "b"), expecting: 0, epoch: 1) == .appended(count: 2))
            #expect(try log.append(batch("c"), expecting: 2, epoch: 1) == .appended(count: 3))
            #expect(try names(log.read(from: 0, limit: 9)) == ["a", "b", "c"])
        },
        StoreLaw("an append at another position is a conflict and changes nothing") {
            (log, _) throws in
            _ = try log.append(batch("a"), expecting: 0, epoch: 1)
            for wrong: UInt64 in [0, 2, 99] {
                #expect(
                    try log.append(batch("x", "y"), expecting: wrong, epoch: 1)
                        == .conflict(count: 1))
            }
            #expect(try names(log.read(from: 0, limit: 9)) == ["a"])
        },
        StoreLaw("an append of another epoch is fenced and changes nothing") { (log, _) throws in
            #expect(try log.append(batch("x"), expecting: 0, epoch: 2) == .fenced(epoch: 1))
            #expect(try log.append(batch("x"), expecting: 0, epoch: 0) == .fenced(epoch: 1))
            #expect(try log.count() == 0)
        },
        StoreLaw("an append of nothing is at the expected position or a conflict") {
            (log, _) throws in
            _ = try log.append(batch("a"), expecting: 0, epoch: 1)
            #expect(try log.append(batch([]), expecting: 1, epoch: 1) == .appended(count: 1))
            #expect(try log.append(batch([]), expecting: 0, epoch: 1) == .conflict(count: 1))
        },
        StoreLaw("events of every size come back as they were") { (log, _) throws in
            let events = [0, 1, 255, 4096, 65_536, LogLimits.eventBytes].map { size in
                Bytes((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            }
            let new = NewEvents(events) { Bytes(repeating: 0, count: 32) }
            #expect(try log.append(new, expecting: 0, epoch: 1) == .appended(count: 6))
            #expect(try log.read(from: 0, limit: 9) == events)
        },
        StoreLaw("a batch of thousands is one append, in order") { (log, _) throws in
            let all = (0..<3000).map { "event \($0)" }
            #expect(
                try log.append(batch(all), expecting: 0, epoch: 1)
                    == .appended(count: 3000))
            #expect(try names(log.read(from: 0, limit: 4000)) == all)
        },
    ]

    private static let reading = [
        StoreLaw("a read begins where it is told and keeps its limits") { (log, _) throws in
            _ = try log.append(batch("aa", "bb", "cc", "dd"), expecting: 0, epoch: 1)
            #expect(try names(log.read(from: 1, limit: 2)) == ["bb", "cc"])
            #expect(try log.read(from: 4, limit: 2).isEmpty)
            #expect(try log.read(from: 0, limit: 0).isEmpty)
            try log.snapshot { view throws in
                #expect(try names(view.events(from: 0, limit: 9, byteLimit: 3)) == ["aa", "bb"])
                #expect(try view.bytes(at: 3) == Bytes("dd".utf8))
                #expect(try view.bytes(at: 1) == Bytes("bb".utf8))
                #expect(try view.bytes(at: 4) == nil)
            }
        },
        StoreLaw("a view does not grow while others append") { (log, store) throws in
            _ = try log.append(batch("a"), expecting: 0, epoch: 1)
            try log.snapshot { view throws in
                let done = Monitor<Result<AppendAnswer, any Error>?>(nil)
                let thread = WorkThread()
                thread.run {
                    let answer = Result { try log.append(batch("b"), expecting: 1, epoch: 1) }
                    done.change { $0 = answer }
                    return {}
                }
                let answer = try done.change(when: { $0 != nil }) { $0 }?.get()
                #expect(answer == .appended(count: 2))
                #expect(view.count == 1)
                #expect(try names(view.events(from: 0, limit: 9, byteLimit: .max)) == ["a"])
            }
            #expect(try log.count() == 2)
        },
        StoreLaw("what was appended is read at once") { (log, _) throws in
            for number in 0..<50 {
                _ = try log.append(batch("\(number)"), expecting: UInt64(number), epoch: 1)
                #expect(try names(log.read(from: UInt64(number), limit: 9)) == ["\(number)"])
            }
        },
    ]

    private static let writers = [
        StoreLaw("a turn appends what it decides, and returns its value") { (log, _) throws in
            let value = try log.turn { view throws in ("count \(view.count)", batch("a", "b")) }
            #expect(value == "count 0")
            #expect(try log.turn { ("count \($0.count)", batch([])) } == "count 2")
        },
        StoreLaw("a turn that throws appends nothing") { (log, _) throws in
            #expect(throws: Cancelled.self) {
                try log.turn { _ -> (Int, NewEvents) in throw Cancelled() }
            }
            #expect(try log.count() == 0)
        },
        StoreLaw("turns of several threads leave no gap and lose nothing") { (log, _) throws in
            let threads = 4
            let each = 25
            let done = Monitor<[Result<Void, any Error>]>([])
            let workers = (0..<threads).map { _ in WorkThread() }
            for (name, worker) in workers.enumerated() {
                worker.run {
                    let result = Result {
                        for number in 0..<each {
                            try log.turn { ((), batch("\(name) \(number) at \($0.count)")) }
                        }
                    }
                    done.change { $0.append(result) }
                    return {}
                }
            }
            for result in done.change(when: { $0.count == threads }, { $0 }) { try result.get() }
            let found = try names(log.read(from: 0, limit: .max))
            #expect(found.count == threads * each)
            for (position, name) in found.enumerated() {
                #expect(name.hasSuffix(" at \(position)"))
            }
            #expect(Set(found).count == found.count)
        },
        StoreLaw("a take-over fences the last writer, who neither appends nor sends") {
            (log, store) throws in
            _ = try log.count(.asWriter)
            guard let takeOver = store.takeOver else { return }
            _ = try log.append(batch("a"), expecting: 0, epoch: 1)
            let next = try takeOver()
            #expect(try log.append(batch("x"), expecting: 1, epoch: 1) == .fenced(epoch: 2))
            #expect(throws: LogError.fenced(held: 1, epoch: 2)) { _ = try log.count(.asWriter) }
            #expect(throws: LogError.fenced(held: 1, epoch: 2)) {
                try log.turn { _ in ((), batch("x")) }
            }
            _ = try next.count(.asWriter)
            try next.turn { _ in ((), batch("b")) }
            #expect(try names(log.read(from: 0, limit: 9)) == ["a", "b"])
        },
        StoreLaw("a watch tells of an append, and nothing after its end") { (log, _) throws in
            let grown = Monitor(0)
            let watch = log.watch { _ in grown.change { $0 += 1 } }
            _ = try log.append(batch("a"), expecting: 0, epoch: 1)
            grown.change(when: { $0 > 0 }) { _ in }
            _ = watch
        },
    ]
}
