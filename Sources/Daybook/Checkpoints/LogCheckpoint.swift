import DaybookDomain
public import DaybookEncoding

/// The log's signed word that it has so many events with this root.
///
/// Kept outside the store it shows later whether the store still has all that it had.
public struct LogCheckpoint: Equatable, Sendable {
    /// How many events the log had.
    public let size: UInt64
    /// The root of the tree over them, 32 bytes in hex.
    public let root: String
    /// The signed note, as https://c2sp.org/tlog-checkpoint lays down.
    public let note: String
    /// The key that verifies the note, as https://c2sp.org/signed-note spells it.
    public let key: String
    /// The event that records the checkpoint and what the state was.
    public let position: Position

    init(_ data: CheckpointMade, at position: Position) {
        size = data.size
        root = Hex.encode(data.root)
        note = String(decoding: data.note, as: UTF8.self)
        key = data.key
        self.position = position
    }
}
