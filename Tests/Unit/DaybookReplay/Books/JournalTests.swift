import DaybookChains
import DaybookDomain
import DaybookEncoding
import Foundation
import Testing
import TestSupport

@testable import DaybookReplay

struct JournalTests {
    /// Texts of others that mean something to a program, or to a terminal.
    static let hostileTexts = [
        "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", "a,b", "a\"b", "a\r\nb", "a\nb",
        "; x", "a  1 EUR", " =1", "'=1", "''", "\u{2028}", "a:b", "\"", "'", "=\"", "", "a;=1+1",
        "a;\t@x", "a; \"=1", "\u{202e}txt.exe", "(code) x", "* x", "! x", "[a]", "a | b", "%3B",
        "fees", "Fees", "removed", "日本", "\\", "\\\"", "a\\n", "~ monthly", "@ 3 EUR",
        "{1}", "#tag", "^link", "  a  ", "a; b: c", "a:: b", "assets:x", "include x", "..", "<a>",
        "é", "A", "0",
    ]

    private static let log = Bytes(0...15)

    private static func state() throws -> State {
        try GoldenEvents.all().reduce(into: State()) { $0.evolve($1) }
    }

    private static func journal(
        _ program: BookProgram, _ state: State, log: Bytes = log,
        _ change: (Movement) -> Movement = { $0 }
    ) -> String {
        var book = Book(format(program), state, log: log)
        let texts = Books(of: state).map { book.text(change($0)) }
        return book.header() + texts.joined()
    }

    private static func format(_ program: BookProgram) -> BookFormat {
        switch program {
        case .hledger: .hledger
        case .ledger: .ledger
        case .beancount: .beancount
        }
    }

    @Test(arguments: BookProgram.allCases)
    func `a program reads its journal, and has the same balances to the last unit`(
        _ program: BookProgram
    ) throws {
        let state = try Self.state()
        let journal = Self.journal(program, state)
        #expect(try program.check(journal) == "")
        let dialect: BookJournal.Dialect = program == .beancount ? .beancount : .ledger
        let names = BookNames(state, log: Self.log, spelling: dialect.spelling)
        var expected: [String: [String: String]] = [:]
        for line in state.balanceLines() {
            let asset = try #require(state.bookAsset(line.asset, of: line.wallet))
            let held = line.balance.confirmed.adding(line.balance.unconfirmed) ?? .max
            if held == .zero { continue }
            let account = dialect.account(.assets, spelled: names.wallet(line.wallet), "00010203")
            expected[account, default: [:]][names.currency(asset)] = asset.text(of: held)
        }
        #expect(try program.balances(journal) == expected)
        #expect(expected.count >= 3)
        // An amount that is off by one is noticed: the program does look.
        let wrong = journal.replacing(
            "  1.5 DASH\n", with: "  1.50000001 DASH\n", maxReplacements: 1)
        #expect(wrong != journal)
        #expect(try program.check(wrong) != "")
    }

    @Test(arguments: BookProgram.allCases)
    func `no text of others changes what a program reads`(_ program: BookProgram) throws {
        let state = try Self.state()
        let plain = try program.balances(Self.journal(program, state))
        for text in Self.hostileTexts {
            let journal = Self.journal(program, state) { $0.said(text) }
            #expect(try program.check(journal) == "", "\(text)")
            #expect(try program.balances(journal) == plain, "\(text)")
        }
    }

    @Test(arguments: BookProgram.allCases)
    func `two stores' journals can be in one file`(_ program: BookProgram) throws {
        let state = try Self.state()
        let one = Self.journal(program, state)
        let other = Self.journal(program, state, log: Bytes(16...31))
        #expect(try program.check(one + other) == "")
        // Wallets that have the same label in both are one account, others are one each.
        let sums = try [one, one + other].map { journal in
            try program.balances(journal).values.reduce(into: [String: UInt256]()) { sums, held in
                for (commodity, amount) in held {
                    let units = try #require(DecimalAmount.parse(amount, decimals: 18))
                    sums[commodity] = sums[commodity, default: .zero].adding(units)
                }
            }
        }
        #expect(sums[1] == sums[0].mapValues { $0.adding($0) ?? .max })
    }

    @Test func `a name has one spelling, whatever a program allows in it`() {
        #expect(BookJournal.Dialect.ledgerAccount("a  b:c ") == "a %20b%3ac%20")
        #expect(BookJournal.Dialect.ledgerAccount("日本 é") == "日本 é")
        #expect(BookJournal.Dialect.beancountAccount("coffee shop") == "Coffee-shop")
        #expect(BookJournal.Dialect.beancountAccount("(x)") == "X-x-")
        #expect(BookJournal.Dialect.beancountCurrency("sICX") == "SICX")
        #expect(BookJournal.Dialect.beancountCurrency("-") == "XX")
        let contract = "cx" + String(repeating: "0f", count: 20)
        let currency = BookJournal.Dialect.beancountCurrency(contract)
        #expect(currency == "CX" + String(repeating: "0F", count: 11))
    }
}

extension Movement {
    /// The same movement with a text of somebody else wherever there can be one.
    func said(_ text: String) -> Movement {
        Movement(
            kind: kind, wallet: wallet, payer: payer, payee: payee, asset: asset, sent: sent,
            received: received, fee: fee, date: date, recorded: recorded, position: position,
            txid: txid, request: request, sender: text, message: text, counterparty: text)
    }
}
