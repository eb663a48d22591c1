import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import Foundation
import TestSupport
import Testing

@testable import Daybook

/// Witnesses cosign a store's checkpoints, and one that fails keeps nothing back.
struct WitnessTests {
    private let temporary: TemporaryStore
    private let store: Store
    private let witness: TestWitness

    init() async throws {
        let temporary = try TemporaryStore()
        self.temporary = temporary
        store = try temporary.open()
        witness = try TestWitness { temporary.now.withLock { $0 } }
        _ = try await store.addTestWallet(.dash)
    }

    private func add(_ witness: TestWitness) async throws {
        try await store.addWitness(witness.url, key: witness.key.text)
    }

    private func audited(_ keys: [WitnessKey]) async throws -> Verification {
        let records = try await store.allRecords()
        let trust = AuditTrust(witnesses: keys)
        var verifier = try LogVerifier(logID: records[0].logID, trusting: trust)
        for record in records { verifier.feed(record.bytes) }
        return verifier.finish()
    }

    /// The same, by an audit without keys that goes on with keys after so many events.
    private func audited(_ keys: [WitnessKey], after size: Int) async throws -> Verification {
        let records = try await store.allRecords()
        let logID = records[0].logID
        var first = try LogVerifier(logID: logID)
        for record in records.prefix(size) { first.feed(record.bytes) }
        let folder = try TemporaryFolder()
        let path = folder.path + "/result"
        var writer = try AuditCacheWriter(beside: path)
        first.carry(in: &writer)
        let written = try writer.finish()
        try written.complete(beside: path)
        let cache = try AuditCache(AuditCacheFiles.path(of: written.digest, beside: path))
        var verifier = try LogVerifier.continued(
            try #require(cache), logID: logID, trusting: AuditTrust(witnesses: keys),
            rows: MemoryRows(), where: { _ in true })
        for record in records.dropFirst(size) { verifier.feed(record.bytes) }
        return verifier.finish()
    }

    @Test func `an audit that goes on counts earlier cosignatures of a witness`() async throws {
        try await add(witness)
        _ = try await store.checkpoint()
        _ = try await store.receive("dashwallet://request=address&sender=shop")
        _ = try await store.checkpoint()
        let whole = try await audited([witness.key])
        #expect(!whole.coverage.isEmpty && whole.violations == [])
        for size in 1...Int(whole.events) {
            let result = try await audited([witness.key], after: size)
            #expect(result.coverage == whole.coverage, "cut after \(size) events")
            #expect(result.violations == [])
            #expect(result.gaps.map(\.check) == whole.gaps.map(\.check))
        }
    }

