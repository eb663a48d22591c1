import DaybookCrypto
import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookLMDB
@testable import DaybookLog
@testable import DaybookMigrations

/// The tree over a log's events, kept by the appends themselves.
struct LogTreeTests {
    let folder: TemporaryFolder
    let log: EventLog

    init() throws {
        folder = try TemporaryFolder()
        log = try Migrations.createLog(at: folder.log)
    }

    private func append(_ count: Int) throws {
        try log.write { transaction in
            for _ in 0..<count { _ = try transaction.append(.sample(session: .own)) }
        }
    }

    @Test func `the tree is over all events, in any groups of appends`() throws {
        #expect(try log.read { try $0.head() } == TreeHead(of: []))
        for count in [1, 1, 2, 13, 15, 16, 17, 255, 1, 300] { try append(count) }
        let events = try log.read { try $0.bytes(from: 0, limit: .max) }
        for size in [0, 1, 2, 3, 17, 32, 64, 255, 256, 257, 320, 621] {
            let head = try log.read { try $0.head(at: UInt64(size)) }
            #expect(head == TreeHead(of: Array(events.prefix(size))))
        }
    }

    @Test func `a log proves that it has an event and that it only grew`() throws {
        try append(100)
        let old = try log.read { try $0.head() }
        let event = try #require(try log.read { try $0.bytes(at: 41) })
        try append(57)
        let new = try log.read { try $0.head() }
        let inclusion = try log.read { try $0.inclusionProof(of: 41) }
        #expect(inclusion.proves(event, in: new))
        #expect(!inclusion.proves(event, in: old))
        let consistency = try log.read { try $0.consistencyProof(from: 100) }
        #expect(consistency.proves(old, beginsAs: new))
    }

    @Test func `an undone append leaves no leaf`() throws {
        struct Stop: Error {}
        try append(20)
        let head = try log.read { try $0.head() }
        #expect(throws: Stop.self) {
            try log.write { transaction in
                _ = try transaction.append(.sample(session: .own))
                throw Stop()
            }
        }
        #expect(try log.read { try $0.head() } == head)
    }
}

extension TreeHead {
    /// The head over events by RFC 6962's own words, without any row.
    init(of events: [Bytes]) {
        self.init(size: UInt64(events.count), root: Self.root(events[...]))
    }

    private static func root(_ events: ArraySlice<Bytes>) -> TreeHash {
        guard let first = events.first else { return .ofEmptyTree }
        if events.count == 1 { return TreeHash(EventRecord.leafHash(first))! }
        var half = 1
        while half * 2 < events.count { half *= 2 }
        let left = root(events.prefix(half)).bytes
        let right = root(events.dropFirst(half)).bytes
        return TreeHash(SHA256.hash([1] + left + right))!
    }
}
