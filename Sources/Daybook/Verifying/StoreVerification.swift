public import DaybookEncoding
import DaybookLog

/// What rereading a whole store has shown.
public struct StoreVerification: Equatable, Sendable {
    /// How many events there are.
    public let events: UInt64
    /// The root of the tree over them in hex, made from their bytes.
    public let root: String
    /// The first problem of each kind, in the order in which they were found.
    public let problems: [StoreProblem]

    /// Whether everything is as it was written.
    public var isWhole: Bool { problems.isEmpty }
}

/// Something in a store that is not as it must be, and where it lies.
public struct StoreProblem: Equatable, Sendable {
    /// The stable name of what is wrong, such as `missing` or `rolledBack`.
    public let code: String
    /// The table of the log, as `docs/LOG_FORMAT.md` names it.
    public let table: String
    /// The entry's key in hex, where there is one.
    public let key: String?
    /// The event at fault, where there is one.
    public let position: Position?
    /// One sentence for people, in lower case.
    public let message: String

    init(_ fault: LogFault) {
        code = fault.code.rawValue
        table = fault.table
        key = fault.key.map { Hex.encode($0) }
        position = fault.position.map { Position($0) }
        message = fault.reason
    }

    /// What a comparison with a kept checkpoint has shown.
    init(_ alarm: DaybookError) {
        code = alarm.code
        table = "events"
        key = nil
        position = alarm.position
        message = alarm.message
    }
}
