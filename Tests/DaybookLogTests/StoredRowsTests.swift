import DaybookEncoding
import DaybookLMDB
import DaybookMigrations
import Testing

@testable import DaybookLog

/// The stored rows do what rows in memory do, and remember when they can't.
struct StoredRowsTests {
    let folder: TemporaryFolder
    let log: EventLog

    init() throws {
        folder = try TemporaryFolder()
        log = try Migrations.createLog(at: folder.log)
    }

    /// A small generator that gives the same numbers on every machine.
    private struct Numbers {
        var state: UInt64

        mutating func next(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }

        mutating func key(_ shortest: UInt64 = 1) -> Bytes {
            // Few different bytes, so that prefixes are shared; the edges 0 and 255 included.
            let letters: Bytes = [0, 1, 0x61, 0xfe, 0xff]
            let length = shortest + next(4)
            return (0..<length).map { _ in letters[Int(next(5))] }
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5])
    func `stored rows answer as rows in memory do`(seed: UInt64) throws {
        var numbers = Numbers(state: seed)
        var memory = MemoryRows()
        for _ in 0..<20 {
            try log.write { transaction in
                for _ in 0..<60 {
                    let key = numbers.key()
                    if numbers.next(3) == 0 {
                        memory.remove(key)
                        transaction.rows.remove(key)
                    } else {
                        let value = Bytes(repeating: 7, count: Int(numbers.next(3)))
                        memory.set(key, value)
                        transaction.rows.set(key, value)
                    }
                }
                Self.compare(memory, transaction.rows, &numbers)
            }
            try log.read { Self.compare(memory, $0.rows, &numbers) }
        }
    }

    private static func compare(
        _ memory: MemoryRows, _ stored: StoredRows, _ numbers: inout Numbers
    ) {
        for _ in 0..<30 {
            let key = numbers.key(0)
            let prefix = numbers.next(3) == 0 ? [] : numbers.key(0)
            let bound = numbers.next(2) == 0 ? nil : numbers.key(0)
            let limit = Int(numbers.next(12))
            #expect(memory.value(key) == stored.value(key))
            #expect(
                memory.scan(prefix: prefix, after: bound, limit: limit)
                    == stored.scan(prefix: prefix, after: bound, limit: limit),
                "after \(String(describing: bound)) under \(prefix)")
            #expect(
                memory.scanBackward(prefix: prefix, before: bound, limit: limit)
                    == stored.scanBackward(prefix: prefix, before: bound, limit: limit),
                "before \(String(describing: bound)) under \(prefix)")
        }
    }

    @Test(arguments: [0, 512])
    func `a key that can't be kept fails the whole write`(length: Int) throws {
        try log.write { $0.rows.set([1], [1]) }
        let expected = LogError.badLength(field: "row key", bytes: length, limit: 511)
        #expect(throws: expected) {
            try log.write { transaction in
                transaction.rows.set([1], [2])
                transaction.rows.set(Bytes(repeating: 1, count: length), [3])
                #expect(transaction.rows.value([1]) == nil)
                #expect(transaction.rows.scan(prefix: [], after: nil, limit: 5).isEmpty)
            }
        }
        #expect(try log.read { $0.rows.value([1]) } == [1])
        #expect(try log.read { $0.rows.value(Bytes(repeating: 1, count: length)) } == nil)
    }

    @Test func `a failed row is the error, not what followed from it`() throws {
        struct Consequence: Error {}
        let expected = LogError.badLength(field: "row key", bytes: 0, limit: 511)
        #expect(throws: expected) {
            try log.write { transaction in
                transaction.rows.set([], [])
                throw Consequence()
            }
        }
    }

    @Test func `the longest key is kept`() throws {
        let key = Bytes(repeating: 0xff, count: 511)
        try log.write { $0.rows.set(key, []) }
        try log.read { snapshot in
            #expect(snapshot.rows.value(key) == [])
            #expect(
                snapshot.rows.scan(prefix: [0xff], after: nil, limit: 1)
                    == [Row(key: key, value: [])])
            #expect(
                snapshot.rows.scanBackward(prefix: [0xff], before: nil, limit: 1)
                    == [Row(key: key, value: [])])
        }
    }

    @Test func `copies of the rows share the table`() throws {
        try log.write { transaction in
            var copy: any Rows = transaction.rows
            copy.set([5], [6])
            #expect(transaction.rows.value([5]) == [6])
        }
        #expect(try log.read { $0.rows.value([5]) } == [6])
    }
}
