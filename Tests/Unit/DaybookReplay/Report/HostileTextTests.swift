import DaybookDomain
import DaybookEncoding
import DaybookLog
import Testing

@testable import DaybookReplay

struct HostileTextTests {
    static let texts = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onclick='alert(1)",
        "</style></title></summary></dd><h1>", "&lt;b&gt;&amp;&#60;", "<!-- ", "]]>", "--><svg>",
        "a\u{0}b\u{1b}[31m", "\u{202E}evil\u{2066}", "\u{FEFF}\u{200B}\u{00AD}", "\\u{202E}",
        "javascript:alert(1)", "https://evil.example/", "}body{display:none}/*",
        String(repeating: "W", count: 3000), "line\nbreak\r\tand\u{2028}more", "e\u{301}",
    ]

    @Test(arguments: [0, 5, 11])
    func `a text in any field of any event stays a text`(turn: Int) throws {
        var next = turn
        let recorded = try GoldenLog.records()
        let records = recorded.map { record in
            record.with(data: planted(in: record, &next))
        }
        #expect(next > 200)
        let findings = Self.texts.map { ReportFinding(position: 0, rule: $0, message: $0) }
        let page = try GoldenLog.page(records, findings: findings)
        page.expectSound()
        for text in ["<script>alert(1)</script>", #"\u{202E}evil\u{2066}"#, "&lt;b&gt;&amp;"] {
            #expect(page.shown.contains(text), "\(text)")
            #expect(page.texts.contains { $0.contains(text) }, "\(text)")
        }
    }

    @Test func `a text that is not the template's own can't end an element or begin a list`()
        throws
    {
        let output = Output()
        let list = "{{#list}} {{text}}{{/list}}{{^list}}none{{/list}}"
        let template = Template(Bytes("<p>{{text}}\(list)</p>".utf8))
        try template.write(
            ["text": .text("</p>{{text}}"), "list": .texts(["{{#list}}", "\u{202E}&"])],
            to: { output.bytes += $0 })
        #expect(
            Text.utf8String(output.bytes)
                == #"<p>&lt;/p&gt;{{text}} {{#list}} \u{202E}&amp;</p>"#)
    }

    private final class Output {
        var bytes: Bytes = []
    }

    /// The data with a text in place of each text and bytes in it that the event can do without.
    private func planted(in record: EventRecord, _ next: inout Int) -> CBOR {
        var result = record.data
        for path in paths(record.data) {
            let text = Self.texts[next % Self.texts.count]
            for value in [CBOR.text(text), .bytes(Bytes(text.utf8))] {
                let changed = replaced(result, path[...], value)
                let event = try? record.with(data: changed).event()
                if changed != result, event?.payload.data.encoded() == changed.encoded() {
                    result = changed
                    next += 1
                }
            }
        }
        return result
    }

    private func paths(_ value: CBOR) -> [[Int]] {
        switch value {
        case .map(let entries):
            entries.indices.flatMap { index in paths(entries[index].value).map { [index] + $0 } }
        case .array(let items):
            items.indices.flatMap { index in paths(items[index]).map { [index] + $0 } }
        case .text, .bytes: [[]]
        default: []
        }
    }

    private func replaced(_ value: CBOR, _ path: ArraySlice<Int>, _ new: CBOR) -> CBOR {
        guard let index = path.first else { return new }
        switch value {
        case .map(var entries):
            entries[index].value = replaced(entries[index].value, path.dropFirst(), new)
            return .map(entries)
        case .array(var items):
            items[index] = replaced(items[index], path.dropFirst(), new)
            return .array(items)
        default: return value
        }
    }
}
