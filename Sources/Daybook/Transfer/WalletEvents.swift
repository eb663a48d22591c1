import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay

/// Tells which events concern a wallet.
///
/// These are the wallet's own, those of every request that a decision gave to it, and what was
/// seen of its chain and network since it was added.
struct WalletEvents {
    private let wallet: WalletID
    private let size: UInt64
    private let ownStream: String
    private let chainStream: String
    /// What was found of requests lately.
    private var requests: [RequestID: Bool] = [:]

    private static let remembered = 4096

    /// Of the log as it is in a snapshot; what is decided later does not count.
    init(_ wallet: WalletID, _ log: LogSnapshot) throws {
        guard let record = try log.record(at: wallet.number),
            case .walletAdded(let data) = try Recording.event(record)?.payload
        else { throw DaybookError("unknownWallet", .refused, "there is no such wallet") }
        self.wallet = wallet
        size = log.count
        ownStream = record.stream
        chainStream = Recording.stream(of: data.chain, data.network)
    }

    mutating func concern(_ record: EventRecord, _ log: EventLog) throws -> Bool {
        if Text.equal(record.stream, ownStream) { return true }
        if record.position > wallet.number, Text.equal(record.stream, chainStream) { return true }
        guard let request = record.requestID else { return false }
        if let known = requests[request] { return known }
        let found = try log.read { try isGiven(request, $0) }
        // A long log has more requests than memory should hold.
        if requests.count == Self.remembered { requests.removeAll(keepingCapacity: true) }
        requests[request] = found
        return found
    }

    private func isGiven(_ request: RequestID, _ log: LogSnapshot) throws -> Bool {
        for position in try log.positions(ofRequest: request.number) where position < size {
            guard let record = try log.record(at: position) else { continue }
            if case .decisionMade(let data) = try Recording.event(record)?.payload,
                data.wallet == wallet
            {
                return true
            }
        }
        return false
    }
}
