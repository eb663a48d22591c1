package import DaybookEncoding
package import DaybookLog

/// What an export is made of, whatever format it is in.
///
/// A header, then every position of the log in order as an event or as part of a run that was left
/// out, checkpoints where their trees ended, and a trailer.
package enum ExportItem: Equatable, Sendable {
    /// Which log it is, as of when, and which part of it.
    case header(ExportHeader)
    /// An event and its bytes as the log has them.
    case event(EventRecord, bytes: Bytes)
    /// Positions that were left out.
    case leftOut(LeftOut)
    /// A signed note, as it is, whose checkpoint has as many leaves as came before.
    case checkpoint(Bytes)
    /// How much there was.
    case trailer(ExportTrailer)

    /// The event that bytes of a log spell.
    package static func event(_ bytes: Bytes) throws(EventRecordError) -> ExportItem {
        .event(try EventRecord.decode(bytes), bytes: bytes)
    }
}
