import DaybookChains
import DaybookDomain
import DaybookEncoding
import Foundation
import Testing
import TestSupport

@testable import DaybookReplay

struct StatementTests {
    private static let hledger = ["/usr/bin/hledger", "/usr/local/bin/hledger"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private static func entries() throws -> [BookEntry] {
        var keeper = Bookkeeper()
        return try GoldenEvents.all().compactMap { keeper.take($0) }
    }

    private static func journal() throws -> String {
        var journal = HledgerJournal()
        return HledgerJournal.preamble + (try entries().map { journal.text($0) }.joined())
    }

    /// An entry with hostile texts.
    private static func hostile(_ text: String) -> BookEntry {
        let asset = BookEntry.Asset(
            chain: .icon, network: .sandbox, name: text, symbol: text, decimals: 2)
        let amount = SignedAmount(UInt256(150), isNegative: true)
        return BookEntry(
            position: 7, time: 0, type: "transaction.confirmed", request: 3,
            postings: [
                BookEntry.Posting(
                    account: .wallet(1, .confirmedFree), asset: asset, amount: amount,
                    balance: UInt256(5)),
                BookEntry.Posting(
                    account: .external(.icon, .sandbox), asset: asset, amount: amount.negated,
                    balance: nil),
            ],
            movements: [
                BookEntry.Movement(
                    wallet: 1, asset: asset, kind: .sent, amount: amount, fee: nil, txid: [0xab],
                    request: 3, caller: text)
            ])
    }

    private static let hostileTexts = [
        "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", "a,b", "a\"b", "a\r\nb", "a\nb",
        "; x", "a  1 EUR", " =1", "'=1", "''", "\u{2028}", "a:b", "\"", "'", "=\"", "",
    ]

    @Test func `no text breaks out of its cell or becomes a formula`() {
        for text in Self.hostileTexts {
            let line = CSVStatement.lines(Self.hostile(text))
            #expect(line.hasSuffix("\r\n"))
            let cells = Self.cells(line)
            #expect(cells.count == 15, "\(cells)")
            #expect(line.hasPrefix("\"") && line.hasSuffix("\"\r\n"))
            #expect(line.split(separator: "\",\"", omittingEmptySubsequences: false).count >= 15)
            // One apostrophe less, and it is the text again.
            let name = Text.escaped(text)
            #expect(cells[4] == name || (cells[4].first == "'" && cells[4].dropFirst() == name))
            for (index, cell) in cells.enumerated() where ![6, 7].contains(index) {
                let first = cell.first { $0 != " " }
                #expect(first.map { !"=+-@\t\r＝＋－＠".contains($0) } ?? true, "\(cell)")
            }
            #expect(Array(cells[6...8]) == ["-1.5", "-150", ""])
            #expect(Array(cells[12...13]) == ["sent", "7"])
        }
        #expect(Self.cells(CSVStatement.lines(Self.hostile("=1\",\"2")))[4] == "'=1\",\"2")
    }

    @Test func `no text breaks out of its place in a journal`() throws {
        for text in Self.hostileTexts {
            var journal = HledgerJournal()
            let lines = journal.text(Self.hostile(text)).split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == 12, "\(lines)")
            #expect(lines.count { $0.hasPrefix("    ; ") } == 3)
            #expect(lines.count { $0.hasPrefix("    assets:") || $0.hasPrefix("    equity:") } == 2)
        }
    }

    @Test func `the table has a line for each movement, with its columns`() throws {
        let entries = try Self.entries()
        let lines = entries.flatMap { entry in
            CSVStatement.lines(entry).split(separator: "\r\n").map { Self.cells("\($0)\r\n") }
        }
        #expect(lines.count == entries.reduce(0) { $0 + $1.movements.count })
        #expect(Self.cells(CSVStatement.header).count == 15)
        #expect(lines.allSatisfy { $0.count == 15 })
        let paid = try #require(lines.first { $0[2] == "dash" && $0[12] == "sent" })
        #expect(paid[4] == "DASH" && paid[5] == "DASH")
        #expect(paid[6].hasPrefix("-") && !paid[8].isEmpty && paid[9].count == 64)
        let minor = try #require(UInt256(decimal: paid[7].dropFirst()))
        #expect(DecimalAmount.parse(paid[6].dropFirst(), decimals: 8) == minor)
    }

    @Test func `a journal's transactions balance, and its assertions hold`() throws {
        var balances: [String: SignedAmount] = [:]
        var open: [String: SignedAmount] = [:]
        var transactions = 0
        for line in try Self.journal().split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                #expect(open.values.allSatisfy { $0 == .zero })
                open = [:]
            }
            if line.first?.isNumber == true { transactions += 1 }
            guard line.hasPrefix("    assets:") || line.hasPrefix("    equity:") else { continue }
            let parts = line.dropFirst(4).split(separator: "  ", maxSplits: 1)
            let sides = parts[1].components(separatedBy: " = ")
            let (amount, commodity) = try Self.amount(sides[0])
            let account = "\(parts[0]) \(commodity)"
            open[commodity] = (open[commodity] ?? .zero).adding(amount)
            balances[account] = (balances[account] ?? .zero).adding(amount)
            if sides.count == 2 { #expect(try Self.amount(sides[1]).0 == balances[account]) }
            #expect((sides.count == 2) == line.hasPrefix("    assets:"))
        }
        #expect(transactions > 50)
    }

    @Test func `hledger reads the journal and finds nothing wrong, also when it is strict`()
        throws
    {
        let journal = try Self.journal()
        let run = try Self.check(journal)
        #expect(run.status == 0, "\(run.output)")
        // A balance that is off by one is noticed: the check does look.
        let index = try #require(journal.range(of: " = 0 ")?.lowerBound)
        var wrong = journal
        wrong.replaceSubrange(index..<journal.index(index, offsetBy: 5), with: " = 1 ")
        #expect(try Self.check(wrong).status != 0)
        for text in Self.hostileTexts where !text.isEmpty {
            var some = HledgerJournal(assertingBalances: false)
            let entry = HledgerJournal.preamble + some.text(Self.hostile(text))
            let run = try Self.check(entry)
            #expect(run.status == 0, "\(text): \(run.output)")
        }
    }

    private static func check(_ journal: String) throws -> ProgramRun {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("daybook-\(UUID().uuidString).journal")
        try Data(journal.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let hledger = try #require(hledger, "tools/setup test installs hledger")
        return try ProgramRun(
            [hledger, "check", "--strict", "-f", file.path],
            environment: ["LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"])
    }

    private static func amount(_ text: some StringProtocol) throws -> (SignedAmount, String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        let digits = parts[0].drop { $0 == "-" }
        let value = try #require(DecimalAmount.parse(digits, decimals: 18))
        return (SignedAmount(value, isNegative: parts[0].hasPrefix("-")), String(parts[1]))
    }

    /// A second reading of RFC 4180: the cells of one record, which ends with CR and LF.
    private static func cells(_ record: String) -> [String] {
        var cells = [""]
        var isQuoted = false
        var previous: Unicode.Scalar = ","
        for scalar in record.unicodeScalars.dropLast(2) {
            if scalar == "\"" {
                if isQuoted || previous == "," || previous == "\"" {
                    if !isQuoted, previous == "\"" { cells[cells.count - 1] += "\"" }
                    isQuoted.toggle()
                }
            } else if scalar == ",", !isQuoted {
                cells.append("")
            } else {
                cells[cells.count - 1].unicodeScalars.append(scalar)
            }
            previous = scalar
        }
        return cells
    }
}
