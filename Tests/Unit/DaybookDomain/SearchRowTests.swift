import DaybookEncoding
import Testing

@testable import DaybookDomain

/// The marks of contents, the rows that keep them, and the text that is looked through.
struct SearchRowTests {
    private func marks(_ text: String) -> SearchMarks {
        var marks = SearchMarks()
        marks.add(text: text.utf8.span)
        return marks
    }

    private func all(_ row: SearchRow) -> [UInt32] {
        var all: [UInt32] = []
        #expect(row.each { all.append($0) })
        return all
    }

    private func stored(_ row: SearchRow) throws -> SearchRow {
        try SearchRow(row.encoded(), path: "row")
    }

    @Test func `a row keeps each mark once, in order`() throws {
        let texts = ["coffee-shop", "Coffee", "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa", "ab", ""]
        var row = SearchRow()
        for text in texts { row.add(marks(text), at: nil) }
        let expected = Set(texts.flatMap { marks($0).values }).sorted()
        #expect(all(try stored(row)) == expected)
        #expect(expected.count > 40 && expected.allSatisfy { $0 < 1 << 17 })
        var other = SearchRow()
        for text in texts.reversed() { other.add(marks(text), at: nil) }
        let kept = try stored(row)
        #expect(other == row && kept == row)
        other.add(marks("tea"), at: nil)
        #expect(other != row)
    }

    @Test func `marks of many long texts take no more than all the marks that there are`() throws {
        var row = SearchRow()
        var state: UInt64 = 1
        for _ in 0..<40 {
            let bytes = (0..<20_000).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 33)
            }
            var marks = SearchMarks()
            marks.add(text: bytes.span)
            row.add(marks, at: nil)
        }
        #expect(row.encoded().count < 1 << 18)
        let kept = all(try stored(row))
        #expect(kept.count > 100_000 && kept == kept.sorted())
    }

    @Test func `a row that is cut off can't be read, so that it is looked at`() throws {
        let row = try SearchRow(
            CBOR.record(["marks": .bytes([0x05, 0x85])]).encoded(), path: "row")
        #expect(!row.each { _ in })
    }

    @Test func `a row that lacks an amount hardly ever seems to have it`() {
        var row = SearchRow()
        for amount in 0..<400 { row.add(marks(of: amount), at: nil) }
        func mayHave(_ amount: Int) -> Bool {
            var clause = SearchClause()
            clause.add(marks(of: amount))
            return SearchFilter([clause]).mayHold(row) == [true]
        }
        #expect((0..<400).allSatisfy(mayHave))
        // Each of a million events' four thousand rows is looked at for each amount.
        #expect((400..<4400).count(where: mayHave) <= 2)
    }

    private func marks(of amount: Int) -> SearchMarks {
        var marks = SearchMarks()
        marks.add(.amount, String(amount * 1000))
        return marks
    }

    @Test func `the times of a row are its extremes, whatever the clock did`() throws {
        var row = SearchRow()
        for time: UInt64 in [50, 20, 70] { row.add(marks("x"), at: time) }
        for row in [row, try stored(row)] {
            #expect(row.mayBe(from: 70, to: nil) && !row.mayBe(from: 71, to: nil))
            #expect(row.mayBe(from: nil, to: 21) && !row.mayBe(from: nil, to: 20))
            #expect(row.mayBe(from: 60, to: 65) && row.mayBe(from: nil, to: nil))
        }
    }

    @Test(arguments: [
        ("plain", "plain"), ("Two%20cups", "Two cups"), ("a%2", "a%2"), ("%zz", "%zz"),
        ("100%25", "100%"), ("%2520", "%20"), ("", ""),
        ("iconex://?data=eyJpZCI6MSwibWV0aG9kIjoiYmluZCJ9&caller=app", "#"),
        ("?data=eyJpZCI6MSwibWV0aG9kIjoiYmluZCJ9%3D%3D", "##"),
        ("eyes", "eyes"),
    ])
    func `a link is searched with its encoded parts decoded`(
        link: String, text: String
    ) {
        let object = #"{"id":1,"method":"bind"}"#
        let expected =
            switch text {
            case "#": "iconex://?data=\(object)&caller=app"
            case "##": "?data=\(object)=="
            default: text
            }
        #expect(SearchedText.readable(Bytes(link.utf8)) == Bytes(expected.utf8))
    }
}
