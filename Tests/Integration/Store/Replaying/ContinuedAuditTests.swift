import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookSystem
import Testing
import TestSupport

@testable import DaybookReplay

/// An audit that goes on from a cache says in the end what an audit of the whole log says.
struct ContinuedAuditTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    // MARK: - The law

    @Test func `a replay may go on after every event`() throws {
        let records = try GoldenLogTests.lines("v1", "tampered").map { try EventRecord.decode($0) }
        let whole = try replay(records, cuttingAt: [])
        #expect(!whole.divergences.isEmpty)
        #expect(try replay(records, cuttingAt: Array(0...records.count)) == whole)
        for cut in stride(from: 0, through: records.count, by: 61) {
            #expect(try replay(records, cuttingAt: [cut]) == whole, "\(cut)")
        }
    }

    @Test func `a verification may go on after every event`() throws {
        let lines = try GoldenLogTests.lines("v1", "session")
        let whole = try verify(lines, cuttingAt: [])
        #expect(whole.signatures > 0 && whole.faults == [])
        #expect(try verify(lines, cuttingAt: Array(0...lines.count)) == whole)
        for cut in stride(from: 0, through: lines.count, by: 61) {
            #expect(try verify(lines, cuttingAt: [cut]) == whole, "\(cut)")
        }
    }

    @Test(arguments: try BadLog.all("v1"))
    func `a lie on either side of the cut is found as in the whole log`(log: BadLog) throws {
        let golden = try GoldenLogTests.lines("v1", "session")
        let lie = try #require(
            zip(golden, log.events).enumerated().first { $0.element.0 != $0.element.1 })
        let whole = try verify(log.events, cuttingAt: [])
        let cuts = [lie.offset, lie.offset + 1]
        for cut in cuts { #expect(try verify(log.events, cuttingAt: [cut]) == whole, "\(cut)") }
        let records = log.events.compactMap { try? EventRecord.decode($0) }
        guard records.count == log.events.count else { return }
        let replayed = try replay(records, cuttingAt: [])
        for cut in cuts { #expect(try replay(records, cuttingAt: [cut]) == replayed, "\(cut)") }
    }

    // MARK: - The cache

    @Test func `the rows of a cache are those that were written, in every direction`() throws {
        var written = MemoryRows()
        var writer = try AuditCacheWriter(beside: folder.path + "/result")
        writer.add(.found, [7], [1])
        for number in 0..<1000 as Range<UInt64> {
            let mixed = BigEndian.bytes(number &* 0x9e37_79b9_7f4a_7c15)
            let key = Bytes("\(number % 7)/".utf8) + mixed
            written.set(key, Bytes(repeating: UInt8(number % 251), count: Int(number % 90) + 1))
        }
        writer.add(.state, written)
        writer.add(.users, [0xff], [2])
        let rows = try opened(writer).rows(.state)
        #expect(all(rows) == all(written))
        for key in [[], [0], [0xff, 0xff]] + all(written).map(\.key) {
            #expect(rows.value(key) == written.value(key))
            #expect(rows.value(key + [0]) == nil)
        }
        let places = [nil, [0], Bytes("3".utf8), [0xff]] + all(written).prefix(40).map(\.key)
        for prefix in [[], Bytes("3/".utf8), Bytes("6/".utf8), Bytes("9".utf8)] {
            for place in places {
                for limit in [0, 1, 17, 2000] {
                    #expect(
                        rows.scan(prefix: prefix, after: place, limit: limit)
                            == written.scan(prefix: prefix, after: place, limit: limit))
                    #expect(
                        rows.scanBackward(prefix: prefix, before: place, limit: limit)
                            == written.scanBackward(prefix: prefix, before: place, limit: limit))
                }
            }
        }
        let empty = try opened(try AuditCacheWriter(beside: folder.path + "/result"))
        #expect(all(empty.rows(.state)) == [])
    }

    @Test func `an altered, cut or foreign file is no cache of the same digest`() throws {
        var writer = try AuditCacheWriter(beside: folder.path + "/result")
        writer.add(.state, Bytes("key".utf8), Bytes("value".utf8))
        let digest = try opened(writer).digest
        let path = AuditCacheFiles.path(of: digest, beside: folder.path + "/result")
        let bytes = try Files.read(path, limit: 1000)
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= 1
            try Files.writeAtomically(path, altered, mode: 0o600)
            #expect(try AuditCache(path)?.digest != digest)
            try Files.writeAtomically(path, Bytes(bytes[..<index]), mode: 0o600)
            #expect(try AuditCache(path)?.digest != digest)
        }
        #expect(try AuditCache(folder.path + "/missing") == nil)
    }

    // MARK: - Helpers

    private func all(_ rows: any Rows) -> [Row] {
        var all: [Row] = []
        rows.walk { all.append(Row(key: $0, value: $1)) }
        return all
    }

    private func opened(_ writer: consuming AuditCacheWriter) throws -> AuditCache {
        let path = folder.path + "/result"
        let written = try writer.finish()
        try written.complete(beside: path)
        let cache = try #require(
            try AuditCache(AuditCacheFiles.path(of: written.digest, beside: path)))
        #expect(cache.digest == written.digest)
        return cache
    }

    /// Replays a log, of which audits end and others go on at some sizes.
    private func replay(_ records: [EventRecord], cuttingAt cuts: [Int]) throws -> Replay {
        let decide = Links.decider.decide
        var (replayer, reader) = (Replayer(decide: decide), RecordReader())
        var cache: AuditCache?
        for size in 0...records.count {
            if cuts.contains(size) {
                var writer = try AuditCacheWriter(beside: folder.path + "/result")
                replayer.carry(reader.tree, after: cache, in: &writer)
                let read = try opened(writer)
                let (continued, tree) = try Replayer.continued(
                    read, rows: MemoryRows(), decide: decide)
                #expect(read.tree?.root() == tree.root() && tree.size == UInt64(size))
                (replayer, reader) = (continued, RecordReader(after: tree, continued.state))
                cache = read
            }
            if size < records.count { replayer.take(reader.read(DecodedRecord(records[size]))) }
        }
        replayer.finish()
        return Replay(replayer)
    }

    /// All that a verification says.
    private struct Verified: Equatable {
        let head: TreeHead
        let signatures: Int
        let checkpoints: [UInt64]
        let faults: [Violation]
        let count: Int
        let gaps: [String]
    }

    private func verify(_ events: [Bytes], cuttingAt cuts: [Int]) throws -> Verified {
        let logID = try #require(events.lazy.compactMap { try? EventRecord.decode($0) }.first).logID
        var verifier = try LogVerifier(logID: logID)
        for size in 0...events.count {
            if cuts.contains(size) {
                var writer = try AuditCacheWriter(beside: folder.path + "/result")
                verifier.carry(in: &writer)
                verifier = try LogVerifier.continued(
                    try opened(writer), logID: logID, trusting: AuditTrust(), rows: MemoryRows(),
                    where: { _ in true })
            }
            if size < events.count { verifier.feed(events[size]) }
        }
        let result = verifier.finish()
        return Verified(
            head: result.head, signatures: result.signatures,
            checkpoints: [
                result.checkpoints.count, result.checkpoints.signed,
                result.checkpoints.signedSize,
            ], faults: result.violations, count: result.violationCount,
            gaps: result.gaps.map { "\($0.check) \($0.why)" })
    }
}
