import DaybookEncoding
import DaybookLog
import Foundation
import Testing
import TestSupport

@testable import DaybookReplay

/// The page in a real browser, which keeps to the page's policy and runs its script.
struct BrowserTests {
    /// The browser that `tools/setup test` installs.
    private static let browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test func `an event's proof is shown where it is linked to, and proves the event`() throws {
        let records = try GoldenLog.records()
        let survey = GoldenLog.survey(records)
        let page = try GoldenLog.page(records)
        for position in [77, records.count - 1] {
            let shown = try Self.shown(page, at: "e\(position)")
            #expect(shown.contains("✓ The leaf leads to the root of the log."))
            let list = try #require(shown.firstMatch(of: /<ol class="path">(.*?)<\/ol>/)).output.1
            let siblings = list.matches(of: /(left|right) <code>([0-9a-f]{64})<\/code>/)
            let hashes = try siblings.map { match in
                let bytes = try #require(Hex.decode(String(match.output.2)))
                return try #require(TreeHash(bytes))
            }
            let proof = InclusionProof(index: UInt64(position), hashes: hashes)
            #expect(proof.proves(records[position].bytes, in: survey.head))
        }
    }

    @Test func `a page with a leaf that is not the log's says so`() throws {
        let page = try GoldenLog.page(try GoldenLog.records())
        let leaves = try #require(page.data["events"]?.first?["leaves"]?.stringValue)
        let other = String(repeating: "A", count: 43) + leaves.dropFirst(43)
        let text = page.text.replacing(leaves, with: other)
        let shown = try Self.shown(try ReportPage(Bytes(text.utf8)), at: "e4")
        #expect(shown.contains("✗ The leaf does not lead to the root."))
    }

    @Test func `a request's story is told where it is linked to`() throws {
        let records = try GoldenLog.records()
        let page = try GoldenLog.page(records)
        let paid = try #require(records.first { $0.type == "transaction.sent" }?.request)
        let shown = try Self.shown(page, at: "r\(paid)")
        for words in [
            "Request \(paid)", "What happened", "Shown to the user", "Approved",
            "The signatures hold", "(unverified)",
        ] {
            #expect(shown.contains(words), "\(words)")
        }
        for record in records where record.request == paid {
            #expect(shown.contains("<a href=\"#e\(record.position)\">"), "\(record.type)")
        }
    }

    /// The page's elements after its script has run.
    private static func shown(_ page: ReportPage, at place: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "daybook-page-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "page.html")
        try Data(page.bytes).write(to: file)
        let path = try #require(Self.browser, "tools/setup test installs Chromium")
        let browser = try ProgramRun(
            [
                path, "--headless", "--no-sandbox", "--disable-gpu",
                "--disable-dev-shm-usage", "--user-data-dir=\(folder.path())",
                "--virtual-time-budget=10000", "--dump-dom", "\(file.absoluteString)#\(place)",
            ], dropsErrors: true)
        return browser.output
    }
}
