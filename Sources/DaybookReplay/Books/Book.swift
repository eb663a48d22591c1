package import DaybookDomain
package import DaybookEncoding

/// A format of the wallets' books.
package enum BookFormat: Sendable {
    case csv, hledger, ledger, beancount
}

/// Writes movements in a format, one after the other.
///
/// For example:
///
///     var book = Book(.csv, state, log: log.id)
///     output(book.header())
///     for movement in Books(of: state) { output(book.text(movement)) }
package struct Book {
    private let table: BookTable?
    private var journal: BookJournal?

    /// A book about the wallets of a state, which is that of a log's events.
    package init(_ format: BookFormat, _ state: State, log: Bytes) {
        table = format == .csv ? BookTable(state, log: log) : nil
        switch format {
        case .csv: journal = nil
        // hledger reads what ledger does, and it needs nothing else.
        case .hledger, .ledger: journal = BookJournal(state, log: log, .ledger)
        case .beancount: journal = BookJournal(state, log: log, .beancount)
        }
    }

    /// The text before the movements.
    package mutating func header() -> String { table?.header ?? journal?.header() ?? "" }

    /// A movement's line or transaction.
    package mutating func text(_ movement: Movement) -> String {
        table?.line(movement) ?? journal?.text(movement) ?? ""
    }
}
