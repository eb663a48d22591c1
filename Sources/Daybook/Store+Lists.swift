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
    /// Open and past requests, newest first, or only those that a filter lets through.
    ///
    /// A call looks at a bounded number of requests: a page may be short or empty and still have a
    /// `next`, up to which it has looked. Requests that are pending or in flight are found at once,
    /// however many others there are, and so are those with a rare sender, address, amount or text.
    /// For example:
    ///
    ///     var page = try await store.requests(status: [.completed])
    ///     while let next = page.next {
    ///         page = try await store.requests(status: [.completed], before: next)
    ///     }
    ///
    /// - Throws: `invalidSender`, `invalidAddress`, `invalidAmount`, `invalidText`,
    ///   `invalidPeriod`.
    public func requests(
        matching filter: RequestFilter, before: RequestID? = nil, limit: Int = 100
    ) async throws(DaybookError) -> RequestPage {
        try await page(
            RequestScan(filter.status, try filter.query(), .newest(before: before), limit: limit))
    }

    /// Open and past requests after one, oldest first; after nil from the first request on.
    ///
    /// A list of what waits that begins with the oldest can't be flooded: new requests come to its
    /// end.
    public func requests(
        matching filter: RequestFilter, after: RequestID?, limit: Int = 100
    ) async throws(DaybookError) -> RequestPage {
        try await page(
            RequestScan(filter.status, try filter.query(), .oldest(after: after), limit: limit))
    }

    /// Open and past requests, newest first, or only those with some statuses.
    public func requests(
        status: Set<WalletRequest.Status>? = nil, before: RequestID? = nil, limit: Int = 100
    ) async throws(DaybookError) -> RequestPage {
        try await requests(matching: RequestFilter(status: status), before: before, limit: limit)
    }

    /// Open and past requests after one, oldest first, or only those with some statuses.
    public func requests(
        status: Set<WalletRequest.Status>? = nil, after: RequestID?, limit: Int = 100
    ) async throws(DaybookError) -> RequestPage {
        try await requests(matching: RequestFilter(status: status), after: after, limit: limit)
    }

    private func page(_ scan: RequestScan) async throws(DaybookError) -> RequestPage {
        try await convertingErrors {
            try await journal.readCurrent { state, log in
                var scan = scan
                let links = LinkReader(log.snapshot)
                scan.run(in: state, links)
                try links.check()
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
    /// There is one entry for each transaction and asset. A removed wallet keeps its history. With
    /// a filter, those entries that have what it asks for, themselves or by their requests. Where
    /// prices are recorded, entries say what they were worth in `currency`, or without one in the
    /// first currency by name that has a price.
    ///
    /// - Throws: `unknownWallet`, `invalidSender`, `invalidAddress`, `invalidAmount`,
    ///   `invalidText`, `invalidPeriod`, `invalidCurrency`.
    public func history(
        of wallet: WalletID, matching filter: RequestFilter = RequestFilter(),
        before: UInt64? = nil, limit: Int = 100, in currency: String? = nil
    ) throws(DaybookError) -> HistoryPage {
        let currency = try currency.map { (code) throws(DaybookError) in
            try CurrencyCode.read(code)
        }
        let scan = HistoryScan(
            wallet, filter.status, matching: try filter.query(), before: before, limit: limit)
        return try convertingErrors {
            try journal.read(.askedNow) { state, log in
                guard state.wallets.contains(wallet) else {
                    throw DaybookError("unknownWallet", .refused, "there is no such wallet")
                }
                var scan = scan
                let links = LinkReader(log.snapshot)
                scan.run(in: state, links, priced: BookWorth(state, in: currency))
                try links.check()
                return HistoryPage(entries: scan.found, next: scan.next)
            }
        }
    }
}

/// Reads the texts of links for a search; a failure is thrown when the search has ended.
private final class LinkReader {
    private let log: LogSnapshot
    private var failure: (any Error)?

    init(_ log: LogSnapshot) { self.log = log }

    /// The recorded text of a request's link; nil if it has none.
    func link(of id: RequestID) -> Bytes? {
        do {
            return try log.link(of: id)
        } catch {
            failure = failure ?? error
            return nil
        }
    }

    func check() throws {
        if let failure { throw failure }
    }
}

/// The search for the entries of a page of a wallet's history.
private struct HistoryScan {
    private let wallet: WalletID
    private let status: Set<WalletRequest.Status>?
    private let query: SearchQuery
    private let end: UInt64
    private let size: Int
    private(set) var found: [HistoryEntry] = []
    /// The last entry that was looked at, if another one may follow.
    private(set) var next: UInt64?
    private var last: UInt64?
    private var count = 0

    init(
        _ wallet: WalletID, _ status: Set<WalletRequest.Status>?, matching query: SearchQuery,
        before: UInt64?, limit: Int
    ) {
        (self.wallet, self.status, self.query) = (wallet, status, query)
        end = min(before ?? .max, Position.greatest)
        size = min(max(limit, 1), RequestScan.limit)
    }

    mutating func run(in state: State, _ links: LinkReader, priced prices: BookWorth) {
        guard end > 0 else { return }
        if query.isEmpty {
            _ = search(0...(end - 1), in: state, links, prices)
        } else {
            state.searchHistory(of: wallet, query, in: 0...(end - 1)) { block in
                search(block, in: state, links, prices)
            }
        }
    }

    /// Looks at the entries with some numbers; false at the end of the page.
    private mutating func search(
        _ numbers: ClosedRange<UInt64>, in state: State, _ links: LinkReader, _ prices: BookWorth
    ) -> Bool {
        let before = HistoryKey(wallet, numbers.upperBound + 1)
        state.history.walkBackward(.first(wallet), before: before) { key, row in
            guard key.second >= numbers.lowerBound else { return false }
            guard found.count < size, count < RequestScan.limit else {
                next = last
                return false
            }
            (last, count) = (key.second, count + 1)
            guard query.isEmpty || state.holds(query, row, of: wallet, link: links.link) else {
                return true
            }
            let entry = HistoryEntry(
                key.second, row, of: wallet, in: state, priced: prices)
            if status.map({ entry.status.map($0.contains) ?? false }) ?? true {
                found.append(entry)
            }
            return true
        }
        return next == nil
    }
}

/// The search for the requests of a page.
struct RequestScan {
    let status: Set<WalletRequest.Status>?
    private let query: SearchQuery
    private let order: Order
    private let size: Int
    private(set) var found: [RequestID] = []
    /// The last request that was looked at, if another one may follow.
    private(set) var next: RequestID?
    private var last: RequestID?
    private var count = 0

    enum Order {
        case newest(before: RequestID?)
        case oldest(after: RequestID?)
    }

    /// The maximum size of a page, and of the rows that are read for one.
    static let limit = 1000

    init(
        _ status: Set<WalletRequest.Status>?, _ query: SearchQuery, _ order: Order, limit: Int
    ) {
        self.status = status
        self.query = query
        self.order = order
        size = min(max(limit, 1), Self.limit)
    }

    fileprivate mutating func run(in state: State, _ links: LinkReader) {
        if let status, status.isSubset(of: Self.indexed) {
            search(index(of: status, in: state), in: state, links)
        } else if query.isEmpty {
            _ = search(nil, in: state, links)
        } else {
            searchBlocks(of: state, links)
        }
    }

    /// Looks through the rows in order, at a bounded number of them; false at the end of the page.
    private mutating func search(
        _ positions: ClosedRange<UInt64>?, in state: State, _ links: LinkReader
    ) -> Bool {
        func look(_ id: RequestID, _ row: RequestRow) -> Bool {
            if let positions, !positions.contains(id.number) { return false }
            guard found.count < size, count < Self.limit else {
                next = last
                return false
            }
            (last, count) = (id, count + 1)
            if status.map({ row.canHave($0) }) ?? true, holds(id, row, in: state, links) {
                found.append(id)
            }
            return true
        }
        switch order {
        case .newest(let before):
            let end = positions.map { RequestID($0.upperBound + 1) }
            state.requests.walkBackward(before: end ?? before, look)
        case .oldest(let after):
            let start = positions.map { $0.lowerBound == 0 ? nil : RequestID($0.lowerBound - 1) }
            state.requests.walk(after: start ?? after, look)
        }
        return next == nil
    }

    private func holds(
        _ id: RequestID, _ row: RequestRow, in state: State, _ links: LinkReader
    ) -> Bool {
        query.isEmpty || state.holds(query, id, row) { links.link(of: id) }
    }

    /// Looks only where the index says that something may be.
    private mutating func searchBlocks(of state: State, _ links: LinkReader) {
        let range: ClosedRange<UInt64>
        let isForward: Bool
        switch order {
        case .newest(let before):
            guard before != RequestID(0) else { return }
            (range, isForward) = (0...(before.map { $0.number - 1 } ?? Position.greatest), false)
        case .oldest(let after):
            let start = after.map { $0.number + 1 } ?? 0
            guard start <= Position.greatest else { return }
            (range, isForward) = (start...Position.greatest, true)
        }
        state.searchRequests(query, in: range, isForward: isForward) { block in
            search(block, in: state, links)
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

    private mutating func search(_ ids: [RequestID], in state: State, _ links: LinkReader) {
        for id in ids {
            guard found.count < size, count < Self.limit else {
                next = last
                return
            }
            if !query.isEmpty { count += 1 }
            last = id
            guard let row = state.request(id), holds(id, row, in: state, links) else { continue }
            found.append(id)
        }
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
