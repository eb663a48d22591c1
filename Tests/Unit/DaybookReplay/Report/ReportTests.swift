import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLog
import Testing

@testable import DaybookReplay

struct ReportTests {
    private let records: [EventRecord]
    private let page: ReportPage

    init() throws {
        (records, page) = try Self.golden.get()
    }

    private static let golden = Result {
        let records = try GoldenLog.records()
        return (records, try GoldenLog.page(records))
    }

    @Test func `a page is well formed, and every link leads to a place in it`() {
        page.expectSound()
    }

    @Test func `a page may load nothing, and run only its own script`() throws {
        let policy = try #require(
            page.elements.first { $0.attributes["http-equiv"] == "Content-Security-Policy" })
        func digest(_ file: Bytes) -> String { "'sha256-\(Base64.encode(SHA256.hash(file)))'" }
        #expect(
            policy.attributes["content"]
                == "default-src 'none'; script-src \(digest(page.code[1])); style-src "
                + "\(digest(page.code[0])); base-uri 'none'; form-action 'none'")
        for file in page.code {
            let code = String(decoding: file, as: UTF8.self)
                .replacing("http://www.w3.org/2000/svg", with: "")
            let words = [
                "url(", "@import", "src=", "http://", "https://", "</", "<!--", "innerHTML",
                "fetch(", "eval(",
            ]
            for word in words { #expect(!code.contains(word), "\(word)") }
        }
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
            "3 payments came to nothing after the network had been told",
            "it was executed without success", "Nothing wrong was found",
        ] {
            let isShown = page.line.contains(words)
            #expect(isShown, "\(words)")
        }
        page.expectSound()
    }

    @Test func `the same log gives the same bytes`() throws {
        #expect(try GoldenLog.page(records).bytes == page.bytes)
    }

    @Test func `the leaves and the nodes on the page lead to the root on the page`() throws {
        let pieces = try #require(page.data["events"])
        let leaves = try pieces.flatMap { piece in
            try #require(piece["leaves"]?.stringValue.flatMap { Base64.decode($0) })
        }
        #expect(leaves == records.flatMap { EventRecord.leafHash($0.bytes) })
        var tree = TreeFold()
        for record in records { tree.add(leaf: record.bytes) }
        #expect(page.shown.contains(Hex.encode(tree.root().bytes)))
        #expect(
            page.data["about"]?.first?["root"]?.stringValue == Base64.encode(tree.root().bytes))
        let nodes = pieces.compactMap { $0["node"]?.stringValue }
        #expect(nodes.count == (records.count + 1023) / 1024)
        if nodes.count == 1 { #expect(nodes[0] == Base64.encode(tree.root().bytes)) }
    }

    @Test func `every event is on the page, and every event of a request is told`() throws {
        let events = try #require(page.events)
        #expect(events.map(\.position) == records.map(\.position))
        for (event, record) in zip(events, records) {
            #expect(event.type == record.type)
            if record.request != nil { #expect(event.step != nil, "\(record.type)") }
        }
    }

    @Test func `faults stand on top, beside the checks that were made and the others`() throws {
        let findings = [
            ReportFinding(position: 3, rule: "replay", message: "<b>type</b>"),
            ReportFinding(position: nil, rule: "tree", message: "another root"),
        ]
        let page = try GoldenLog.page(records, findings: findings)
        page.expectSound()
        #expect(page.line.contains("2 things are wrong with this log"))
        #expect(page.shown.contains("<b>type</b>"))
        #expect(!page.shown.contains("Nothing wrong was found"))
        #expect(self.page.shown.contains("Nothing wrong was found"))
        #expect(self.page.shown.contains("Everything was looked at."))
        #expect(self.page.shown.contains("Nobody was asked."))
    }

    @Test func `a request tells what was asked, shown, decided, sent and answered`() {
        let steps = [
            "Received", "Shown to the user", "Approved", "Prepared", "The signatures hold",
            "The node took it", "Answered", "with this callback",
        ]
        for step in steps { #expect(page.texts.contains(step), "\(step)") }
    }

    @Test func `opening and closing balances are those of the wallets, and parts join`() throws {
        let whole = GoldenLog.survey(records)
        let totals = ReportTotals(whole).accounts
        #expect(totals.count > 3)
        for (key, account) in totals {
            let row = try #require(whole.state.balances[key])
            let held = SignedAmount(row.confirmed).adding(SignedAmount(row.unconfirmed))
            #expect(account.opening == .zero)
            #expect(account.closing == held, "wallet \(key.first), \(key.text)")
        }
        let middle = records[records.count / 2].time
        var (before, after) = (ReportScope(), ReportScope())
        (before.to, after.from) = (middle, middle)
        let first = ReportTotals(GoldenLog.survey(records, before)).accounts
        let second = ReportTotals(GoldenLog.survey(records, after)).accounts
        for (key, account) in totals {
            #expect(first[key]?.closing == second[key]?.opening)
            #expect(second[key]?.closing == account.closing)
        }
        #expect(second.values.contains { $0.opening != .zero })
    }

    @Test func `a period lists its requests with their whole stories, and a wallet its own`()
        throws
    {
        let middle = records[records.count / 2].time
        var (before, after) = (ReportScope(), ReportScope())
        (before.to, after.from) = (middle, middle)
        let parts = try [before, after].map { try GoldenLog.page(records, $0) }
        for part in parts { part.expectSound() }
        let ids = try parts.map { try #require($0.requests) }
        #expect(ids[0].count > 5 && ids[1].count > 5)
        #expect(ids[0] + ids[1] == page.requests)
        for id in ids[0] {
            let told = parts[0].events?.filter { $0.request == id }.map(\.position)
            #expect(told == records.filter { $0.request == id }.map(\.position))
        }
        let wallet = try #require(GoldenLog.survey(records).state.wallets.keys().first)
        let one = try GoldenLog.page(records, wallet: wallet)
        one.expectSound()
        let own = try #require(one.requests)
        #expect(!own.isEmpty && own.count < ids[0].count + ids[1].count)
        let moved = one.data["movements"]?.flatMap { $0["wallet"]?.arrayValue ?? [] } ?? []
        #expect(!moved.isEmpty && moved.allSatisfy { $0 == .int(wallet.number) })
    }

    @Test func `without events the page has the stories of requests, and no leaf`() throws {
        var scope = ReportScope()
        scope.showsEvents = false
        let page = try GoldenLog.page(records, scope)
        page.expectSound()
        #expect(page.requests == self.page.requests)
        #expect(page.bytes.count < self.page.bytes.count * 3 / 4)
        #expect(page.data["events"]?.contains { $0["leaves"] != nil } == false)
    }

    @Test func `a log without events is a page too`() throws {
        let page = try GoldenLog.page([])
        page.expectSound()
        #expect(page.shown.contains("There are no wallets."))
    }
}

/// The data as the script reads it.
extension ReportPage {
    /// The shown text, with line breaks as spaces.
    var line: String { shown.replacing("\n", with: " ") }

    /// The numbers of the listed requests.
    var requests: [UInt64]? {
        data["requests"]?.flatMap { Self.sums($0["id"]) }.sorted()
    }

    struct ListedEvent {
        let position: UInt64
        let type: String?
        let request: UInt64?
        let step: [Int64]?
    }

    var events: [ListedEvent]? {
        data["events"]?.flatMap { piece -> [ListedEvent] in
            let types = piece["type"]?.arrayValue ?? []
            let first = UInt64(piece["first"]?.intValue ?? 0)
            let positions = piece["position"].map(Self.sums)
            return types.indices.map { row in
                let place = positions?[row] ?? first + UInt64(row)
                let request = UInt64(piece["request"]?.arrayValue?[row].intValue ?? 0)
                return ListedEvent(
                    position: place,
                    type: piece["texts"]?.arrayValue?[Int(types[row].intValue ?? 0)].stringValue,
                    request: request == 0 ? nil : place - request + 1,
                    step: piece["step"]?.arrayValue?[row].arrayValue?.compactMap(\.intValue))
            }
        }
    }

    private static func sums(_ column: JSON?) -> [UInt64] {
        var sum: Int64 = 0
        return (column?.arrayValue ?? []).map { difference in
            sum += difference.intValue ?? 0
            return UInt64(sum)
        }
    }
}
