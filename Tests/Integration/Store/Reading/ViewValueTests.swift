import DaybookDomain
import DaybookEncoding
import DaybookFoundation
import DaybookLog
import Foundation
import Testing
import TestSupport

@testable import Daybook

/// The values that front ends get: they can be stored, compared and named.
struct ViewValueTests {
    private func expectSame<Value: Codable & Equatable>(_ value: Value) throws {
        let bytes = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(Value.self, from: bytes) == value)
    }

    @Test func `values come back from their encoded form`() async throws {
        let store = try TemporaryStore().open()
        let wallet = try await store.addFundedWallet(.dash)
        let pending = try await store.receive(Flow.all[0].text)
        try expectSame(pending)
        try expectSame(try await store.approve(pending.id))
        try expectSame(wallet)
        try expectSame(try await store.balances())
        try expectSame(try await store.callbacks())
        try expectSame(try await store.history(of: wallet.id))
        try expectSame(try await store.requests())
        try expectSame(try await store.events())
        try expectSame(try await store.inFlight())
        var changes = store.changes(from: 0).makeAsyncIterator()
        try expectSame(try #require(try await changes.next()))
    }

    @Test func `results and what is said of nodes come back from their encoded form`()
        async throws
    {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addFundedWallet(.dash)
        _ = try await store.addTestWallet(.dash, network: .regtest)
        let round = try await store.syncReachable()
        #expect(round.problems.map(\.code) == [.nodeMissing])
        try expectSame(round)
        try expectSame(try await store.setNode(.dash, .regtest, url: "http://127.0.0.1:1"))
        let statuses = try await store.checkNodes()
        #expect(statuses.map(\.isOK) == [false])
        try expectSame(statuses)
        try expectSame(try await store.tips())
        try expectSame(try await store.settings())
        try expectSame(try await store.descriptors(of: wallet.id))
        try expectSame(try await store.checkpoint())
        try expectSame(try await store.proof(of: 0))
        try expectSame(try await store.verify())
        try expectSame(try await store.export(as: .jsonl) { _ in })
        try expectSame(try Store.examine(at: temporary.path))
        try expectSame(
            StoreVerification(
                events: 3, root: "00",
                problems: [.init(code: .eventWrong, table: "events", position: 2, message: "so")]))
        try expectSame(ImportSummary(status: .continued, events: 2, added: 1, root: "00"))
        try expectSame(StoreBackup(events: 2, root: "00", path: "/backup"))
        try expectSame(StoreMigration(from: 1, to: 2))
        try expectSame(LogSelection(from: 1, wallet: wallet.id))
        try expectSame(ApprovalStep.allCases)
    }

    @Test func `a prompt's digest is 64 hex digits, and an approval may name it alone`()
        async throws
    {
        let store = try TemporaryStore().open()
        try await store.addFundedWallet(.dash)
        let request = try await store.receive(Flow.all[0].text)
        let digest = try #require(request.prompt?.digest)
        #expect(digest.description.utf8.count == 64)
        #expect(PromptDigest(hex: digest.description) == digest)
        #expect(PromptDigest(hex: String(digest.description.dropLast(2))) == nil)
        #expect(PromptDigest(hex: "no digest") == nil)
        let other = try #require(PromptDigest(hex: String(repeating: "00", count: 32)))
        let refused = await #expect(throws: DaybookError.self) {
            try await store.approve(
                request.id, shown: other, unlockedBy: Passphrase("correct horse"))
        }
        #expect(refused?.code == .promptChanged)
        let done = try await store.approve(
            request.id, shown: digest, unlockedBy: Passphrase("correct horse"))
        #expect(done.status == .completed)
    }

    @Test func `Foundation shows the message of an error`() async throws {
        let store = try TemporaryStore().open()
        let refused = await #expect(throws: DaybookError.self) { try await store.request(7) }
        let error: any Error = try #require(refused)
        #expect(error.localizedDescription == "there is no such request")
    }

    @Test func `Foundation has the dates of moments, to the microsecond`() throws {
        let moment = try #require(Timestamp("2026-11-28T12:43:20.123457Z"))
        let date = Date(moment)
        #expect(abs(date.timeIntervalSince1970 - 1_795_869_800.123457) < 0.000_001)
        #expect(Timestamp(date) == moment)
        #expect(Timestamp(Date(timeIntervalSince1970: -1)) == nil)
    }

    @Test func `every code that the facade throws has a name`() throws {
        let sources = Repository.paths(in: "Sources/Daybook").filter { $0.hasSuffix(".swift") }
        let texts = try sources.map { try Repository.text($0) }
        let named = Set(texts.flatMap { $0.matches(of: /static let (\w+) = Self\("/).map(\.1) })
        let thrown = texts.flatMap {
            $0.matches(of: /(?:DaybookError|self\.init)\(\s*"(\w+)"/).map(\.1)
        }
        #expect(thrown.count > 50)
        #expect(Set(thrown).subtracting(named) == [])
        // Others have their codes from the log's check and from what nodes say.
        let taken = LogFault.Code.allCases.map(\.rawValue) + NodeReason.allCases.map(\.name)
        let spelled = texts.flatMap {
            $0.matches(of: /= Self\("(\w+)"\)/).map { String($0.1) }
        }
        #expect(Set(taken).subtracting(spelled) == [])
    }
}