    @Test func `a checkpoint is cosigned by each witness, recorded and audited`() async throws {
        let second = try TestWitness(2, name: "x") { [temporary] in temporary.now.withLock { $0 } }
        try await add(witness)
        try await add(second)
        let made = try await store.checkpoint()
        #expect(made.problems == [])
        let note = try SignedNote(Bytes(made.note.utf8))
        for key in [witness.key, second.key] { #expect(try key.claim(in: note) != nil) }
        let records = try await store.allRecords()
        #expect(records.suffix(2).map(\.type) == Array(repeating: "checkpoint.cosigned", count: 2))
        #expect(records.suffix(2).allSatisfy { $0.stream == "cosignatures" })
        #expect(try await store.lastCheckpoint()?.position == made.position)
        let audit = try await audited([witness.key, second.key])
        #expect(audit.violations == [])
        #expect(
            audit.coverage.spans(of: audit.events).map(\.to)
                == [Position(made.size - 1), Position(made.size - 1), Position(audit.events - 1)])
        #expect(audit.gaps.isEmpty || audit.gaps.allSatisfy { $0.check != .witnesses })
        #expect(try await store.witnesses().map(\.through) == [1, 1].map { _ in
            Position(made.size - 1)
        })
        try await store.expectCleanReplay()
    }

    @Test func `a cosignature without its key counts for nothing, and is reported`() async throws {
        try await add(witness)
        _ = try await store.checkpoint()
        let audit = try await audited([])
        #expect(audit.coverage.isEmpty)
        #expect(
            audit.gaps.last?.why
                == "1 cosignatures are recorded, and no witness's key was given")
        let namesake = try TestWitness(7, name: "w") { 0 }
        let other = try await audited([namesake.key])
        #expect(other.coverage.isEmpty && other.violations == [])
        #expect(other.gaps.last?.why == "w has cosigned nothing here")
    }

    @Test func `the next checkpoint is proven from the last one, and another size is asked for`()
        async throws
    {
        try await add(witness)
        _ = try await store.checkpoint()
        #expect(witness.requests == 1)
        _ = try await store.checkpoint()
        #expect(witness.requests == 2)
        // Set on a store that knows nothing of it, the witness says what it has.
        let third = try TestWitness(3, name: "y") { [temporary] in temporary.now.withLock { $0 } }
        try await add(third)
        _ = try await store.checkpoint()
        try await store.removeWitness(third.key.text)
        let made = try await store.checkpoint()
        #expect(made.problems == [] && third.requests == 1)
        try await add(third)
        _ = try await store.checkpoint()
        #expect(third.requests == 2 && third.last?.size == witness.last?.size)
    }

    private static let manners: [(TestWitness.Manner, DaybookError.Code)] = [
        (.silent, .witnessUnreachable), (.slow, .witnessUnreachable),
        (.unknowing, .witnessRefuses), (.refusing, .witnessRefuses), (.failing, .witnessWrong),
        (.talkative, .witnessWrong), (.wrongSignature, .witnessWrong), (.otherNote, .witnessWrong),
        (.otherKey, .witnessWrong), (.otherSize(1), .witnessWrong),
        (.otherSize(1 << 40), .witnessAhead), (.wrongClock, .witnessClockOff),
    ]

    @Test(arguments: manners.indices)
    func `a witness that fails is named, and the checkpoint stands`(index: Int) async throws {
        let (manner, code) = Self.manners[index]
        let honest = try TestWitness(2, name: "x") { [temporary] in temporary.now.withLock { $0 } }
        witness.behave(manner)
        try await add(witness)
        try await add(honest)
        let made = try await store.checkpoint()
        #expect(made.problems.map(\.code) == [code])
        #expect(try await store.lastCheckpoint()?.position == made.position)
        let list = try await store.witnesses()
        #expect(list.map(\.problem?.code) == [code, nil])
        #expect(list.map(\.through) == [nil, Position(made.size - 1)])
        let audit = try await audited([witness.key, honest.key])
        #expect(audit.violations == [])
        // Its next success takes the problem away.
        witness.behave(.honest)
        #expect(try await store.checkpoint().problems == [])
        #expect(try await store.witnesses().map(\.problem) == [nil, nil])
    }

    @Test func `a payment that is recorded waits for no witness`() async throws {
        witness.behave(.silent)
        try await add(witness)
        async let made = store.checkpoint()
        while witness.requests == 0 { await Task.yield() }
        let began = ContinuousClock.now
        _ = try await store.receive("dashwallet://request=address&sender=shop")
        #expect(ContinuousClock.now - began < .seconds(2))
        #expect(try await made.problems.map(\.code) == [.witnessUnreachable])
    }

    @Test func `a witness that has changed its key counts for nothing until the new one is set`()
        async throws
    {
        try await add(witness)
        _ = try await store.checkpoint()
        witness.behave(.otherKey)
        #expect(try await store.checkpoint().problems.map(\.code) == [.witnessWrong])
        let audit = try await audited([witness.key])
        #expect(audit.violations == [] && !audit.coverage.isEmpty)
    }

    @Test func `a key that is none, or of a log, and an address that is none are refused`()
        async throws
    {
        let log = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
        for key in ["", "w", log, witness.key.text + "x"] {
            #expect(
                await errorCode { try await store.addWitness(witness.url, key: key) }
                    == .invalidWitnessKey)
        }
        for url in ["", "ftp://w", "http://", "http://u@w", "http://w?x"] {
            #expect(
                await errorCode { try await store.addWitness(url, key: witness.key.text) }
                    == .invalidWitnessURL)
        }
        #expect(
            await errorCode { try await store.removeWitness(witness.key.text) } == .unknownWitness)
        #expect(try await store.witnesses() == [])
        try await add(witness)
        let moved = try await store.addWitness("https://w.example/", key: witness.key.text)
        #expect(moved.url == "https://w.example")
        #expect(try await store.witnesses() == [moved])
        try await store.removeWitness(witness.key.text)
        #expect(try await store.witnesses() == [])
    }
}
