import DaybookCommands
import DaybookEncoding
import Testing

/// How a prompt is drawn: no text can pass for a line of its own, however wide the terminal is.
struct ConsoleTests {
    /// Letters of every width, in numbers that a caller chooses.
    private static let texts = [
        "short", String(repeating: "a", count: 500),
        String(repeating: " ", count: 500) + "amount  1",
        String(repeating: "\u{6f22}", count: 100), String(repeating: "e\u{301}", count: 100),
        "a" + String(repeating: "\u{301}", count: 1_000), String(repeating: "\u{1f468}", count: 90),
        Text.escaped("\u{1b}[2J\t\r\n\u{2028}\u{200b}\u{202e}\u{2066}\u{feff}\u{7f}\u{9b}"),
    ]

    @Test(arguments: [4, 10, 20, 40, 80, 200])
    func `every piece of a text stands below the text, and fits the terminal`(columns: Int) {
        for text in Self.texts {
            let table = Console.table(
                [("method", "pay"), (String(text.prefix(60)), text), ("to", "me")],
                columns: columns).text
            for line in table.split(separator: "\n", omittingEmptySubsequences: false) {
                #expect(Self.width(line) <= max(columns, 6), "\(line)")
                #expect(line.utf8.starts(with: "  ".utf8))
            }
            // Without margins and line breaks it is the expected drawing.
            let drawn = table.unicodeScalars.filter { $0 != "\n" && $0 != " " }
            let given = "methodpay\(text.prefix(60))\(text)tome".unicodeScalars.filter { $0 != " " }
            #expect(drawn.elementsEqual(given))
        }
    }

    @Test func `only names are at the margin`() {
        for text in Self.texts {
            for columns in [30, 40, 80] {
                let table = Console.table(
                    [("amount", "5"), ("param 1", text), ("to", "me")], columns: columns
                ).text
                let atMargin = table.split(separator: "\n").filter { !$0.hasPrefix("   ") }
                #expect(
                    atMargin.map { $0.dropFirst(2).prefix { $0 != " " } }
                        == ["amount", "param", "to"])
            }
        }
    }

    /// As wide as a terminal draws it at most.
    private static func width(_ line: Substring) -> Int {
        line.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : 2) }
    }
}
