import DaybookEncoding
import Foundation
import Testing

@testable import Daybook

/// The news for subscribers to a store's changes, and its time.
struct ChangesTests {
    private static let pay = "dashwallet://pay=\(Flow.dash)&amount=1.5&sender=myapp"
    private static let address = "dashwallet://request=address&sender=myapp"

    /// Returns once so many subscribers wait for an event.
    private func wait(for count: Int, of store: Store) async {
        while store.feed.waiters < count { await Task.yield() }
    }

    /// A subscriber that waits for its first change.
    private func firstChange(of store: Store) async -> Task<StoreChange?, any Error> {
        let changes = store.changes()
        let task = Task {
            var reader = changes.makeAsyncIterator()
            return try await reader.next()
        }
        await wait(for: 1, of: store)
        return task
    }

    private func kinds(_ change: StoreChange?) -> Set<StoreChange.What> {
        Set(change?.changes.map(\.what) ?? [])
    }

    @Test func `a payment changes its request, the wallet's balance and a callback`() async throws {
        let store = try TemporaryStore().open()
        let wallet = try await store.addFundedWallet(.dash)
        let changes = store.changes()
        let request = try await store.receive(Self.pay)
        var reader = changes.makeAsyncIterator()
        let received = try await reader.next()
        #expect(received?.changes == [.init(.request, request: request.id)])
        #expect(received?.position == (try store.lastPosition()))
        let done = try await store.approve(request.id)
        let paid = try #require(try await reader.next())
        #expect(paid.changes.contains(.init(.request, request: request.id)))
        #expect(paid.changes.contains(.init(.callback, request: request.id)))
        #expect(paid.changes.contains(.init(.balance, wallet: wallet.id)))
        #expect(paid.changes.contains(.init(.node)))
        #expect(Set(paid.changes).count == paid.changes.count)
        #expect(paid.position == (try store.lastPosition()))
        try await store.delivered(done.id)
        #expect(try await reader.next()?.changes == [.init(.callback, request: request.id)])
    }

    @Test func `a subscriber that waits is woken by a commit of its own process`() async throws {
        let store = try TemporaryStore().open()
        let task = await firstChange(of: store)
        let wallet = try await store.addTestWallet(.dash)
        #expect(try await task.value?.changes == [.init(.wallet, wallet: wallet.id)])
    }

