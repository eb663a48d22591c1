import DaybookEncoding
import Testing

@testable import DaybookLog

struct TreeFoldTests {
    private static func tree(_ count: UInt64) throws -> TreeReader<MemoryRows> {
        var appender = try TreeAppender(MemoryRows(), size: 0)
        for number in 0..<count { appender.append(event(number)) }
        appender.save()
        return TreeReader(appender.rows, size: count)
    }

    private static func event(_ number: UInt64) -> Bytes { Bytes("event \(number)".utf8) }

    @Test func `adding leaves up gives every root on the way`() throws {
        let tree = try Self.tree(300)
        var fold = TreeFold()
        for size in 0...UInt64(300) {
            #expect(fold.size == size)
            #expect(fold.root() == (try tree.head(at: size).root))
            fold.add(leaf: Self.event(size))
        }
    }

    @Test func `the hashes that cover a range stand for its leaves`() throws {
        let count: UInt64 = 70
        let tree = try Self.tree(count)
        let root = try tree.head(at: count).root
        for first in 0..<count {
            for end in stride(from: first + 1, through: count, by: 3) {
                let hashes = try tree.cover(first..<end)
                #expect(hashes.count <= 12)
                var fold = TreeFold()
                for number in 0..<first { fold.add(leaf: Self.event(number)) }
                for (height, hash) in zip(TreeFold.cover(first..<end), hashes) {
                    fold.add(hash, height: height)
                }
                for number in end..<count { fold.add(leaf: Self.event(number)) }
                #expect(fold.root() == root)
            }
        }
    }

    @Test func `a cover is as short as can be, up to the largest tree`() {
        #expect(TreeFold.cover(0..<0).isEmpty)
        #expect(TreeFold.cover(0..<16) == [4])
        #expect(TreeFold.cover(1..<16) == [0, 1, 2, 3])
        #expect(TreeFold.cover(3..<11) == [0, 2, 1, 0])
        #expect(TreeFold.cover(0..<UInt64.max).count == 64)
        #expect(TreeFold.cover(1..<UInt64.max).count == 126)
    }

    @Test func `leaves that the tree does not have can't be covered`() throws {
        let tree = try Self.tree(5)
        #expect(throws: TreeError.beyondSize(asked: 6, size: 5)) { _ = try tree.cover(0..<6) }
    }
}
