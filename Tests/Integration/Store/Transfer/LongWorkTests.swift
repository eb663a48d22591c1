import DaybookSystem
import Foundation
import Synchronization
import Testing

@testable import Daybook

/// Exports, imports, backups and verifications run beside the store, and can be stopped.
@Suite(.timeLimit(.minutes(3)))
struct LongWorkTests {
    private let scene: TransferScene
    private let hold = Hold()

    init() async throws { scene = try await TransferScene() }

    /// Holds work in its progress until the test lets it go on.
    private final class Hold: Sendable {
        private let state = Monitor((isReached: false, isReleased: false))

        /// Blocks the thread of the work.
        func wait() {
            state.change { $0.isReached = true }
            state.change(when: { $0.isReleased }) { _ in }
        }

        func release() { state.change { $0.isReleased = true } }

        /// Comes back when the work waits.
        func isReached() async { await waitUntil { state.change { $0.isReached } } }
    }

    /// The kinds of long work, each to a file or folder named `target`.
    enum Kind: CaseIterable, Sendable { case export, lines, backup, verify }

    private func start(
        _ kind: Kind, to target: String, then wait: @escaping @Sendable () -> Void
    ) -> Task<UInt64, any Error> {
        let store = scene.store
        return Task {
            switch kind {
            case .export: try await store.export(to: target) { _, _ in wait() }.events
            case .lines: try await store.export(to: target, as: .csv) { _, _ in wait() }.events
            case .backup: try await store.backup(to: target) { _, _ in wait() }.events
            case .verify: try await store.verify { _, _ in wait() }.events
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `the store answers while long work waits in its progress`(_ kind: Kind) async throws {
        let store = scene.store
        // A backup reports a verified event only for every 256th.
        if kind == .backup { try await store.appendUnknown(256) }
        let before = UInt64(try await store.allRecords().count)
        let work = start(kind, to: scene.path("long.daybook")) { [hold] in hold.wait() }
        await hold.isReached()
        #expect(try await store.pending().count == 1)
        _ = try await store.receive("dashwallet://request=address&sender=late")
        #expect(try await store.pending().count == 2)
        hold.release()
        let events = try await work.value
        // The work is about the log as of one moment; a check of the pages comes before it.
        switch kind {
        case .lines: #expect(events > 0)
        case .verify: #expect(events >= before)
        case .export, .backup: #expect(events == before)
        }
    }

    @Test(arguments: Kind.allCases)
    func `cancelled work ends and leaves nothing`(_ kind: Kind) async throws {
        if kind == .backup { try await scene.store.appendUnknown(256) }
        let files = try Files.list(scene.home.folder).sorted()
        let work = start(kind, to: scene.path("long.daybook")) { [hold] in hold.wait() }
        await hold.isReached()
        work.cancel()
        hold.release()
        await expectCode("callCancelled") { try await work.value }
        #expect(try Files.list(scene.home.folder).sorted() == files)
        #expect(try await scene.store.verify().isWhole)
    }

    @Test func `work of a task that was cancelled before does not begin`() async throws {
        let (store, path) = (scene.store, scene.path("log.daybook"))
        let work = Task {
            await waitUntil { Task.isCancelled }
            return try await store.export(to: path)
        }
        work.cancel()
        await expectCode("callCancelled") { try await work.value }
        #expect(try !Files.exists(path))
    }

    @Test func `a cancelled import can be repeated, and continues`() async throws {
        try await scene.store.appendUnknown(10_000)
        try await scene.export("log.daybook")
        let path = scene.path("log.daybook")
        let other = try OtherStore()
        let store = try other.open()
        let all = UInt64(try await scene.store.allRecords().count)
        let work = Task { [hold] in
            try await store.import(from: path) { done, steps in
                // The second half is the appending, in steps.
                if done > steps / 2 + all / 2 { hold.wait() }
            }
        }
        await hold.isReached()
        #expect(try await store.pending().count == 1)
        work.cancel()
        hold.release()
        await expectCode("callCancelled") { try await work.value }
        let kept = UInt64(try await store.allRecords().count)
        #expect(kept > 0 && kept < all)
        let reports = Mutex<[UInt64]>([])
        let summary = try await store.import(from: path) { done, steps in
            #expect(steps == 2 * all)
            reports.withLock { $0.append(done) }
        }
        #expect(summary.status == .continued && summary.added == all - kept)
        #expect(summary.root == (try await scene.store.root()))
        let done = reports.withLock { $0 }
        #expect(done == done.sorted() && done.last == 2 * all)
    }

    @Test func `an open store is verified against a checkpoint that was kept`() async throws {
        let note = try await scene.store.checkpoint().note
        let found = try await scene.store.verify(against: note)
        #expect(found.isWhole)
        #expect(found.events == UInt64(try await scene.store.allRecords().count))
        #expect(found.root == (try await scene.store.root()))
        let home = try OtherStore()
        let other = try await home.open().checkpoint().note
        await expectCode("otherLog") { try await scene.store.verify(against: other) }
    }
}
