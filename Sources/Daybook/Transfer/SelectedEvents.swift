import DaybookDomain
import DaybookEncoding
import DaybookLog

/// The events that a selection names in a log as it was at one moment, in order.
struct SelectedEvents {
    let header: ExportHeader
    private let log: EventLog
    private let end: UInt64
    private var pages: LogPages
    private var request: RequestPositions?
    private var wallet: WalletEvents?

    /// Takes the log as it is now; throws for what is not in it.
    init(_ selection: LogSelection, of log: EventLog) throws {
        self.log = log
        let conditions = selection.conditions
        let (header, wallet) = try log.read { log in
            try Self.check(selection, log)
            return (
                ExportHeader(logID: log.logID, head: try log.head(), selection: conditions),
                try selection.wallet.map { try WalletEvents($0, log) })
        }
        let size = header.head.size
        self.header = header
        self.wallet = wallet
        end = conditions.to.map { min($0 + 1, size) } ?? size
        let start = conditions.from ?? 0
        pages = LogPages(log, from: start, upTo: end)
        request = conditions.request.map { RequestPositions(request: $0, next: start) }
    }

    /// The next event's bytes; nil after the last.
    mutating func next() throws -> Bytes? {
        while let bytes = try nextOfRange() {
            if wallet == nil { return bytes }
            let record = try EventRecord.decode(bytes)
            if try wallet?.concern(record, log) ?? true { return bytes }
        }
        return nil
    }

    private mutating func nextOfRange() throws -> Bytes? {
        guard request != nil else { return try pages.read() }
        return try request?.read(log, upTo: end)
    }

    private static func check(_ selection: LogSelection, _ log: LogSnapshot) throws {
        let first = selection.from ?? 0
        if let last = selection.to, first > last {
            throw DaybookError("invalidRange", .usage, "event \(first) comes after \(last)")
        }
        for position in [selection.from, selection.to] {
            guard let position, position > 0, position >= log.count else { continue }
            throw DaybookError(
                "unknownPosition", .refused, "the log has only \(log.count) events",
                position: Position(position))
        }
        if let id = selection.request, try log.record(at: id.number)?.request != id.number {
            throw DaybookError("unknownRequest", .refused, "no request begins at event \(id)")
        }
    }
}

/// The events of a request, by its index.
private struct RequestPositions {
    let request: UInt64
    var next: UInt64
    private var page: ArraySlice<UInt64> = []

    private static let limit = 1024

    init(request: UInt64, next: UInt64) {
        self.request = request
        self.next = next
    }

    mutating func read(_ log: EventLog, upTo end: UInt64) throws -> Bytes? {
        if page.isEmpty {
            page = try log.read {
                try $0.positions(
                    ofRequest: request, after: next == 0 ? nil : next - 1, limit: Self.limit)
            }[...]
        }
        guard let position = page.popFirst(), position < end else { return nil }
        next = position + 1
        return try log.read { try $0.bytes(at: position) }
    }
}
