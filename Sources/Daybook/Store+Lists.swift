import DaybookDomain
public import DaybookEncoding
import DaybookLog
import DaybookReplay

/// A part of the list of requests, newest first.
public struct RequestPage: Codable, Hashable, Sendable {
    /// The requests; there may be fewer than asked for although more follow.
    public let requests: [WalletRequest]
    /// What to pass as `before` for the next page; nil at the end.
    public let next: RequestID?

    /// A page for previews and tests of a front end.
    public init(requests: [WalletRequest], next: RequestID? = nil) {
        self.requests = requests
        self.next = next
    }
}

/// A part of a wallet's history, newest first.
public struct HistoryPage: Codable, Hashable, Sendable {
    /// The entries.
    public let entries: [HistoryEntry]
    /// What to pass as `before` for the next page; nil at the end.
    public let next: Position?

    /// A page for previews and tests of a front end.
    public init(entries: [HistoryEntry], next: Position? = nil) {
        self.entries = entries
        self.next = next
    }
}

/// Lists that grow without end, a page at a time.
extension Store {
    /// Open and past requests, newest first, or only those with some statuses.
    ///
    /// A call looks at a bounded number of requests: where few have the statuses, a page may be
    /// short or empty and still have a `next`. For example:
    ///
    ///     var page = try await store.requests(status: [.completed])
    ///     while let next = page.next {
    ///         page = try await store.requests(status: [.completed], before: next)
    ///     }
    public func requests(
        status: Set<WalletRequest.Status>? = nil, before: RequestID? = nil, limit: Int = 100
    ) async throws(DaybookError) -> RequestPage {
        try await facing {
            try await journal.recordDue()
            return try journal.read { state, log in
                let scan = RequestScan(state, status, before: before, limit: limit)
                let requests = try scan.found.map {
                    try view($0, state, log, readsEvents: false).request
                }
                return RequestPage(
                    requests: requests.filter { status?.contains($0.status) ?? true },
                    next: scan.next)
            }
        }
    }

    /// The history of a wallet's coins, newest first; a removed wallet keeps its history.
    ///
    /// - Throws: `unknownWallet`.
    public func history(
        of wallet: WalletID, before: Position? = nil, limit: Int = 100
    ) throws(DaybookError) -> HistoryPage {
        try facing {
            try journal.read { state in
                guard let owner = state.wallets[wallet]?.wallet else {
                    throw DaybookError("unknownWallet", .refused, "there is no such wallet")
                }
                var entries: [HistoryEntry] = []
                var next: Position?
                let size = min(max(limit, 1), RequestScan.limit)
                state.history.walkBackward(
                    .first(wallet), before: before.map { Pair(wallet, $0) }
                ) { key, row in
                    guard entries.count < size else {
                        next = entries.last?.position
                        return false
                    }
                    entries.append(HistoryEntry(key.second, row, of: owner, in: state))
                    return true
                }
                return HistoryPage(entries: entries, next: next)
            }
        }
    }
}

/// The rows of a page of requests.
private struct RequestScan {
    private(set) var found: [RequestID] = []
    /// The last request that was looked at, if an earlier one may follow.
    private(set) var next: RequestID?

    /// The maximum size of a page, and of the rows that are read for one.
    static let limit = 1000

    init(
        _ state: State, _ status: Set<WalletRequest.Status>?, before: RequestID?, limit: Int
    ) {
        let size = min(max(limit, 1), Self.limit)
        var last: RequestID?
        var count = 0
        var isCut = false
        state.requests.walkBackward(before: before) { id, row in
            guard found.count < size, count < Self.limit else {
                isCut = true
                return false
            }
            (last, count) = (id, count + 1)
            if status.map({ row.canHave($0) }) ?? true { found.append(id) }
            return true
        }
        next = isCut ? last : nil
    }
}

extension RequestRow {
    /// Whether the request's status, as front ends see it, can be one of some.
    fileprivate func canHave(_ wanted: Set<WalletRequest.Status>) -> Bool {
        // A completed payment that was lost is shown as failed.
        if status == .completed, wanted.contains(.failed) { return true }
        return wanted.contains(WalletRequest.Status(rawValue: status.rawValue) ?? .received)
    }
}
