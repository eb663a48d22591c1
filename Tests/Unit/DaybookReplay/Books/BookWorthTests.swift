import DaybookDomain
import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookReplay

/// Labels and prices in books.
struct BookWorthTests {
    /// The golden session's state, with a label of each kind and a price of each kind of asset.
    private static func state() throws -> (state: State, payment: Movement) {
        var state = try GoldenEvents.all().reduce(into: State()) { $0.evolve($1) }
        let payment = try #require(
            Books(of: state).first { $0.kind == .payment && $0.asset.name == "DASH" })
        let price = try #require(DecimalNumber("24.31"))
        let time = payment.date - 1
        func event(_ payload: Payload) -> Event {
            Event(
                position: 100_000, time: time, session: 0, request: nil, payload: payload)
        }
        let address = try #require(payment.counterparty)
        let sender = try #require(payment.sender)
        state.evolve(
            event(
                .labelSet(
                    LabelSet([
                        .init(.sender(sender), "Corner shop"), .init(.address(address), "Till 2"),
                    ]))))
        state.evolve(
            event(
                .priceSet(
                    PriceSet([
                        .init(PriceKey("DASH", in: "EUR", at: time), price),
                        .init(PriceKey("DASH", in: "USD", at: time), price),
                        .init(PriceKey("ICX", in: "EUR", at: time + 1_000_000), price),
                    ]))))
        return (state, payment)
    }

    private static func label(_ text: String, _ state: inout State, _ payment: Movement) throws {
        let txid = try #require(payment.txid)
        state.evolve(
            Event(
                position: 100_001, time: payment.date, session: 0, request: nil,
                payload: .labelSet(LabelSet([.init(.transaction(txid), text)]))))
    }

    @Test func `a table shows a movement's worth, and the user's label`() throws {
        var (state, payment) = try Self.state()
        let cells = BookTableTests.cells(BookTable(state, log: []).line(payment))
        let expected = BookWorth.rounded(
            try #require(payment.sent.multiplied(by: UInt256(2431))), from: 10, to: 2)
        #expect(Array(cells[7...8]) == [expected, "EUR"])
        #expect(cells[10] == "Till 2")
        try Self.label("rent; =1", &state, payment)
        #expect(BookTableTests.cells(BookTable(state, log: []).line(payment))[10] == "rent; '=1")
    }

    @Test(arguments: BookProgram.allCases)
    func `journals have prices, and accounts by the user's names`(_ program: BookProgram) throws {
        let state = try Self.state().state
        let format: BookFormat = program == .beancount ? .beancount : .ledger
        var book = Book(format, state, log: Bytes(0...15))
        let journal = book.header() + Books(of: state).map { book.text($0) }.joined()
        #expect(try program.check(journal) == "")
        let isBeancount = program == .beancount
        #expect(journal.contains(isBeancount ? " price DASH 24.31 EUR\n" : " DASH 24.31 EUR\n"))
        let account = isBeancount ? "Expenses:Corner-shop:" : "expenses:Corner shop\n"
        #expect(journal.contains(account))
    }

    @Test(arguments: [
        (0, 2, 2, "0"), (5, 3, 2, "0"), (15, 3, 2, "0.02"), (25, 3, 2, "0.02"),
        (251, 4, 2, "0.03"), (250, 4, 2, "0.02"), (12_345, 2, 0, "123"), (99_999, 3, 2, "100"),
        (7, 1, 2, "0.7"), (50, 2, 0, "0"), (150, 2, 0, "2"), (51, 2, 0, "1"),
    ])
    func `a worth is rounded half to even`(
        number: Int, decimals: Int, places: Int, text: String
    ) {
        #expect(BookWorth.rounded(UInt256(UInt64(number)), from: decimals, to: places) == text)
    }
}
