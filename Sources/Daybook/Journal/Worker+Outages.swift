import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookNodes
import DaybookReplay

/// Records since when a chain can't be read.
extension Worker {
    /// Records that a scan failed, unless the one before it failed for the same reason.
    ///
    /// So a node that stays away for days costs one event. The next scan that succeeds ends the
    /// outage. A chain that only moves too fast is read well by others, and has none.
    func noteOutage(_ failure: ChainFailure, of chainID: ChainID) async throws {
        guard failure.reason != .unsettled, !Task.isCancelled else { return }
        let reason = failure.reason.rawValue
        let (known, lastRead) = try journal.recorded(.published) { state, log in
            let known = state.chain(chainID.chain, chainID.network).outage
            return (known, known == nil ? try log.lastScan(of: chainID) : known?.lastRead)
        }
        if known?.reason == reason { return }
        try await journal.record { state, _, _ in
            guard state.chain(chainID.chain, chainID.network).outage == known else { return [] }
            let unavailable = ChainUnavailable(
                chain: chainID.chain, network: chainID.network, reason: reason, lastRead: lastRead)
            return [.init(.chainUnavailable(unavailable), actor: .node)]
        }
    }
}

extension LogSnapshot {
    /// When a scan of a chain was last recorded; nil if there is none among its last events.
    fileprivate func lastScan(of chainID: ChainID) throws -> UInt64? {
        let name = StreamName.chain(chainID.chain, chainID.network)
        guard let last = try lastPosition(ofStream: name) else { return nil }
        for position in stride(from: last, through: last - min(last, Self.searched), by: -1) {
            guard let record = try record(at: position), record.requestID == nil,
                record.type == ChainObserved.type,
                case .chainObserved(let data)? = try record.event()?.payload
            else { continue }
            if data.chain == chainID.chain, data.network == chainID.network { return record.time }
        }
        return nil
    }

    /// The last event of a chain is nearly always a scan's.
    private static let searched: UInt64 = 1000
}
