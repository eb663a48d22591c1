import DaybookCrypto
import DaybookEncoding
import DaybookLog
import Testing

@testable import DaybookReplay

struct ReportTests {
    private let records: [EventRecord]
    private let page: Page

    init() throws {
        (records, page) = try Self.golden.get()
    }

    private static let golden = Result {
        let records = try GoldenLog.records()
        return (records, try GoldenLog.page(records))
    }

    @Test func `a page is well formed, and every link leads to a place in it`() {
        page.expectSound()
        let ids = Set(page.elements.compactMap { $0.attributes["id"] })
        for record in records {
            #expect(ids.contains("e\(record.position)"))
            if record.request == record.position { #expect(ids.contains("r\(record.position)")) }
        }
    }

    @Test func `a page may load nothing, and run nothing but its own script`() throws {
        let policy = try #require(
            page.elements.first { $0.attributes["http-equiv"] == "Content-Security-Policy" })
        #expect(
            policy.attributes["content"]
                == "default-src 'none'; script-src 'sha256-"
                + "\(Base64.encode(SHA256.hash(Bytes(ReportResources.script.utf8))))'; "
                + "style-src 'unsafe-inline'; img-src data:")
        for word in ["url(", "@import", "src=", "http://", "https://", "<"] {
            #expect(!ReportResources.style.contains(word) && !ReportResources.script.contains(word))
        }
        #expect(!page.elements.contains { $0.attributes["src"] != nil })
    }

    @Test func `a payment that came to nothing after its caller was told is listed, and no fault`()
        throws
    {
        var records = records
        let place = try #require(
            records.firstIndex { $0.type == "transaction.confirmed" && $0.request != nil })
        let record = records[place]
        guard case .map(var entries) = record.data else { return }
        entries.append(.init(key: .text("failure"), value: .text("32: Reverted(0)")))
        entries.sort { ($0.key.textValue ?? "").utf8.count < ($1.key.textValue ?? "").utf8.count }
        records[place] = record.with(data: .map(entries))
        let page = try GoldenLog.page(records)
        // Two payments of the log were dropped.
        for words in [
            "3 payments came to nothing after the network had been told", "3 not paid after all",
            "it was executed without success", "Nothing wrong was found",
        ] {
            let isShown = page.shown.contains(words)
            #expect(isShown, "\(words)")
        }
        page.expectSound()
    }

    @Test func `the same log gives the same bytes`() throws {
        #expect(try GoldenLog.page(records).bytes == page.bytes)
    }

    @Test func `the leaf hashes on the page lead to the root on the page`() throws {
        var tree = TreeFold()
        for record in records { tree.add(leaf: record.bytes) }
        let root = Hex.encode(tree.root().bytes)
        #expect(page.shown.contains(root))
        let leaves = records.map { Hex.encode(EventRecord.leafHash($0.bytes)) }
        let shown = page.text.matches(
            of: /<a class="leaf" id="p([0-9]+)" href="#p([0-9]+)">([0-9a-f]{64})<\/a>/)
        #expect(shown.map { String($0.output.3) } == leaves)
        #expect(shown.map { String($0.output.1) } == leaves.indices.map { "\($0)" })
        #expect(shown.allSatisfy { $0.output.1 == $0.output.2 })
    }

    @Test func `the nodes beside the batches of events lead to the root on the page`() throws {
        let nodes = try page.text.matches(of: /<code class="batch">([0-9a-f]{64})<\/code>/)
            .map { try #require(Hex.decode(String($0.output.1))) }
        try #require(nodes.count == 3 && records.count > 512, "two whole batches, and a rest")
        let whole = SHA256.hash([1] + nodes[0] + nodes[1])
        let root = Hex.encode(SHA256.hash([1] + whole + nodes[2]))
        #expect(page.text.contains("<code id=\"root\">\(root)</code>"))
    }

    @Test func `each statement about a request stands beside its event and its proof`() {
        let sources = page.text.matches(
            of: /<a href="#e([0-9]+)">event ([0-9]+)<\/a> <a href="#p([0-9]+)">proof<\/a>/)
        #expect(sources.allSatisfy { $0.output.1 == $0.output.2 && $0.output.1 == $0.output.3 })
        let told = Set(sources.map { String($0.output.1) })
        for record in records where record.request != nil {
            #expect(told.contains("\(record.position)"), "\(record.type)")
        }
        for type in ["chain.observed", "wallet.added"] {
            let isTold = records.contains { $0.type == type && told.contains("\($0.position)") }
            #expect(isTold, "\(type)")
        }
    }

    @Test func `faults stand on top, linked to their events where there are any`() throws {
        let findings = [
            ReportFinding(position: 3, rule: "replay", message: "<b>type</b>"),
            ReportFinding(
                position: Position(UInt64(records.count)), rule: "end", message: "missing"),
            ReportFinding(position: nil, rule: "tree", message: "another root"),
        ]
        let page = try GoldenLog.page(records, findings: findings)
        page.expectSound()
        #expect(page.shown.contains("3 things are wrong with this log"))
        #expect(page.shown.contains("<b>type</b>"))
        #expect(!page.shown.contains("Nothing wrong was found"))
        #expect(self.page.shown.contains("Nothing wrong was found"))
        #expect(self.page.shown.contains("Everything was looked at."))
    }

    @Test func `a request tells what was asked, shown, decided, sent and answered`() {
        let steps = [
            "Received", "Shown to the user", "Approved", "Prepared", "The signatures hold",
            "The node took it", "Answered with this callback", "(unverified)",
        ]
        for step in steps { #expect(page.shown.contains(step), "\(step)") }
    }

    @Test func `a log without events is a page too`() throws {
        let page = try GoldenLog.page([])
        page.expectSound()
        #expect(page.shown.contains("No request came."))
    }
}
