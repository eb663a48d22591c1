import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding

extension Command {
    static let requests = Command(
        "requests", does: """
            list open and past requests, newest first
            Each line has the request's status, when it came, what it asks for, and why it was
            refused or has failed.
            """,
        options: [
            Option("--status", "S", "only these statuses, such as pending or completed,failed"),
            Option("--before", "N", "only requests before request N, for the next page"),
            Option("--limit", "N", "at most N requests; default 100"),
        ]
    ) { invocation, store in
        let status = try statuses(invocation.value("--status"))
        try await pages(invocation, before: try invocation.id("--before")) { before, limit in
            let page = try await store.requests(status: status, before: before, limit: limit)
            for request in page.requests {
                try invocation.console.result(try request.json(), request.line)
            }
            return (page.requests.count, page.next)
        }
        return .done
    }

    static let history = Command(
        "history", "W", count: 1...1, does: """
            list what transactions changed in wallet W's balances, newest first
            W is an id or a label. Each line is one transaction and asset: what the wallet got or
            gave, with the fee. All amounts of an asset add up to its balance.
            """,
        options: [
            Option("--before", "N", "only entries before entry N, for the next page"),
            Option("--limit", "N", "at most N entries; default 100"),
        ]
    ) { invocation, store in
        let wallet = try await WalletName.find(invocation.arguments[0], store)
        try await pages(invocation, before: try invocation.number("--before")) { before, limit in
            let page = try await store.history(of: wallet.id, before: before, limit: limit)
            for entry in page.entries {
                try invocation.console.result(entry.json, entry.line)
            }
            return (page.entries.count, page.next)
        }
        return .done
    }

    /// Prints pages until there are as many entries as wanted, and how to see more.
    private static func pages<ID: CustomStringConvertible>(
        _ invocation: Invocation, before: ID?,
        _ show: (_ before: ID?, _ limit: Int) async throws -> (count: Int, next: ID?)
    ) async throws {
        var left = Int(clamping: try invocation.number("--limit") ?? 100)
        guard left > 0 else { throw CommandFailure.usage("--limit takes 1 or more") }
        let wanted = left
        var before = before
        while left > 0 {
            let page = try await show(before, min(left, 1000))
            left -= page.count
            before = page.next
            if before == nil { break }
        }
        if left == wanted { try invocation.console.text("nothing yet") }
        if let before, !invocation.console.isJSON {
            try invocation.console.note("there are more: --before \(before.description)")
        }
    }

    private static func statuses(
        _ text: String?
    ) throws(CommandFailure) -> Set<WalletRequest.Status>? {
        guard let text else { return nil }
        var statuses: Set<WalletRequest.Status> = []
        for name in text.split(separator: ",") {
            statuses.insert(try WalletRequest.Status(named: String(name)))
        }
        return statuses
    }
}

extension WalletRequest {
    /// The request on one line for people.
    fileprivate var line: TerminalText {
        let why = reason.map { ": \($0)" } ?? ""
        return "\(id)  \(Timestamp.seconds(received))  \(status.rawValue)  \(summary)\(why)"
    }
}

extension HistoryEntry {
    /// The entry on one line for people.
    fileprivate var line: TerminalText {
        let figure = decimals.map { "\(CoinAmount.format(amount, decimals: $0)) \(symbol)" }
            ?? "\(amount) units of \(asset)"
        let cost = fee.flatMap { fee in
            decimals.map { ", of which the fee is \(CoinAmount.format(fee, decimals: $0))" }
        }
        let receiver = recipient.map { " to \($0)" } ?? ""
        let origin = request.map { "  (request \($0))" } ?? ""
        let id = transaction.map { "  \($0)" } ?? ""
        let made = blockTime.map { " of \(Timestamp.seconds($0))" } ?? ""
        let block = height.map { ", in block \($0)\(made)" } ?? ""
        let what = "\(kind.rawValue) \(figure)\(cost ?? "")\(receiver)\(block)"
        return "\(Timestamp.seconds(time))  \(what)\(origin)\(id)"
    }
}
