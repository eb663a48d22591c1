import Testing

@testable import DaybookEncoding

struct CommaSeparatedTests {
    private func rows(_ text: String) throws -> [[String]] {
        var table = CommaSeparated(Bytes(text.utf8))
        var rows: [[String]] = []
        while let row = try table.row() {
            rows.append(row.cells.map { String(decoding: $0, as: UTF8.self) })
        }
        return rows
    }

    @Test(arguments: [
        ("", []), ("\n\r\n", []), ("a,b\nc,d", [["a", "b"], ["c", "d"]]),
        ("a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]), ("a,\n,b", [["a", ""], ["", "b"]]),
        (#""a,b","c""d""#, [["a,b", #"c"d"#]]), ("\"a\r\nb\",c\n", [["a\r\nb", "c"]]),
        (#"a"b,c"#, [[#"a"b"#, "c"]]), ("\"\"", []), ("a,", [["a", ""]]),
    ])
    func `a table's rows have their cells`(_ text: String, _ expected: [[String]]) throws {
        #expect(try rows(text) == expected)
    }

    @Test func `lines are counted, also those within a cell`() throws {
        var table = CommaSeparated(Bytes("a\n\"b\nc\"\n\nd".utf8))
        var lines: [Int] = []
        while let row = try table.row() { lines.append(row.line) }
        #expect(lines == [1, 2, 5])
        let open = CommaSeparated.Failure(line: 3, reason: "has a quoted cell without an end")
        #expect(throws: open) { _ = try rows("a\n\"b\nc") }
        #expect(throws: CommaSeparated.Failure.self) { _ = try rows("\"a\"b") }
    }
}
