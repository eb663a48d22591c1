import DaybookEncoding
import DaybookMigrations
import DaybookSystem
import Glibc
import Testing
import TestSupport

@testable import DaybookLMDB
@testable import DaybookLog

/// Several threads of one process that use the same files.
struct ThreadsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `the map grows when no other thread reads it`() throws {
        let environment = try DaybookLMDB.Environment(
            folder.path, EnvironmentOptions(initialMapBytes: 1 << 20, headroomBytes: 0))
        try environment.write { try $0.put(Self.table($0), [1], [1]) }
        let before = environment.mapBytes
        let writing = Monitor<Result<Void, any Error>?>(nil)
        let hasBegun = Monitor(false)
        let thread = WorkThread()
        try environment.read { view in
            thread.run {
                hasBegun.change { $0 = true }
                let result = Result {
                    try environment.write { view in
                        let large = Bytes(repeating: 7, count: 4 << 20)
                        try view.put(Self.table(view), [2], large)
                    }
                }
                writing.change { $0 = result }
                return {}
            }
            hasBegun.change(when: { $0 }) { _ in }
            // As long as the other thread would need several times over.
            for _ in 0..<20_000 {
                sched_yield()
                #expect(environment.mapBytes == before)
            }
            try #expect(view.value(Self.table(view), [1]) == [1])
        }
        try writing.change(when: { $0 != nil }) { $0 }?.get()
        #expect(environment.mapBytes > before)
        #expect(try environment.read { try $0.value(Self.table($0), [2])?.count } == 4 << 20)
    }

    private static func table(_ view: TransactionView) throws -> Table {
        try #require(try view.table("t", create: view.isWritable))
    }

    @Test func `one thread reads the whole log while another writes and stores what follows`()
        throws
    {
        let log = try Migrations.createLog(at: folder.log)
        let end = UInt64(3000)
        let written = Monitor<Result<Void, any Error>?>(nil)
        let thread = WorkThread()
        thread.run {
            let result = Result {
                for number in 0..<end {
                    let session: EventDraft.Reference = number == 0 ? .own : .at(0)
                    _ = try log.add([.sample(session: session, note: "\(number)")])
                }
            }
            written.change { $0 = result }
            return {}
        }
        var last: UInt64 = 0
        var isDone = false
        while !isDone {
            isDone = try written.change { try $0?.get() != nil }
            try log.read { log in
                #expect(log.count >= last)
                last = log.count
                try #expect(log.revision(ofStream: "session/0") == last)
                try #expect(log.head().size == last)
            }
        }
        #expect(last == end)
        let root = try log.read { try $0.head() }
        #expect(try log.read { TreeHead(of: try $0.bytes(from: 0, limit: .max)) } == root)
    }
}
