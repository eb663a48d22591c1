import Daybook
import DaybookChains
import DaybookCommands
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSigner
import DaybookTesting
import Foundation
import Synchronization
import Testing
import TestSupport

/// The examples of the library's guide and of the doc comments compile, and run.
///
/// Each example stands here as it is printed there; the last test compares the two, so that
/// neither changes alone.
struct ExampleTests {
    private let folder: TemporaryFolder
    private let path: String
    private let opened = Opened()

    private final class Opened: Sendable {
        let callbacks = Mutex<[String]>([])
    }

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/store"
    }

    /// The user's passphrase, each time that it is asked for.
    private var typed: [UInt8] {
        get { Array("correct horse".utf8) }
        nonmutating set { #expect(newValue.allSatisfy { $0 == 0 }) }
    }

    private func passphrase() -> Passphrase { Passphrase(wiping: &typed) }

    private func show(_ values: Any?...) {}
    private func open(_ callback: String) { opened.callbacks.withLock { $0.append(callback) } }

    /// A store with a wallet that has coins.
    private func store() async throws -> Store {
        try Store.create(at: path)
        let store = try Store(opening: path, frontEnd: "my-app")
        let added = try await store.addWallet(
            .new, chain: .dash, sealedBy: Passphrase(wiping: &typed))
        added.withMnemonic { print(String(copying: $0)) }
        _ = try await store.fundFromFaucet(added.wallet.id, amount: 1_000_000_000)
        return store
    }

    /// The only request is answered, and its callback was opened.
    private func expectAnswered() async throws {
        let store = try Store(opening: path, frontEnd: "my-app")
        #expect(try await store.pending().isEmpty)
        #expect(try await store.callbacks().isEmpty)
        let callbacks = opened.callbacks.withLock { $0 }
        #expect(callbacks.count == 1 && callbacks.allSatisfy { $0.hasPrefix("shop:") })
    }

    // MARK: - Examples that run

    @Test func `the guide's example`() async throws {
        _ = try await store()
        try await guide("dashwallet://request=address&sender=shop", passphrase())
        try await expectAnswered()
    }

    private func guide(_ url: String, _ passphrase: consuming Passphrase) async throws {
        let store = try Store(opening: path, frontEnd: "my-app")
        let request = try await store.receive(url)
        if let prompt = request.prompt {
            for line in prompt.lines { show(line.name, line.text) }
            let done = try await store.approve(request.id, shown: prompt, unlockedBy: passphrase)
            if let callback = done.callback {
                open(callback)
                try await store.delivered(done.id)
            }
        }
    }

    @Test func `nodes are asked, and what they say is shown`() async throws {
        let store = try await store()
        while try await store.sync().isMoreLeft {}
        let round = try await store.syncReachable()
        show(round.events, round.payments, round.problems)
        let following = Task {
            try await store.follow { round in show(round.events, round.problems) }
        }
        following.cancel()
        for payment in try await store.inFlight() where payment.request.status == .signed {
            show(payment.request.reason, payment.request.advice)
        }
    }

    @Test func `movements are written as a journal`() throws {
        let events = try GoldenLogTests.lines("v1", "session").compactMap {
            try EventRecord.decode($0).event()
        }
        let state = events.reduce(into: State()) { $0.evolve($1) }
        var shown = 0
        func show(_ movement: Movement) { shown += 1 }
        for movement in Books(of: state) { show(movement) }
        #expect(shown > 10)
        var texts: [String] = []
        func output(_ text: String) { texts.append(text) }
        let log = (id: Bytes(0...15), events: events.count)
        var journal = BookJournal(state, log: log.id, .ledger)
        for movement in Books(of: state) { output(journal.text(movement)) }
        var book = Book(.csv, state, log: log.id)
        output(book.header())
        for movement in Books(of: state) { output(book.text(movement)) }
        #expect(texts.count == 2 * shown + 1)
    }

    // MARK: - Examples that compile: they name a stick, a node, or keys that are not there

    private func receive(_ passphrase: consuming Passphrase) async throws {
        let store = try Store(opening: path, frontEnd: "my-app")
        let request = try await store.receive("dashwallet://pay=…&amount=1.5&sender=shop")
        if let prompt = request.prompt {
            let done = try await store.approve(
                request.id, shown: prompt, unlockedBy: passphrase)
            if let url = done.callback {
                open(url)
                try await store.delivered(done.id)
            }
        }
    }

    private func report(
        _ store: Store, _ newYear: Timestamp, _ nextNewYear: Timestamp
    ) async throws {
        func write(_ bytes: [UInt8]) {}
        let year = try await store.statement(from: newYear, to: nextNewYear)
        write(year.content(as: .html))
    }

    private func move(_ store: Store) async throws {
        try await store.export(to: "/media/stick/log.daybook")
        try await store.export(LogSelection(request: 12), to: "request.jsonl")
    }

    private func restore(_ home: String) async throws {
        try Store.create(at: home)
        let store = try Store(opening: home, frontEnd: "my-app")
        let summary = try await store.import(from: "/media/stick/log.daybook")
        show(summary)
    }

    private func list(_ store: Store) async throws {
        for try await change in store.changes() {
            if change.changes.contains(where: { $0.what == .request }) {
                show(try await store.pending())
            }
        }
        var page = try await store.requests(status: [.completed])
        while let next = page.next {
            page = try await store.requests(status: [.completed], before: next)
        }
        show(page)
        for callback in try await store.callbacks(after: nil, limit: 20).callbacks {
            open(callback.url)
            try await store.delivered(callback.request)
        }
    }

    private func approve(
        _ store: Store, _ id: RequestID, shown prompt: PromptText,
        _ passphrase: consuming Passphrase
    ) async throws {
        do {
            try await store.approve(id, shown: prompt, unlockedBy: passphrase)
        } catch {
            show(error.code == .wrongPassphrase ? "Try again." : error.message)
        }
    }

    // MARK: - Tests of front ends

    @Test func `the examples of DaybookTesting`() async throws {
        try await answer()
        let test = try TestStore()
        try await test.addWallet(.dash)
        let request = try await test.store.receive("dashwallet://request=address&sender=shop")
        try await expire(request, test)
        let payee = try await test.store.address(of: try await test.store.wallets()[0].id)
        let payment = try await test.store.receive("dashwallet://pay=\(payee)&amount=1&sender=shop")
        let sent = try await lose(payment, test)
        #expect(sent.status == .signed)
    }

    private func answer() async throws {
        let test = try TestStore()
        try await test.addWallet(.dash)
        let request = try await test.store.receive("dashwallet://request=address&sender=shop")
        test.clock.advance(seconds: 60)
        let done = try await test.approve(request.id)
        #expect(done.status == .completed && done.callback != nil)
    }

    private func expire(_ request: WalletRequest, _ test: TestStore) async throws {
        test.clock.advance(seconds: 3600)
        #expect(try await test.store.pending().isEmpty)
    }

    private func lose(_ payment: WalletRequest, _ test: TestStore) async throws -> WalletRequest {
        let sent = try await test.with(.loseNextAnswer, on: .dash) {
            try await test.approve(payment.id)
        }
        return sent
    }

    private func open() async throws {
        let session = try SessionFixture(file: "Fixtures/session.daybook")
        let test = try await TestStore(session)
        show(try await test.store.pending(), try await test.store.balances())
    }

    @Test func `the examples of settings`() async throws {
        let store = try await store()
        try await change(store)
        #expect(try await store.setting("expirySeconds").value == "600")
    }

    private func change(_ store: Store) async throws {
        for setting in try await store.settings() {
            show(setting.key, setting.value, setting.help)
        }
        try await store.set("expirySeconds", to: "900")
        try await store.set("blockedSenders", to: "spammer,impostor")
        try await store.set("expirySeconds", to: nil)
    }

    private func verify(_ store: Store) async throws {
        @Sendable func show(_ values: Any?...) {}
        let found = try await store.verify { table, entries in show(table, entries) }
        if !found.isWhole { show(found.problems) }
    }

    private func connect(_ store: Store) async throws {
        try await store.setNode(
            .dash, .testnet, url: "http://127.0.0.1:19998", cookieFile: "/node/.cookie")
        try await store.setNodes(
            .dash, .mainnet, urls: ["http://127.0.0.1:9998", "https://node.example"])
    }

    private func sign(
        _ keystore: Keystore, _ fingerprint: String, _ passphrase: borrowing SecretBytes,
        payment: UnsignedPayment, terms: PaymentTerms
    ) throws {
        let signer = try keystore.unlock(name: fingerprint, passphrase: passphrase)
        let signatures = try signer.sign(payment, under: terms)
        show(signatures)
    }

    private struct ExportFile {
        let source: () throws -> ByteSource
    }

    private func read(_ file: ExportFile) throws {
        func take(_ item: ExportItem) {}
        let trailer = try ExportReader.verify(file.source())
        let reader = try ExportReader(file.source())
        while let item = try reader.next() { take(item) }
        show(trailer)
    }

    private func append(_ draft: EventDraft, to log: EventLog) throws {
        let position = try log.write { transaction in
            try transaction.append(draft).position
        }
        show(position)
    }

    private func cover(_ store: Store, key: String) async throws {
        try await store.addWitness("https://witness.example", key: key)
        let checkpoint = try await store.checkpoint()
        try await store.timestamp(by: "https://tsa.example/", certificates: "/etc/tsa.pem")
        show(checkpoint)
    }

    private func filtered(_ store: Store) async throws {
        var filter = RequestFilter()
        filter.sender = "coffee-shop"
        filter.amountInCoins = "1.25"
        let page = try await store.requests(matching: filter)
        show(page)
    }

    private func amount() {
        let amount = MinorAmount(coins: "1.5", decimals: 8)
        show(amount?.inCoins(decimals: 8), amount == 150_000_000)
    }

    private func time() {
        let noon = Timestamp("2026-01-31T12:00:00Z")
        show(noon, noon?.microseconds)
    }

    private func line(_ record: EventRecord) {
        let line: TerminalText = "event \(record.type)\n  by \(record.actor)"
        show(line)
    }

    // MARK: - The texts

    /// Files whose example is not Swift, or names what only its own module sees.
    private static let notCompiled: Set<String> = [
        "Sources/Daybook/Journal/ActiveRequests.swift",
        "Sources/DaybookSigner/Offline/SigningRequest.swift",
    ]

    @Test func `every example of a text is compiled here as it stands there`() throws {
        let compiled = Self.lines(try Repository.text("Tests/Integration/Store/ExampleTests.swift"))
        let examples = try Self.examples()
        #expect(examples.count > 14)
        for example in examples where !Self.notCompiled.contains(example.file) {
            let lines = Self.lines(example.text)
            let isFound = compiled.indices.contains {
                compiled[$0...].starts(with: lines)
            }
            #expect(isFound, "\(example.file):\n\(example.text)")
        }
    }

    private static func examples() throws -> [(file: String, text: String)] {
        var examples: [(file: String, text: String)] = []
        for file in Repository.paths(in: "Sources") + Repository.paths(in: "Migrations")
        where file.hasSuffix(".swift") {
            examples += commented(try Repository.text(file)).map { (file, $0) }
        }
        let documents = ["docs/FRONTS.md", "docs/TUTORIAL.md"]
        for file in documents + Repository.paths(in: "Sources")
        where file.hasSuffix(".md") {
            let blocks = try Repository.text(file).components(separatedBy: "\n```swift\n")
            for block in blocks.dropFirst() {
                let code = try #require(block.components(separatedBy: "\n```").first)
                examples.append((file, code))
            }
        }
        return examples
    }

    /// The indented blocks of doc comments that follow an empty line.
    private static func commented(_ text: String) -> [String] {
        var blocks: [[Substring]] = []
        var isAfterBlank = false
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let comment = line.drop { $0 == " " }
            let isCode = comment.hasPrefix("///     ")
            if isCode, isInside {
                blocks[blocks.count - 1].append(comment.dropFirst(4))
            } else if isCode, isAfterBlank {
                blocks.append([comment.dropFirst(4)])
                isInside = true
            } else {
                isInside = false
            }
            isAfterBlank = comment == "///"
        }
        return blocks.map { $0.joined(separator: "\n") }
    }

    /// The lines of code without indentation, remarks at their ends, imports and empty lines.
    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            let code = line.components(separatedBy: " //")[0].trimmingCharacters(in: .whitespaces)
            return code.isEmpty || code.hasPrefix("import ") ? nil : code
        }
    }
}
