import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem
import Foundation
import Testing

@testable import Daybook

/// An insider has the store, its key and honest programs: he writes another log of the same name.
///
/// Nothing in such a log is wrong. Copies of the first log that others have show the fraud.
struct InsiderTests {
    /// The insider's departure from the truth.
    enum Attack: CaseIterable {
        case dropsRejection, dropsRequest, backdates, movesApproval
    }

    /// A log, and the cosigned notes of its checkpoints as others keep them.
    private struct Written {
        let store: Store
        let temporary: TemporaryStore
        var notes: [SignedNote] = []
        /// How many events there were after each step.
        var sizes: [UInt64] = []
    }

    /// Writes the log of an evening, with a checkpoint after each step.
    ///
    /// With another log's folder, this one has its name and its key.
    private func write(_ attack: Attack? = nil, as other: Written? = nil) async throws -> Written {
        let temporary = try TemporaryStore()
        if let other {
            try Files.removeTree(temporary.path)
            let id = try #require(Hex.decode(try await other.store.logID))
            try StoreFolder.create(temporary.path, logID: id)
            try Files.writeAtomically(
                StoreFolder(temporary.path).logKey,
                try Files.read(StoreFolder(other.temporary.path).logKey, limit: 1024), mode: 0o600)
        }
        if attack == .backdates { temporary.now.withLock { $0 -= 86_400_000_000 } }
        let store = try temporary.open()
        let witness = try TestWitness.signerForTests()
        var written = Written(store: store, temporary: temporary)
        func step(_ body: () async throws -> Void) async throws {
            try await body()
            let made = try await store.checkpoint()
            let note = try SignedNote(Bytes(made.note.utf8))
            let cosignature = witness.cosign(note.text, at: 1_800_000_000)
            written.notes.append(note.adding([witness.key.signature(cosignature)]))
            written.sizes.append(made.size)
        }
        try await step { try await store.addTestWallet(.dash) }
        let link = "dashwallet://request=address&sender="
        var first: RequestID?
        var second: RequestID?
        try await step { first = try await store.receive(link + "shop").id }
        if attack == .movesApproval, let first { _ = try await store.approve(first) }
        try await step {
            if attack != .dropsRequest { second = try await store.receive(link + "other").id }
        }
        try await step {
            if let second, attack != .dropsRejection { _ = try await store.reject(second) }
        }
        try await step {
            if let first, attack != .movesApproval { _ = try await store.approve(first) }
        }
        return written
    }

    private func verified(
        _ written: Written, against notes: [SignedNote] = [], _ key: WitnessKey? = nil
    ) async throws -> Verification {
        let records = try await written.store.allRecords()
        let vouched = try notes.map { note in
            VouchedHead(
                try Checkpoint(text: note.text).head,
                claims: try [key?.claim(in: note)].compactMap { $0 })
        }
        var verifier = try LogVerifier(
            logID: records[0].logID,
            trusting: AuditTrust(heads: vouched, witnesses: [key].compactMap { $0 }))
        for record in records { verifier.feed(record.bytes) }
        return verifier.finish()
    }

    @Test(arguments: Attack.allCases)
    func `an insider's other log is unseen without a witness, and named with one`(attack: Attack)
        async throws
    {
        let witness = try TestWitness { 1_800_000_000_000_000 }
        let honest = try await write()
        let forged = try await write(attack, as: honest)
        // Without: every check passes, and every outcome follows.
        let alone = try await verified(forged)
        #expect(alone.violations == [] && alone.coverage.isEmpty)
        #expect(try await verified(honest, against: honest.notes, witness.key).violations == [])
        try await forged.store.expectCleanReplay()
        // With: what the witness has seen is another log, from a position on.
        let audit = try await verified(forged, against: honest.notes, witness.key)
        let found = try #require(audit.violations.first)
        #expect(found.rule == .checkpointMismatch)
        #expect(found.message.contains("are not those that w witnessed on 2027-01-15"))
        // The first checkpoint that differs bounds the place from above, the one before from below.
        let parted = try await firstDifference(honest, forged)
        let size = try #require(honest.sizes.first { $0 > parted })
        #expect(found.position.number == size - 1 && found.position.number >= parted)
        let before = honest.sizes.last { $0 <= parted } ?? 0
        #expect(audit.coverage.size == before)
        // A witness that has cosigned the one does not cosign the other.
        for written in [honest, forged] {
            try await written.store.addWitness(witness.url, key: witness.key.text)
        }
        #expect(try await honest.store.checkpoint().problems == [])
        let refused = try await forged.store.checkpoint().problems.map(\.code)
        #expect(refused == [.witnessForked] || refused == [.witnessAhead])
    }

    @Test func `cosignatures that are copied into another log are found out`() async throws {
        let witness = try TestWitness { 1_800_000_000_000_000 }
        let honest = try await write()
        try await honest.store.addWitness(witness.url, key: witness.key.text)
        _ = try await honest.store.checkpoint()
        let forged = try await write(.dropsRejection, as: honest)
        let last = try #require(try await forged.store.lastCheckpoint())
        for record in try await honest.store.allRecords() {
            guard case .checkpointCosigned(let data) = try record.event()?.payload else { continue }
            try await forged.store.record(
                CheckpointCosigned(checkpoint: last.position, key: data.key, line: data.line))
        }
        let audit = try await verified(forged, witness.key)
        #expect(audit.violations.first?.rule == .checkpointMismatch)
        #expect(audit.coverage.isEmpty)
    }

    @Test func `an hour that was changed is named by the witness's time`() async throws {
        // The store's clock says yesterday; its owner has a witness that answers today, and a
        // program that records it all the same.
        let witness = try TestWitness { 1_800_000_000_000_000 }
        let forged = try await write(.backdates)
        try await forged.store.addWitness(witness.url, key: witness.key.text)
        #expect(try await forged.store.checkpoint().problems.map(\.code) == [.witnessClockOff])
        let last = try #require(try await forged.store.lastCheckpoint())
        let signer = try TestWitness.signerForTests()
        let line = signer.cosign(
            try SignedNote(Bytes(last.note.utf8)).text, at: 1_800_000_000)
        try await forged.store.record(
            CheckpointCosigned(checkpoint: last.position, key: witness.key.text, line: line.bytes))
        let audit = try await verified(forged, witness.key)
        let records = try await forged.store.allRecords()
        #expect(audit.violations.map(\.rule) == [.timeDisagrees])
        #expect(audit.violations.first?.position == records.last?.id)
    }

    private func verified(_ written: Written, _ key: WitnessKey) async throws -> Verification {
        try await verified(written, against: [], key)
    }

    private func firstDifference(_ one: Written, _ other: Written) async throws -> UInt64 {
        let (left, right) = (try await one.store.allRecords(), try await other.store.allRecords())
        return UInt64(zip(left, right).prefix { $0.bytes == $1.bytes }.count)
    }
}

extension Store {
    /// Records a cosignature that nobody has verified, as no program of ours does.
    fileprivate func record(_ data: CheckpointCosigned) async throws {
        try await journal.record(.init(.checkpointCosigned(data)))
    }
}
