import DaybookEncoding
import DaybookSystem
import EventStores
import Synchronization
import Testing

@testable import Daybook

/// Only the machine that took a log over last appends, and only it sends.
struct FencingTests {
    private let home: DatabaseHome

    init() throws { home = try DatabaseHome() }

    @Test func `a machine that did not take the log over reads and writes nothing`() async throws {
        let writer = try home.open(1)
        try await writer.addFundedWallet(.dash)
        let reader = try home.open(2)
        #expect(try await reader.wallets().count == 1)
        await #expect { _ = try await reader.receive(Flow.all[0].text) } throws: {
            ($0 as? DaybookError)?.code == .storeFenced
        }
        #expect(try await reader.info().events == writer.info().events)
    }

    @Test func `a machine that lost its log can't record, and nothing is lost`() async throws {
        let first = try home.open(1)
        try await first.addFundedWallet(.dash)
        let request = try await first.receive(Flow.all[0].text)
        try home.takeOver(2)
        await #expect { _ = try await first.reject(request.id) } throws: {
            ($0 as? DaybookError)?.code == .storeFenced
        }
        let second = try home.open(2)
        #expect(try await second.approve(request.id).status == .completed)
        #expect(try await first.request(request.id).status == .completed)
        try await second.expectCleanReplay()
    }

    /// As after SIGSTOP between signature and sending, and SIGCONT when the other has gone on.
    @Test func `a machine that stood still between signature and sending sends nothing`()
        async throws
    {
        let stops = Atomic(false)
        let home = home
        let sent = Mutex<[String]>([])
        let first = try home.open(1) { step in
            sent.withLock { $0.append(step) }
            guard step == "decision recorded", stops.exchange(false, ordering: .relaxed) else {
                return
            }
            do { try home.takeOver(2) } catch { Issue.record(error) }
        }
        try await first.addFundedWallet(.dash)
        let request = try await first.receive(Flow.all[0].text)
        stops.store(true, ordering: .relaxed)
        sent.withLock { $0 = [] }
        await #expect { _ = try await first.approve(request.id) } throws: {
            ($0 as? DaybookError)?.code == .storeFenced
        }
        #expect(sent.withLock { !$0.contains("broadcast") })
        let second = try home.open(2)
        #expect(try await second.request(request.id).status == .signed)
        try await second.resume()
        let done = try await second.request(request.id)
        #expect(done.status == .completed)
        try await second.mine(1)
        _ = try await second.sync()
        let wallet = try #require(done.wallet)
        let payments = try await second.history(of: wallet).entries.count { $0.kind == .sent }
        #expect(payments == 1)
        #expect(try await second.balances().map(\.reserved) == ["0"])
        try await second.expectCleanReplay()
    }

    @Test func `another process's transaction is not sent again`()
        async throws
    {
        let home = home
        let stops = Atomic(false)
        let sent = Mutex(0)
        let count: Probe = { step in
            if step == "broadcast" { sent.withLock { $0 += 1 } }
        }
        let first = try home.open(1) { step in
            count(step)
            guard step == "decision recorded", stops.exchange(false, ordering: .relaxed) else {
                return
            }
            let done = Monitor<Result<Void, any Error>?>(nil)
            Task {
                do {
                    try await home.open(1, probe: count).resume()
                    done.change { $0 = .success(()) }
                } catch {
                    done.change { $0 = .failure(error) }
                }
            }
            // The store's calls have a thread of their own, which may wait.
            let result = done.change(when: { $0 != nil }) { $0 }
            #expect(throws: Never.self) { try result?.get() }
        }
        try await first.addFundedWallet(.dash)
        let request = try await first.receive(Flow.all[0].text)
        stops.store(true, ordering: .relaxed)
        #expect(try await first.approve(request.id).status == .completed)
        #expect(sent.withLock { $0 } == 1)
        try await first.expectCleanReplay()
    }
}
