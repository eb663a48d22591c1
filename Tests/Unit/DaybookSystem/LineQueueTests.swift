import Foundation
import Testing

@testable import DaybookSystem

struct LineQueueTests {
    /// The two ends of a pipe; a test closes the second at its end, so that it is open until then.
    private func pipe() throws -> (read: FileHandle, write: FileHandle) {
        let pipe = Pipe()
        return (pipe.fileHandleForReading, pipe.fileHandleForWriting)
    }

    @Test func `a reader that reads nothing delays nobody, and gets the kept lines later`()
        async throws
    {
        let (read, write) = try pipe()
        let queue = LineQueue(to: write.fileDescriptor, limit: 1000)
        let line = String(repeating: "x", count: 99)
        // Ten lines find room in the queue, and some in the pipe.
        for _ in 0..<5000 { queue.add(line) }
        let lost = queue.takeLost()
        #expect(lost > 3000 && lost < 5000)
        #expect(queue.takeLost() == 0)
        await queue.finish(within: 0)
        var left = (5000 - Int(lost)) * 100
        while left > 0 {
            let bytes = try #require(try read.read(upToCount: min(left, 4096)))
            left -= bytes.count
        }
        await queue.finish(within: 60)
        queue.add("last")
        #expect(try read.read(upToCount: 5) == Data("last\n".utf8))
        try write.close()
    }

    @Test func `a reader that has gone, and a stream that is closed, are no failures`()
        async throws
    {
        let (read, write) = try pipe()
        let queue = LineQueue(to: write.fileDescriptor)
        try read.close()
        queue.add("nobody reads this")
        await queue.finish(within: 60)
        #expect(queue.takeLost() == 1)
        let closed = LineQueue(to: -1)
        closed.add("nor this")
        await closed.finish(within: 60)
        #expect(closed.takeLost() == 1)
        try write.close()
    }

    @Test func `a stream that does not block is waited for`() async throws {
        let (read, write) = try pipe()
        _ = fcntl(write.fileDescriptor, F_SETFL, O_NONBLOCK)
        let queue = LineQueue(to: write.fileDescriptor, limit: 1 << 20)
        for _ in 0..<1000 { queue.add(String(repeating: "x", count: 999)) }
        var bytes = Data()
        while bytes.count < 1_000_000 {
            let count = min(1_000_000 - bytes.count, 65_536)
            bytes += try #require(try read.read(upToCount: count))
        }
        try write.close()
        #expect(queue.takeLost() == 0)
        #expect(bytes.split(separator: 0x0a).allSatisfy { $0.count == 999 })
    }
}
