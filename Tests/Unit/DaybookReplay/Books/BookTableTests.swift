import DaybookChains
import DaybookDomain
import DaybookEncoding
import Foundation
import Testing
import TestSupport

@testable import DaybookReplay

struct BookTableTests {
    private static func state() throws -> State {
        try GoldenEvents.all().reduce(into: State()) { $0.evolve($1) }
    }

    @Test func `the header is that of the universal form, and more`() throws {
        let table = BookTable(try Self.state(), log: [])
        #expect(
            table.header
                == "Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,"
                + "Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash,"
                + "Recorded,Counterparty,Wallet,Kind,Request,Position\r\n")
    }

    @Test func `the sums of a table are the balances`() throws {
        let state = try Self.state()
        let table = BookTable(state, log: [])
        var sums: [String: SignedAmount] = [:]
        for movement in Books(of: state) {
            let cells = Self.cells(table.line(movement))
            #expect(cells.count == BookTable.columns.count)
            for (column, isGain) in [(1, false), (3, true), (5, false)] where cells[column] != "" {
                let amount = try #require(DecimalAmount.parse(cells[column], decimals: 18))
                let change = SignedAmount(amount, isNegative: !isGain)
                sums[cells[column + 1]] = (sums[cells[column + 1]] ?? .zero).adding(change)
            }
        }
        var held: [String: SignedAmount] = [:]
        let names = BookNames(state, log: [])
        for line in state.balanceLines() {
            let asset = try #require(state.bookAsset(line.asset, of: line.wallet))
            let whole = line.balance.confirmed.adding(line.balance.unconfirmed) ?? .max
            let amount = try #require(DecimalAmount.parse(asset.text(of: whole), decimals: 18))
            let name = names.currency(asset)
            held[name] = (held[name] ?? .zero).adding(SignedAmount(amount))
        }
        #expect(sums.filter { $0.value != .zero } == held.filter { $0.value != .zero })
        #expect(held.count >= 4)
    }

    @Test func `no text becomes a formula, whatever separates the cells`() throws {
        let state = try Self.state()
        let table = BookTable(state, log: [])
        let movement = try #require(Books(of: state).first { $0.kind == .payment })
        for text in JournalTests.hostileTexts {
            let line = table.line(movement.said(text))
            #expect(line.hasSuffix("\r\n") && line.dropLast().utf8.allSatisfy { $0 >= 0x20 })
            for separator in [",", ";", "\t"] as [Unicode.Scalar] {
                for cell in Self.cells(line, separator) {
                    let first = cell.first { $0 != " " && $0 != "\"" }
                    let isFormula = first.map { "=+-@\t\r＝＋－＠".contains($0) } ?? false
                    #expect(!isFormula, "\(text): \(cell)")
                }
            }
            let said = Self.cells(line)[13]
            // Without the apostrophes it is the text again.
            let escaped = Text.escaped(text)
            #expect(said.filter { $0 != "'" } == escaped.filter { $0 != "'" })
        }
    }

    /// The cells of one record as a lenient reader of CSV takes them.
    static func cells(_ record: String, _ separator: Unicode.Scalar = ",") -> [String] {
        var cells = [""]
        var (isQuoted, isStart) = (false, true)
        var previous: Unicode.Scalar = separator
        for scalar in record.unicodeScalars.filter({ $0 != "\r" && $0 != "\n" }) {
            if scalar == "\"", isQuoted || isStart || previous == "\"" {
                if !isQuoted, !isStart { cells[cells.count - 1] += "\"" }
                isQuoted.toggle()
                isStart = false
            } else if scalar == separator, !isQuoted {
                cells.append("")
                isStart = true
            } else {
                cells[cells.count - 1].unicodeScalars.append(scalar)
                isStart = false
            }
            previous = scalar
        }
        return cells
    }
}
