import DaybookEncoding
import EventStores
import Testing
import TestSupport

@testable import Daybook

/// How often calls of a store ask the database, which may be far away.
@Suite(.serialized)
struct DatabaseStatementTests {
    private static let server = Result {
        let server = try TemporaryPostgres.shared.get()
        let database = try server.makeDatabase("statements")
        try server.noteStatements(in: "statements")
        return (server, database)
    }
    private let server: TemporaryPostgres
    private let home: DatabaseHome

    init() throws {
        let (server, database) = try Self.server.get()
        self.server = server
        home = try DatabaseHome(in: database)
    }

    /// The statements that `body` leads to, without those of the watch of all logs.
    private func statements(_ body: () async throws -> Void) async throws -> [String] {
        let before = try server.notedStatements().count
        try await body()
        return try server.notedStatements().dropFirst(before)
            .map { $0.replacing("daybook_", with: "") }.filter { $0 != "heads" }
    }

    /// The calls of the documents.
    private static let calls = [
        ("opened", "a log is opened"), ("receive", "`receive` of a link"), ("prompt", "`prompt`"),
        ("approve", "`approve` of a payment"), ("delivered", "`delivered`"),
        ("request", "`request`"), ("pending", "`pending`"), ("balances", "`balances`"),
        ("first", "the first call after others have recorded something"),
        ("older", "a call that needs an older request's events"),
    ]

    @Test func `each call asks as often as the documents say`() async throws {
        var found: [String: [String]] = [:]
        let store = try home.open(1)
        try await store.addFundedWallet(.dash)
        var request: WalletRequest?
        found["receive"] = try await statements {
            request = try await store.receive(Flow.all[0].text)
        }
        let id = try #require(request?.id)
        var prompt: PromptText?
        found["prompt"] = try await statements { prompt = try await store.prompt(for: id) }
        let shown = try #require(prompt)
        found["approve"] = try await statements {
            let done = try await store.approve(
                id, shown: shown, unlockedBy: Passphrase("correct horse"))
            #expect(done.status == .completed)
        }
        found["delivered"] = try await statements { _ = try await store.delivered(id) }
        found["request"] = try await statements { _ = try await store.request(id) }
        found["pending"] = try await statements { _ = try await store.pending() }
        found["balances"] = try await statements { _ = try await store.balances() }
        var other: Store?
        found["opened"] = try await statements { other = try home.open(2) }
        let reader = try #require(other)
        found["first"] = try await statements { _ = try await reader.pending() }
        // Rows that the derived tables have are not kept in memory.
        try reader.log.bringForward()
        found["older"] = try await statements { _ = try await reader.request(id) }
        #expect(Set(found.keys) == Set(Self.calls.map(\.0)))
        let rows = Self.calls.map { name, words in
            let statements = (found[name] ?? []).map { "`\($0)`" }.joined(separator: ", ")
            return "| \(words) | \(statements) |"
        }
        try MadeText("statements of calls", in: "docs/DATABASES.md").expect(
            ["| call | statements |", "|---|---|"] + rows)
        _ = try await store.receive(Flow.all[0].text)
        let grown = try await statements { _ = try await reader.pending() }
        #expect(grown == ["head", "read"])
    }

    @Test func `a commit costs the subscribers of its process no statement`() async throws {
        let store = try home.open(1)
        try await store.addTestWallet(.dash)
        _ = try await store.sync()
        var changes = store.changes().makeAsyncIterator()
        let found = try await statements {
            _ = try await store.receive(Flow.all[0].text)
            let change = try await changes.next()
            #expect(change?.changes.contains { $0.what == .request } == true)
        }
        #expect(found == ["append"])
    }

    @Test func `another process's events are seen by each call that begins later`()
        async throws
    {
        let (one, other) = (try home.open(1), try home.open(1))
        try await one.addFundedWallet(.dash)
        for number in 1...3 {
            let id = try await one.receive(
                "dashwallet://pay=\(Flow.dash)&amount=1.\(number)&sender=myapp").id
            #expect(try await other.pending().map(\.id) == [id])
            _ = try await other.reject(id)
            #expect(try await one.pending().isEmpty)
            #expect(try await one.request(id).status == .rejected)
        }
    }
}
