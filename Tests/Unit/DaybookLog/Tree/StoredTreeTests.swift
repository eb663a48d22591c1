import DaybookEncoding
import Synchronization
import Testing
import TestSupport

@testable import DaybookLog

struct StoredTreeTests {
    @Test func `every size has the root that the definition gives`() throws {
        let reader = try tree(of: 2000)
        var definition = Definition()
        for size in 0...2000 as ClosedRange<UInt64> {
            #expect(try reader.head(at: size).root == definition.root(0..<size), "\(size)")
        }
    }

    @Test func `one at a time, in transactions of any size and all at once give the same rows`()
        throws
    {
        var numbers = Seeded(1)
        let size: UInt64 = 5000
        let whole = try rows(of: tree(of: size))
        #expect(try rows(appending: Array(repeating: 1, count: Int(size))) == whole)
        for _ in 0..<10 {
            let most = UInt64.random(in: 1...1500, using: &numbers)
            var batches: [UInt64] = []
            while batches.reduce(0, +) < size {
                let batch = UInt64.random(in: 0...most, using: &numbers)
                batches.append(min(batch, size - batches.reduce(0, +)))
            }
            #expect(try rows(appending: batches) == whole, "\(batches)")
        }
    }

    @Test func `an event costs one row, a transaction of n costs n by 16 and one a level`() throws {
        var rows = CountingRows()
        for size in 0..<256 as Range<UInt64> {
            rows.writes = 0
            rows = try append(1, to: rows, of: size)
            // The sixteenth fills a row, and begins or fills one of the next level.
            #expect(rows.writes == (size == 255 ? 3 : size % 16 == 15 ? 2 : 1))
        }
        rows.writes = 0
        rows = try append(10_000, to: rows, of: 256)
        #expect(rows.writes <= 10_000 / 16 + 10_000 / 256 + 10_000 / 4096 + 4)
    }

    @Test func `a head and a proof of a large tree read few rows`() throws {
        var rows = CountingRows()
        rows = try append(100_000, to: rows, of: 0)
        let reader = TreeReader(rows, size: 100_000)
        rows.reads.reset()
        _ = try reader.head(at: 99_999)
        #expect(rows.reads.count <= 17)
        rows.reads.reset()
        _ = try reader.inclusionProof(of: 77_777, at: 99_999)
        #expect(rows.reads.count <= 2 * 17)
        rows.reads.reset()
        _ = try reader.consistencyProof(from: 77_777, to: 99_999)
        #expect(rows.reads.count <= 2 * 17)
    }

    @Test func `sixteen rows of a level are a tile of 256 hashes`() throws {
        let rows = try rows(of: tree(of: 256 * 256))
        let tile = (16..<32).flatMap { index in
            rows.first { $0.key == TreeRow.key(level: 0, index: index) }?.value ?? []
        }
        #expect(tile == (256..<512).flatMap { leafHash($0).bytes })
        let upper = (0..<16).flatMap { index in
            rows.first { $0.key == TreeRow.key(level: 2, index: index) }?.value ?? []
        }
        let reader = try tree(of: 256)
        #expect(upper.count == 256 * 32)
        #expect(Bytes(upper.prefix(32)) == (try reader.head(at: 256).root.bytes))
    }

    @Test func `a row that is missing, too long or too short is named`() throws {
        let size: UInt64 = 300
        let whole = MemoryRows(try rows(of: tree(of: size)))
        for (level, index) in [(0, 3), (0, 18), (1, 0), (1, 1), (2, 0)] as [(Int, UInt64)] {
            let key = TreeRow.key(level: level, index: index)
            let row = try #require(whole.value(key))
            for damage in [nil, Bytes(row.dropLast()), Bytes(row.dropLast(32)), row + row] {
                var rows = whole
                rows.remove(key)
                if let damage { rows.set(key, damage) }
                let error = TreeError.damaged(level: level, index: index)
                let reader = TreeReader(rows, size: size)
                #expect(throws: error) {
                    // Together these look at every row.
                    for index in 0..<size { _ = try reader.inclusionProof(of: index, at: size) }
                }
                let isOpen = row.count < 16 * 32
                if isOpen {
                    #expect(throws: error) { _ = try TreeAppender(rows, size: size).size }
                }
            }
        }
        #expect(
            TreeError.damaged(level: 1, index: 2).description
                == "the tree's row 2 of level 1 is missing or has a wrong length")
    }

    @Test func `a tree does not go on under a size that is not its own`() throws {
        let rows = MemoryRows(try rows(of: tree(of: 300)))
        for size in [299, 301] as [UInt64] {
            #expect(throws: TreeError.damaged(level: 0, index: 18)) {
                _ = try TreeAppender(rows, size: size).size
            }
        }
    }

    @Test func `a leaf that the tree does not have yet is refused`() throws {
        let reader = try tree(of: 10)
        let error = TreeError.beyondSize(asked: 11, size: 10)
        #expect(throws: error) { try reader.head(at: 11) }
        #expect(throws: error) { try reader.inclusionProof(of: 0, at: 11) }
        #expect(throws: error) { try reader.consistencyProof(from: 1, to: 11) }
        #expect(throws: TreeError.noLeaf(index: 8, size: 8)) {
            try reader.inclusionProof(of: 8, at: 8)
        }
        #expect(throws: TreeError.beyondSize(asked: 9, size: 8)) {
            try reader.consistencyProof(from: 9, to: 8)
        }
        #expect(throws: TreeError.noLeaf(index: 0, size: 0)) {
            try reader.inclusionProof(of: 0, at: 0)
        }
        #expect(
            error.description == "a tree of 11 leaves was asked for where there are 10")
        #expect(
            TreeError.noLeaf(index: 8, size: 8).description
                == "there is no leaf 8 in a tree of 8")
    }

    private func rows(of reader: TreeReader<MemoryRows>) throws -> [Row] {
        reader.rows.scan(prefix: [], after: nil, limit: .max)
    }

    /// The rows after transactions of so many events each.
    private func rows(appending batches: [UInt64]) throws -> [Row] {
        var rows = MemoryRows()
        var size: UInt64 = 0
        for batch in batches {
            rows = try append(batch, to: rows, of: size)
            size += batch
        }
        return rows.scan(prefix: [], after: nil, limit: .max)
    }

    private func append<Storage: Rows>(
        _ count: UInt64, to rows: Storage, of size: UInt64
    ) throws -> Storage {
        var appender = try TreeAppender(rows, size: size)
        for position in size..<(size + count) { appender.append(event(position)) }
        appender.save()
        return appender.rows
    }
}

extension MemoryRows {
    fileprivate init(_ rows: [Row]) {
        self.init()
        for row in rows { set(row.key, row.value) }
    }
}

/// Rows that count how often they are read and written.
private struct CountingRows: Rows {
    final class Counter: Sendable {
        private let number = Atomic(0)
        var count: Int { number.load(ordering: .relaxed) }
        func add() { number.add(1, ordering: .relaxed) }
        func reset() { number.store(0, ordering: .relaxed) }
    }

    private var rows = MemoryRows()
    let reads = Counter()
    var writes = 0

    func value(_ key: Bytes) -> Bytes? {
        reads.add()
        return rows.value(key)
    }

    mutating func set(_ key: Bytes, _ value: Bytes) {
        writes += 1
        rows.set(key, value)
    }

    mutating func remove(_ key: Bytes) {
        rows.remove(key)
    }

    func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        rows.scan(prefix: prefix, after: after, limit: limit)
    }

    func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        rows.scanBackward(prefix: prefix, before: before, limit: limit)
    }
}
