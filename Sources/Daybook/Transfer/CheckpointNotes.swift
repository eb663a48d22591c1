import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay

/// The notes of the checkpoints that a log recorded below a size, in order.
///
/// A note that does not hold, because it is not of the events before it or not signed by the key
/// that its event names, is none, nor is one that can't be read: an audit finds it in the event,
/// and a part of the log that does without the event can be exported all the same.
struct CheckpointNotes {
    private let log: EventLog
    private let end: UInt64
    private var last: UInt64?
    private var page: ArraySlice<UInt64> = []

    private static let limit = 256

    init(_ log: EventLog, below end: UInt64) {
        self.log = log
        self.end = end
    }

    /// The next note and how many events it signs; nil after the last.
    mutating func next() throws -> (size: UInt64, note: Bytes)? {
        while true {
            if page.isEmpty {
                page = try log.read {
                    try $0.positions(
                        ofStream: Recording.checkpoints, after: last, limit: Self.limit)
                }[...]
            }
            guard let position = page.popFirst(), position < end else { return nil }
            last = position
            if let note = try log.read({ try Self.note(at: position, $0) }) {
                return (position, note)
            }
        }
    }

    private static func note(at position: UInt64, _ log: LogSnapshot) throws -> Bytes? {
        guard let bytes = try log.bytes(at: position),
            let record = try? EventRecord.decode(bytes),
            let payload = try? Recording.event(record)?.payload,
            case .checkpointMade(let data) = payload,
            data.isSigned(of: try log.head(at: position), ofLog: log.logID)
        else { return nil }
        return data.note
    }
}
