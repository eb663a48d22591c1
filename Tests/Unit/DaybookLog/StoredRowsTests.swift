import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookLMDB
@testable import DaybookLog

/// The stored rows do what rows in memory do, and remember when they can't.
struct StoredRowsTests {
    private let folder: TemporaryFolder
    private let environment: Environment

    init() throws {
        folder = try TemporaryFolder()
        environment = try Environment(folder.path)
        try environment.write { _ = try $0.table("rows", create: true) }
    }

    private func write(_ body: (inout StoredRows) throws -> Void) throws {
        try environment.write { view in
            var rows = StoredRows(view, try #require(try view.table("rows")))
            try body(&rows)
            if let failure = rows.failure { throw failure }
        }
    }

    private func read(_ body: (StoredRows) throws -> Void) throws {
        try environment.read { view in
            try body(StoredRows(view, try #require(try view.table("rows"))))
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5])
    func `stored rows answer as rows in memory do`(seed: UInt64) throws {
        var numbers = Seeded(seed)
        var memory = MemoryRows()
        for _ in 0..<20 {
            try write { rows in
                for _ in 0..<60 {
                    let key = numbers.key()
                    if numbers.below(3) == 0 {
                        memory.remove(key)
                        rows.remove(key)
                    } else {
                        let value = Bytes(repeating: 7, count: numbers.below(3))
                        memory.set(key, value)
                        rows.set(key, value)
                    }
                }
                Self.compare(memory, rows, &numbers)
            }
            try read { Self.compare(memory, $0, &numbers) }
        }
    }

    private static func compare(
        _ memory: MemoryRows, _ stored: any Rows, _ numbers: inout Seeded
    ) {
        for _ in 0..<30 {
            let key = numbers.key(0)
            let prefix = numbers.below(3) == 0 ? [] : numbers.key(0)
            let bound = numbers.below(2) == 0 ? nil : numbers.key(0)
            let limit = numbers.below(12)
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
    func `a key that can't be kept fails the rows`(length: Int) throws {
        try write { $0.set([1], [1]) }
        let expected = LogError.badLength(field: "row key", bytes: length, limit: 511)
        #expect(throws: expected) {
            try write { rows in
                rows.set([1], [2])
                rows.set(Bytes(repeating: 1, count: length), [3])
                #expect(rows.value([1]) == nil)
                #expect(rows.scan(prefix: [], after: nil, limit: 5).isEmpty)
            }
        }
        try read { rows in
            #expect(rows.value([1]) == [1])
            #expect(rows.value(Bytes(repeating: 1, count: length)) == nil)
        }
    }

    @Test func `the longest key is kept`() throws {
        let key = Bytes(repeating: 0xff, count: 511)
        try write { $0.set(key, []) }
        try read { rows in
            #expect(rows.value(key) == [])
            let expected = [Row(key: key, value: [])]
            #expect(rows.scan(prefix: [0xff], after: nil, limit: 1) == expected)
            #expect(rows.scanBackward(prefix: [0xff], before: nil, limit: 1) == expected)
        }
    }

    @Test func `copies of the rows share the table`() throws {
        try write { rows in
            var copy: any Rows = rows
            copy.set([5], [6])
            #expect(rows.value([5]) == [6])
        }
        try read { #expect($0.value([5]) == [6]) }
    }
}

extension Seeded {
    fileprivate mutating func key(_ shortest: Int = 1) -> Bytes {
        // Few different bytes, so that prefixes are shared; the edges 0 and 255 included.
        let letters: Bytes = [0, 1, 0x61, 0xfe, 0xff]
        let length = shortest + below(4)
        return (0..<length).map { _ in pick(letters) }
    }
}