    @Test func `a subscriber that waits is woken by another process`() async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let task = await firstChange(of: store)
        let other = try DriverProcess.start(["add", temporary.path, "dash"])
        #expect(kinds(try await task.value) == [.wallet])
        #expect(await other.ended().status == 0)
    }

    @Test func `a subscriber that was told of events that are not there waits for them`()
        async throws
    {
        let store = try TemporaryStore().open()
        let task = await firstChange(of: store)
        store.feed.noteGrowth(to: 99)
        for _ in 0..<100_000 where store.feed.waiters == 0 { await Task.yield() }
        #expect(store.feed.waiters == 1)
        let wallet = try await store.addTestWallet(.dash)
        #expect(try await task.value?.changes == [.init(.wallet, wallet: wallet.id)])
    }

    @Test func `a slow subscriber gets the missed changes as one`() async throws {
        let store = try TemporaryStore().open()
        try await store.addTestWallet(.dash)
        let changes = store.changes()
        var expected: [StoreChange.Change] = []
        for number in 1...5 {
            let request = try await store.receive("\(Self.address)\(number)")
            expected.append(.init(.request, request: request.id))
        }
        var reader = changes.makeAsyncIterator()
        #expect(try await reader.next()?.changes == expected)
    }

    @Test func `a subscriber that continues after a position loses nothing and sees nothing twice`()
        async throws
    {
        let store = try TemporaryStore().open()
        try await store.addFundedWallet(.dash)
        for _ in 1...3 {
            let request = try await store.receive(Self.pay)
            try await store.approve(request.id)
        }
        let last = try #require(try store.lastPosition())
        var whole: [Set<StoreChange.Change>] = []
        for number in 0...last.number {
            var reader = store.changes(from: Position(number), includingSilent: true)
                .makeAsyncIterator()
            let change = try #require(try await reader.next())
            #expect(change.position == last)
            whole.append(Set(change.changes))
        }
        // Each suffix of the log has the changes of the next one, and those of its first event.
        for (longer, shorter) in zip(whole, whole.dropFirst()) {
            #expect(longer.isSuperset(of: shorter))
        }
        var reader = store.changes(after: last).makeAsyncIterator()
        let request = try await store.receive(Self.address)
        #expect(try await reader.next()?.changes == [.init(.request, request: request.id)])
    }

    @Test func `events are read in batches that follow each other without a gap`() async throws {
        let store = try TemporaryStore().open()
        try await store.addTestWallet(.dash)
        for number in 1...200 { try await store.receive("\(Self.address)\(number)") }
        let last = try #require(try store.lastPosition())
        #expect(last.number > 256)
        var seen: [StoreChange.Change] = []
        var reader = store.changes(from: 0).makeAsyncIterator()
        var position: Position = 0
        while position < last, let change = try await reader.next() {
            #expect(position == 0 || change.position.number - position.number <= 256)
            position = change.position
            seen += change.changes
        }
        let requests = try await store.requests(limit: 1000).requests.map(\.id)
        #expect(seen.compactMap(\.request) == requests.reversed())
    }

    @Test func `an event that shows nowhere wakes nobody, and moves the position on`()
        async throws
    {
        let store = try TemporaryStore().open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.checkpoint(withNewKey: true)
        let last = try #require(try store.lastPosition())
        var silent = store.changes(after: wallet.id.position).makeAsyncIterator()
        let request = try await store.receive(Self.address)
        let change = try #require(try await silent.next())
        #expect(change.changes == [.init(.request, request: request.id)])
        #expect(change.position > last)
        var all = store.changes(from: last, includingSilent: true).makeAsyncIterator()
        #expect(try await all.next() != nil)
    }

    @Test func `a subscriber that is cancelled ends at once`() async throws {
        let store = try TemporaryStore().open()
        let changes = store.changes()
        let task = Task {
            var count = 0
            for try await _ in changes { count += 1 }
            return count
        }
        await wait(for: 1, of: store)
        task.cancel()
        #expect(try await task.value == 0)
        #expect(store.feed.waiters == 0)
    }

    @Test func `a subscription ends when its store is gone`() async throws {
        let temporary = try TemporaryStore()
        var store: Store? = try temporary.open()
        let feed = try #require(store?.feed)
        let changes = try #require(store?.changes())
        let task = Task {
            for try await _ in changes {}
            return true
        }
        while feed.waiters < 1 { await Task.yield() }
        store = nil
        #expect(try await task.value)
        // The files are closed, although the sequence still exists.
        _ = try temporary.open()
        var late = changes.makeAsyncIterator()
        #expect(try await late.next() == nil)
    }

    @Test func `a thousand subscribers are all told`() async throws {
        let store = try TemporaryStore().open()
        let changes = store.changes()
        try await withThrowingTaskGroup(of: StoreChange?.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    var reader = changes.makeAsyncIterator()
                    return try await reader.next()
                }
            }
            await wait(for: 1000, of: store)
            let wallet = try await store.addTestWallet(.dash)
            var told = 0
            for try await change in group {
                #expect(change?.changes == [.init(.wallet, wallet: wallet.id)])
                told += 1
            }
            #expect(told == 1000)
        }
    }

    @Test func `other settings of a session are a change of policy`() async throws {
        let temporary = try TemporaryStore()
        try await temporary.open().addTestWallet(.dash)
        let settings = #"{"blockedSenders":["spam"]}"#
        try Data(settings.utf8).write(to: URL(filePath: "\(temporary.path)/settings.json"))
        let store = try temporary.open()
        let changes = store.changes()
        try await store.addTestWallet(.axe)
        var reader = changes.makeAsyncIterator()
        #expect(kinds(try await reader.next()) == [.policy, .wallet])
    }
}
