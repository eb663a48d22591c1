import DaybookDomain
public import DaybookEncoding
import DaybookLog
import DaybookReplay

/// A selection of events by conditions, all of which must hold; without any, the whole log.
public struct LogSelection: Codable, Hashable, Sendable {
    /// The first position.
    public var from: UInt64?
    /// The last position.
    public var to: UInt64?
    /// The request that the events belong to.
    public var request: RequestID?
    /// The wallet that the events concern, as `docs/FORMATS.md` defines.
    public var wallet: WalletID?

    /// The events that meet every condition that is not nil.
    public init(
        from: UInt64? = nil, to: UInt64? = nil, request: RequestID? = nil, wallet: WalletID? = nil
    ) {
        self.from = from
        self.to = to
        self.request = request
        self.wallet = wallet
    }

    var conditions: ExportSelection {
        ExportSelection(from: from, to: to, request: request?.number, wallet: wallet?.number)
    }
}

/// The selected events of a log as it was at one moment, in order.
struct SelectedEvents {
    let header: ExportHeader
    private let log: EventLog
    private let end: UInt64
    private var pages: LogPages
    private var request: RequestPositions?
    private var wallet: WalletEvents?

    /// Selects from the present log; throws if the selection names something unknown.
    init(
        _ selection: LogSelection, of log: EventLog, reportingTo work: LongWork
    ) throws {
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
        pages = LogPages(log, from: start, upTo: end, reportingTo: work)
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

/// Finds the events that concern a wallet.
///
/// They are the wallet's own, those of every request that a decision assigned to it, and the
/// observations of its chain since it was added.
struct WalletEvents {
    private let wallet: WalletID
    private let size: UInt64
    private let ownStream: String
    private let chainStream: String
    /// A cache of requests.
    private var requests: [RequestID: Bool] = [:]

    private static let remembered = 4096

    /// Considers only the decisions in this snapshot.
    init(_ wallet: WalletID, _ log: LogSnapshot) throws {
        guard let record = try log.record(at: wallet.number),
            case .walletAdded(let data) = try record.event()?.payload
        else { throw DaybookError("unknownWallet", .refused, "there is no such wallet") }
        self.wallet = wallet
        size = log.count
        ownStream = record.stream
        chainStream = StreamName.chain(data.chain, data.network)
    }

    mutating func concern(_ record: EventRecord, _ log: EventLog) throws -> Bool {
        if Text.equal(record.stream, ownStream) { return true }
        if record.position > wallet.number, Text.equal(record.stream, chainStream) { return true }
        guard let request = record.requestID else { return false }
        if let known = requests[request] { return known }
        let found = try log.read { try isGiven(request, $0) }
        // A long log has too many requests to cache them all.
        if requests.count == Self.remembered { requests.removeAll(keepingCapacity: true) }
        requests[request] = found
        return found
    }

    private func isGiven(_ request: RequestID, _ log: LogSnapshot) throws -> Bool {
        let positions = try log.positions(ofRequest: request.number).filter { $0 < size }
        for record in try log.records(at: positions) {
            if case .decisionMade(let data) = try record.event()?.payload,
                data.wallet == wallet
            {
                return true
            }
        }
        return false
    }
}

/// A format of exported files; `docs/FORMATS.md` describes each.
public enum ExportFileFormat: String, Codable, Hashable, Sendable, CaseIterable {
    /// Binary frames with checksums, for keeping and moving a log.
    case daybook
    /// The same content as lines of JSON, for reading.
    case jsonl
    /// The movements of the wallets, as a table for tax programs and spreadsheets.
    case csv
    /// The movements of the wallets, as a journal for hledger.
    case hledger
    /// The movements of the wallets, as a journal for ledger.
    case ledger
    /// The movements of the wallets, as a journal for beancount.
    case beancount

    /// The format of a file's extension; nil for an unknown one.
    ///
    /// `.journal` stands for `hledger`, `.bean` for `beancount`.
    public init?(extensionOf path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let text = String(name[name.index(after: dot)...])
        switch text {
        case "journal": self = .hledger
        case "bean": self = .beancount
        default: self.init(rawValue: text)
        }
    }
}

/// The result of an export.
public struct ExportSummary: Codable, Hashable, Sendable {
    /// The number of exported events; of a table or journal, that of its movements.
    public let events: UInt64
    /// The root of the whole log's tree when it was exported, 32 bytes in hex.
    public let root: String
    /// The length of the export.
    public let bytes: UInt64

    /// A result for previews and tests of a front end.
    public init(events: UInt64, root: String, bytes: UInt64) {
        (self.events, self.root, self.bytes) = (events, root, bytes)
    }
}
