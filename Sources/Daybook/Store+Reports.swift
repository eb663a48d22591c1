import DaybookChains
import DaybookDomain
public import DaybookEncoding
import DaybookLog
import DaybookReplay

extension Store {
    /// The balances by wallet and asset.
    public func balances(wallet: WalletID? = nil) throws(DaybookError) -> [Balance] {
        try convertingErrors { try journal.read { Self.balances($0, wallet) } }
    }

    /// The balances by wallet and asset after the event at a position.
    ///
    /// A past state is folded from the first event on, while the store answers other calls. With a
    /// `history` folder, past states are kept there and reused; the folder can be deleted at any
    /// time. As with the store itself, damage of its file can end the process. `progress` gets the
    /// numbers of events that are folded and of all.
    ///
    /// - Throws: `unknownPosition`, `callCancelled`.
    public nonisolated func balances(
        wallet: WalletID? = nil, at position: Position, history folder: String? = nil,
        progress: WorkProgress? = nil
    ) async throws(DaybookError) -> [Balance] {
        try await LongWork.run(reporting: progress) { [self] work in
            let count = try log.read { $0.count }
            guard position.number < count else {
                throw DaybookError(
                    "unknownPosition", .refused, "the log has only \(count) events",
                    position: position)
            }
            let history = StateHistory(
                of: log, keptUnder: folder, report: { try work.report($0, of: $1) })
            return try history.read(through: position.number) { Self.balances($0, wallet) }
        }
    }

    private static func balances(_ state: State, _ wallet: WalletID?) -> [Balance] {
        let outages = state.outages
        return state.balanceLines(wallet: wallet).map { line in
            Balance(
                wallet: line.wallet, asset: line.asset, symbol: line.symbol,
                decimals: line.decimals, confirmed: MinorAmount(line.balance.confirmed),
                unconfirmed: MinorAmount(line.balance.unconfirmed),
                reserved: MinorAmount(line.balance.reserved), held: MinorAmount(line.balance.held),
                frozen: MinorAmount(line.balance.frozen),
                immature: MinorAmount(line.balance[.confirmedHeld]),
                available: MinorAmount(line.balance.available),
                outage: state.wallet(line.wallet)?.wallet.chainID.outage(among: outages))
        }
    }

    /// The addresses and keys that callers were given, with caller, time and request.
    public func bindings() throws(DaybookError) -> [Binding] {
        try convertingErrors {
            try journal.read { state in
                state.bindingLines().map { line in
                    Binding(
                        request: line.request, caller: line.row.binding.caller,
                        wallet: line.row.binding.wallet, kind: Binding.Kind(line.row.binding.kind),
                        values: line.row.binding.values,
                        time: Timestamp(microseconds: line.row.time))
                }
            }
        }
    }

    /// Up to `limit` events from a position on, or only those of a request or session.
    public func events(
        from position: Position = 0, limit: Int = 1000, request: RequestID? = nil,
        session: SessionID? = nil
    ) throws(DaybookError) -> [LogEvent] {
        try convertingErrors {
            try journal.log.read { log in
                try Self.records(
                    log, from: position, limit: limit, of: request, in: session
                ).map(LogEvent.init)
            }
        }
    }

    private static func records(
        _ log: LogSnapshot, from position: Position, limit: Int, of request: RequestID?,
        in session: SessionID?
    ) throws -> [EventRecord] {
        let after = position == 0 ? nil : position.number - 1
        let positions: [UInt64]
        if let request {
            positions = try log.positions(ofRequest: request.number, after: after, limit: limit)
        } else if let session {
            positions = try log.positions(ofSession: session.number, after: after, limit: limit)
        } else {
            return try log.records(from: position.number, limit: limit)
        }
        return try log.records(at: positions)
    }

    /// The recorded height of each chain, named `chain/network`.
    public func tips() throws(DaybookError) -> [ChainTip] {
        try convertingErrors {
            try journal.read { state in
                state.chains.rows().filter { !$0.row.tip.isEmpty }.map { id, row in
                    ChainTip(
                        chain: "\(id.chain.rawValue)/\(id.network.rawValue)", height: row.height)
                }
            }
        }
    }
}

/// The height that is recorded of a chain.
public struct ChainTip: Codable, Hashable, Sendable, Identifiable {
    /// The chain and its network, such as `dash/mainnet`.
    public let chain: String
    /// The height of its highest block.
    public let height: UInt64

    /// The chain.
    public var id: String { chain }

    /// A height for previews and tests of a front end.
    public init(chain: String, height: UInt64) {
        (self.chain, self.height) = (chain, height)
    }
}

extension LogEvent {
    init(_ record: EventRecord) {
        self.init(
            position: record.id, type: record.type,
            time: Timestamp(microseconds: record.time), session: record.sessionID,
            request: record.requestID, cause: record.cause.map { Position($0) },
            stream: record.stream, revision: record.revision, actor: record.actor,
            data: record.data.json.text(), bytes: record.bytes)
    }
}
