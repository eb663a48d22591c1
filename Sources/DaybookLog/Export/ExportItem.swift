package import DaybookEncoding

/// An item of an export, in either format.
///
/// An export is a header; then each position of the log in order, as an event or in a run of left
/// out positions, with each checkpoint behind the last event of its tree; and a trailer.
package enum ExportItem: Equatable, Sendable {
    /// The log, its state when it was exported, and the part that was selected.
    case header(ExportHeader)
    /// An event and its bytes as the log has them.
    case event(EventRecord, bytes: Bytes)
    /// A run of positions that were left out.
    case leftOut(LeftOut)
    /// The signed note of a checkpoint over the events before it.
    case checkpoint(Bytes)
    /// The counts and the tree's head at the end.
    case trailer(ExportTrailer)

    /// The event that a log's bytes encode.
    package static func event(_ bytes: Bytes) throws(EventRecordError) -> ExportItem {
        .event(try EventRecord.decode(bytes), bytes: bytes)
    }
}
