import DaybookEncoding
import DaybookLog
import Foundation
import Testing
import TestSupport

@testable import DaybookReplay

/// The browser that `tools/setup test` installs.
enum Browser {
    static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
}

/// The page in a real browser, which keeps to the page's policy and runs its script.
struct BrowserTests {
    @Test func `an event's proof is shown where it is linked to, and proves the event`() throws {
        let records = try GoldenLog.records()
        let survey = GoldenLog.survey(records)
        let page = try GoldenLog.page(records)
        // In a whole batch, and as the last of one that is not.
        for position in [77, records.count - 1] {
            let shown = try Self.shown(page, at: "p\(position)")
            let list = try #require(
                shown.firstMatch(of: /id="p([0-9]+)"[^<]*<\/a><ol class="path">(.*?)<\/ol>/))
            #expect(list.output.1 == "\(position)")
            #expect(list.output.2.hasSuffix("<li>gives the root ✓</li>"))
            let siblings = list.output.2.matches(of: /<code>([0-9a-f]{64})<\/code>/)
            let hashes = try siblings.map { match in
                let bytes = try #require(Hex.decode(String(match.output.1)))
                return try #require(TreeHash(bytes))
            }
            let proof = InclusionProof(index: UInt64(position), hashes: hashes)
            #expect(proof.proves(records[position].bytes, in: survey.head))
        }
    }

    @Test func `a page with a hash that is not the log's says so`() throws {
        let page = try GoldenLog.page(try GoldenLog.records())
        let leaf = try #require(page.text.firstMatch(of: /href="#p5">([0-9a-f]{64})/))
        let other = page.text.replacing(leaf.output.1, with: String(repeating: "0", count: 64))
        let shown = try Self.shown(try Page(Bytes(other.utf8)), at: "p300")
        #expect(shown.contains("<li>gives the root ✓</li>"), "another batch is not asked")
        #expect(try Self.shown(try Page(Bytes(other.utf8)), at: "p4")
            .contains("<li>does not give the root ✗</li>"))
    }

    /// The page's elements after its script has run.
    private static func shown(_ page: Page, at place: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "daybook-page-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "page.html")
        try Data(page.bytes).write(to: file)
        let path = try #require(Browser.path, "tools/setup test installs Chromium")
        let browser = try ProgramRun(
            [
                path, "--headless", "--no-sandbox", "--disable-gpu",
                "--disable-dev-shm-usage", "--user-data-dir=\(folder.path())",
                "--virtual-time-budget=10000", "--dump-dom", "\(file.absoluteString)#\(place)",
            ], dropsErrors: true)
        return browser.output
    }
}
