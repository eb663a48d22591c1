public import DaybookEncoding
import DaybookLog

/// Which events of the log: those that meet every condition that is given; all without any.
public struct LogSelection: Equatable, Sendable {
    /// The first position.
    public var from: UInt64?
    /// The last position.
    public var to: UInt64?
    /// The request that the events belong to.
    public var request: RequestID?
    /// The wallet that the events concern; `docs/FORMATS.md` says which do.
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

    /// Whether these are all events up to some position.
    var isBeginning: Bool { (from ?? 0) == 0 && request == nil && wallet == nil }
}
