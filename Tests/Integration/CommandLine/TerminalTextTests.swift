import DaybookEncoding
import Testing

@testable import DaybookCommands

/// Programs print texts of ours and data, and no data is more than letters.
struct TerminalTextTests {
    private static let hostile = "a\u{1b}[2J\r\n\u{202e}b"
    private static let harmless = #"a\u{001B}[2J\u{000D}\u{000A}\u{202E}b"#

    @Test func `a literal stays as it is, and every text in it is escaped`() {
        let number: UInt64 = 7
        let text: TerminalText = "one\n  \(Self.hostile) \(number)"
        #expect(text.text == "one\n  \(Self.harmless) 7")
        let whole: TerminalText = "\(text) + \(text)"
        #expect(whole.text == "\(text.text) + \(text.text)")
        #expect((text + "\n").text == text.text + "\n")
    }

    @Test func `escaped text stays as it is`() {
        let text: TerminalText = "\(Text.escaped(Self.hostile)) \(#"C:\new"#)"
        #expect(text.text == #"\#(Self.harmless) C:\new"#)
    }

    @Test func `texts are joined by a text of ours`() {
        let texts: [TerminalText] = ["a", "\("b\n")", "c"]
        #expect(texts.joined(separator: "\n").text == "a\nb\\u{000A}\nc")
        #expect([TerminalText]().joined(separator: ", ").text == "")
    }

    @Test func `a text of several lines keeps its line breaks and nothing else`() {
        #expect(TerminalText(lines: "a\n\n\u{2014} b\u{7}\n").text == "a\n\n\u{2014} b\\u{0007}\n")
    }

    @Test func `tables and columns escape their texts`() {
        let table = Console.table([(Self.hostile, Self.hostile)]).text
        #expect(table == "  \(Self.harmless)  \(Self.harmless)")
        let columns = Console.columns([[Self.hostile, "x"], ["y"]]).text
        #expect(columns.split(separator: "\n").map { String($0) } == ["\(Self.harmless)  x", "y"])
    }

    @Test func `a JSON line escapes what a terminal would act on, and loses nothing`() throws {
        let texts = [
            Self.hostile, "\u{9b}2J", "\u{7f}", "\u{e0041}", "\u{200b}", "caf\u{e9} \u{1f600}",
            #"\u202e"#,
        ]
        for text in texts {
            let line = Console.line(.object([.init(name: text, value: .string(text))]))
            let isSafe = line.unicodeScalars.allSatisfy { !Text.isHidden($0) }
            #expect(isSafe, "\(line)")
            #expect(try JSON.parse(Array(line.utf8))[text] == .string(text))
        }
        #expect(Console.line(.string("\u{e0041}\u{202e}")) == #""\udb40\udc41\u202e""#)
    }
}
