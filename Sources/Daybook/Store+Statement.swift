import DaybookChains
import DaybookDomain
public import DaybookEncoding
import DaybookLog
import DaybookReplay

extension Store {
    /// The balances of the wallets, or one of them, at both ends of a period, and its movements.
    ///
    /// For example, the statement of a year as a page:
    ///
    ///     let year = try await store.statement(from: newYear, to: nextNewYear)
    ///     write(year.content(as: .html))
    ///
    /// `to` is the first moment after the period. A movement counts on the date of its block, where
    /// a node told it.
    ///
    /// - Throws: `invalidPeriod` if the period is empty or ends before it begins.
    public func statement(
        from: Timestamp, to: Timestamp, wallet: WalletID? = nil
    ) throws(DaybookError) -> PeriodStatement {
        guard from < to else {
            throw DaybookError(
                "invalidPeriod", .usage,
                "a period that begins at \(Timestamp.seconds(from)) can't end at "
                    + "\(Timestamp.seconds(to))")
        }
        return try convertingErrors {
            let witnesses = try witnessSettings.witnesses().map(\.key)
            return try journal.read(.askedNow) { state, log in
                let head = try log.snapshot.head()
                var statement = BookStatement(
                    from.microseconds..<to.microseconds, of: state, log: log.snapshot.logID, head,
                    wallet: wallet)
                if !witnesses.isEmpty {
                    let coverage = try log.snapshot.coverage(by: witnesses)
                    statement.coverage = coverage.json(of: head.size)
                }
                return PeriodStatement(statement)
            }
        }
    }
}

/// A statement of a period, which anybody who has the log can check.
public struct PeriodStatement: Sendable {
    private let statement: BookStatement

    /// The number of events from which the figures follow.
    public var events: UInt64 { statement.head.size }

    /// The root of the tree over these events, 32 bytes in hex.
    public var root: String { Hex.encode(statement.head.root.bytes) }

    /// The figures and movements as an object, as they are in its JSON.
    package var json: JSON { statement.json }

    init(_ statement: BookStatement) { self.statement = statement }

    /// The content of a file in UTF-8.
    public func content(as format: StatementFormat) -> [UInt8] {
        let text = StatementText(statement)
        return switch format {
        case .text: Array(text.plain.utf8)
        case .html: Array(text.html.utf8)
        case .csv: Array(text.csv.utf8)
        case .json: Array((statement.json.text() + "\n").utf8)
        }
    }
}

/// A format of statements. The names are those of `daybook statement --format`.
public enum StatementFormat: String, Codable, Hashable, Sendable, CaseIterable {
    /// Lines for a terminal.
    case text
    /// A page for people, which has the JSON in it.
    case html
    /// A table of the movements, between the balances of the beginning and of the end.
    case csv
    /// The form that `daybook-replay verify --statement` compares with a log.
    case json
}
