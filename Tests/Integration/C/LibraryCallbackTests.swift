import CDaybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem
import TestSupport
import Testing

/// `daybook.h`: callbacks, and calls from several threads at once.
struct LibraryCallbackTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a body with an open store on a thread.
    private func with(_ body: @escaping @Sendable (OpenLibrary) throws -> Void) async throws {
        let folder = folder.path
        try await onThread { try body(try OpenLibrary(in: folder)) }
    }

    @Test func `changes come in order, from any position on`() async throws {
        try await with { library in
            defer { library.close() }
            let positions = Monitor<[UInt64]>([])
            let told = library.subscribe { text in
                let change = try? JSON.parse(Array(text.utf8))
                #expect(change?["subscription"] == .int(1))
                let position = change?["position"]?.numberLiteral.flatMap(UInt64.init)
                positions.change { $0.append(position ?? 0) }
            }
            #expect(told.status == 0)
            for _ in 0..<3 { try library.change() }
            let end = try library.result("info")["events"]?.numberLiteral.flatMap(UInt64.init) ?? 0
            let seen = positions.change(when: { $0.last == end - 1 }) { $0 }
            #expect(seen == seen.sorted())
            let first = Monitor<String?>(nil)
            let all = library.subscribe(after: -1) { text in first.change { $0 = $0 ?? text } }
            #expect(all.status == 0)
            #expect(first.change(when: { $0 != nil }) { $0 }?.contains("changes") == true)
        }
    }

    @Test func `a position that the log has not is refused`() async throws {
        try await with { library in
            defer { library.close() }
            #expect(library.subscribe(after: 1000) { _ in }.status == Int(DAYBOOK_REFUSED))
            #expect(library.subscribe(after: -2) { _ in }.status == Int(DAYBOOK_USAGE))
        }
    }

    @Test func `a callback may call`() async throws {
        try await with { library in
            defer { library.close() }
            let answer = Monitor<JSON?>(nil)
            _ = library.subscribe { _ in
                let info = try? library.result("info")
                answer.change { $0 = info }
            }
            try library.change()
            let version = answer.change(when: { $0 != nil }) { $0?["version"] }
            #expect(version == .string(Program.version))
        }
    }

    @Test func `a callback may end its own subscription, and no call follows`() async throws {
        try await with { library in
            defer { library.close() }
            let calls = Monitor(0)
            let ended = Monitor<Int?>(nil)
            _ = library.subscribe { _ in
                calls.change { $0 += 1 }
                let status = Int(daybook_unsubscribe(library.handle, 1))
                ended.change { $0 = $0 ?? status }
            }
            try library.change()
            #expect(ended.change(when: { $0 != nil }) { $0 } == 0)
            let last = Monitor(false)
            _ = library.subscribe { _ in last.change { $0 = true } }
            try library.change()
            last.change(when: { $0 }) { _ in }
            #expect(calls.change { $0 } == 1)
        }
    }

    @Test func `a callback may close the store`() async throws {
        try await with { library in
            let closed = Monitor<Int?>(nil)
            _ = library.subscribe { _ in
                let status = library.close()
                closed.change { $0 = $0 ?? status }
            }
            try library.change()
            #expect(closed.change(when: { $0 != nil }) { $0 } == 0)
            #expect(library.close() == Int(DAYBOOK_USAGE))
        }
    }

    @Test func `no callback runs after a subscription was ended or the store was closed`()
        async throws
    {
        try await with { library in
            let isRunning = Monitor(false)
            let isReleased = Monitor(false)
            let told = library.subscribe { _ in
                isRunning.change { $0 = true }
                isReleased.change(when: { $0 }) { _ in }
                isRunning.change { $0 = false }
            }
            try library.change()
            isRunning.change(when: { $0 }) { _ in }
            WorkThread().run {
                isReleased.change { $0 = true }
                return {}
            }
            #expect(daybook_unsubscribe(library.handle, told.number) == DAYBOOK_DONE)
            #expect(isRunning.change { $0 } == false)
            library.close()
        }
    }

    @Test func `eight threads call, subscribe and unsubscribe at once while one closes`()
        async throws
    {
        try await with { library in
            let done = Monitor(0)
            for _ in 0..<8 {
                let thread = WorkThread()
                thread.run {
                    for _ in 0..<20 {
                        let number = library.subscribe { _ in _ = try? library.result("info") }
                        var answer: UnsafeMutablePointer<CChar>?
                        let request = #"{"jsonrpc":"2.0","id":1,"method":"wallet.list"}"#
                        let status = daybook_call(library.handle, request, &answer)
                        #expect([DAYBOOK_DONE, DAYBOOK_USAGE].map { Int32($0) }.contains(status))
                        #expect(taken(answer) != nil)
                        _ = daybook_unsubscribe(library.handle, number.number)
                    }
                    let count = done.change { count in
                        count += 1
                        return count
                    }
                    if count == 4 { #expect(library.close() == 0) }
                    return { _ = thread }
                }
            }
            done.change(when: { $0 == 8 }) { _ in }
            #expect(library.close() == Int(DAYBOOK_USAGE))
        }
    }
}
