import DaybookEncoding
import DaybookLog
import DaybookTree
import Testing

@testable import DaybookReport

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

    @Test func `a page may load and run nothing`() throws {
        let policy = try #require(
            page.elements.first { $0.attributes["http-equiv"] == "Content-Security-Policy" })
        #expect(
            policy.attributes["content"]
                == "default-src 'none'; style-src 'unsafe-inline'; img-src data:")
        for word in ["url(", "@import", "src=", "http://", "https://"] {
            #expect(!Stylesheet.text.contains(word))
        }
        #expect(!page.elements.contains { $0.tag == "script" || $0.attributes["src"] != nil })
    }

    @Test func `the same log gives the same bytes`() throws {
        #expect(try GoldenLog.page(records).bytes == page.bytes)
    }

    @Test func `the leaf hashes on the page lead to the root on the page`() throws {
        var tree = TreeFold()
        for record in records { tree.add(leaf: record.encoded()) }
        let root = Hex.encode(tree.root().bytes)
        #expect(page.shown.contains(root))
        let leaves = records.map { Hex.encode(EventRecord.leafHash($0.encoded())) }
        let shown = page.text.matches(of: /<code class="leaf">([0-9a-f]{64})<\/code>/)
        #expect(shown.map { String($0.output.1) } == leaves)
    }

    @Test func `what is wrong stands on top, linked to the event where there is one`() throws {
        let findings = [
            Finding(position: 3, rule: "replay", message: "<b>type</b>"),
            Finding(position: UInt64(records.count), rule: "end", message: "missing"),
            Finding(position: nil, rule: "tree", message: "another root"),
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
