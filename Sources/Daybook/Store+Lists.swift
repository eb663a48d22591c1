import DaybookDomain
public import DaybookEncoding
import DaybookLog
import DaybookReplay

/// A part of the list of requests.
public struct RequestPage: Codable, Hashable, Sendable {
    /// The requests; there may be fewer than asked for although more follow.
    public let requests: [WalletRequest]
    /// The value of `before` or `after` for the next page; nil at the end.
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
    /// The value of `before` for the next page: the last entry's id; nil at the end.
    public let next: UInt64?

    /// A page for previews and tests of a front end.
    public init(entries: [HistoryEntry], next: UInt64? = nil) {
        self.entries = entries
        self.next = next
    }
}

/// Lists that grow without end, a page at a time.
extension Store {
    /// Open and past requests, newest first, or only those with some statuses.
    ///
    /// A call looks at a bounded number of requests: where few have the statuses, a page may be
    /// short or empty and still have a `next`. Requests that are pending or in flight are found
    /// at once, however many others there are. For example:
    ///
    ///     var page = try await store.requests(status: [.completed])
    ///     while let next = page.next {
    ///         page = try await store.requests(status: [.completed], before: next)
    ///     }
    public func requests(
        status: Set<WalletRequest.Status>? = nil, before: RequestID? = nil, limit: Int = 100
    ) async throws(DaybookError) -> RequestPage {
        try await page(RequestScan(status, .newest(before: before), limit: limit))
    }

    /// Open and past requests after one, oldest first; after nil from the first request on.
    ///
    /// A list of what waits that begins with the oldest can't be flooded: new requests come to its
    /// end.
    public func requests(
        status: Set<WalletRequest.Status>? = nil, after: RequestID?, limit: Int = 100
    ) async throws(DaybookError) -> RequestPage {
        try await page(RequestScan(status, .oldest(after: after), limit: limit))
    }

    private func page(_ scan: RequestScan) async throws(DaybookError) -> RequestPage {
        try await facing {
            try await journal.readCurrent { state, log in
                var scan = scan
                scan.run(in: state)
                let requests = try scan.found.map {
                    try view($0, state, log).request
                }
                return RequestPage(
                    requests: requests.filter { scan.status?.contains($0.status) ?? true },
                    next: scan.next)
            }
        }
    }

    /// The changes of a wallet's balances by transactions, newest first.
    ///
    /// There is one entry for each transaction and asset. A removed wallet keeps its history.
    ///
    /// - Throws: `unknownWallet`.
    public func history(
        of wallet: WalletID, before: UInt64? = nil, limit: Int = 100
    ) throws(DaybookError) -> HistoryPage {
        try facing {
            try journal.read { state in
                guard state.wallets.contains(wallet) else {
                    throw DaybookError("unknownWallet", .refused, "there is no such wallet")
                }
                var entries: [HistoryEntry] = []
                var next: UInt64?
                let size = min(max(limit, 1), RequestScan.limit)
                state.history.walkBackward(
                    .first(wallet), before: before.map { HistoryKey(wallet, $0) }
                ) { key, row in
                    guard entries.count < size else {
                        next = entries.last?.id
                        return false
                    }
                    entries.append(HistoryEntry(key.second, row, of: wallet, in: state))
                    return true
                }
                return HistoryPage(entries: entries, next: next)
            }
        }
    }
}

/// The search for the requests of a page.
struct RequestScan {
    let status: Set<WalletRequest.Status>?
    private let order: Order
    private let size: Int
    private(set) var found: [RequestID] = []
    /// The last request that was looked at, if another one may follow.
    private(set) var next: RequestID?

    enum Order {
        case newest(before: RequestID?)
        case oldest(after: RequestID?)
    }

    /// The maximum size of a page, and of the rows that are read for one.
    static let limit = 1000

    init(_ status: Set<WalletRequest.Status>?, _ order: Order, limit: Int) {
        self.status = status
        self.order = order
        size = min(max(limit, 1), Self.limit)
    }

    mutating func run(in state: State) {
        if let status, status.isSubset(of: Self.indexed) {
            search(index(of: status, in: state))
        } else {
            search(state.requests)
        }
    }

    /// Looks through the rows in order, at a bounded number of them.
    private mutating func search(_ requests: StateTable<RequestID, RequestRow>) {
        var last: RequestID?
        var count = 0
        func look(_ id: RequestID, _ row: RequestRow) -> Bool {
            guard found.count < size, count < Self.limit else {
                next = last
                return false
            }
            (last, count) = (id, count + 1)
            if status.map({ row.canHave($0) }) ?? true { found.append(id) }
            return true
        }
        switch order {
        case .newest(let before): requests.walkBackward(before: before, look)
        case .oldest(let after): requests.walk(after: after, look)
        }
    }

    // MARK: - Requests that have not ended

    /// The statuses whose requests are in tables of their own.
    private static let indexed: Set<WalletRequest.Status> = [.pending, .deferred, .signed, .sent]

    /// The requests with such statuses, in the page's order.
    private func index(of status: Set<WalletRequest.Status>, in state: State) -> [RequestID] {
        var ids = status.contains(.pending) ? state.pendingRequests() : []
        if status != [.pending] {
            let open = Set(state.work.keys()).union(state.inFlight())
            ids += open.filter { state.request($0)?.canHave(status) ?? false }
            ids.sort()
        }
        return switch order {
        case .newest(let before): ids.reversed().filter { id in before.map { id < $0 } ?? true }
        case .oldest(let after): ids.filter { id in after.map { id > $0 } ?? true }
        }
    }

    private mutating func search(_ ids: [RequestID]) {
        found = Array(ids.prefix(size))
        next = ids.count > size ? found.last : nil
    }
}

extension RequestRow {
    /// Whether the request's status, as front ends see it, can be one of some.
    fileprivate func canHave(_ wanted: Set<WalletRequest.Status>) -> Bool {
        // The row does not say how its payment ended.
        if status == .completed { return !wanted.isDisjoint(with: [.sent, .completed, .failed]) }
        return wanted.contains(WalletRequest.Status(rawValue: status.rawValue) ?? .signed)
    }
}
