public import DaybookEncoding
import DaybookLog

/// A proof that the log has an event, which verifies without the log.
public struct LogEventProof: Equatable, Sendable {
    /// The event's place in the log.
    public let position: Position
    /// How many events the checkpoint counts.
    public let size: UInt64
    /// The proof as https://c2sp.org/tlog-proof lays down, the checkpoint included.
    public let text: String
    /// The key that verifies the checkpoint.
    public let key: String
    /// The event's bytes, which the proof is about.
    public let event: [UInt8]

    /// The proof in a checkpoint that was compared with the log; verified.
    init(_ position: Position, _ checkpoint: TrustedCheckpoint, _ log: LogSnapshot) throws {
        let size = checkpoint.head.size
        guard position.number < size, let event = try log.bytes(at: position.number) else {
            throw DaybookError(
                "unknownPosition", .refused, "the checkpoint has only \(size) events",
                position: position)
        }
        let inclusion = try log.inclusionProof(of: position.number, at: size)
        let proof = try LogProof(inclusion: inclusion, note: checkpoint.note)
        do {
            _ = try LogProof(proof.bytes).checkpoint(proving: event, signedBy: checkpoint.key)
        } catch {
            // The tree and the events contradict each other.
            throw LogError.damaged(position: position.number, reason: "\(error)")
        }
        self.position = position
        self.size = size
        text = String(decoding: proof.bytes, as: UTF8.self)
        key = checkpoint.key.text
        self.event = event
    }
}
