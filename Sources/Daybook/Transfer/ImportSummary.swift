/// What an import came to.
public struct ImportSummary: Equatable, Sendable {
    /// How the log stood to the export.
    public enum Status: String, Sendable {
        /// The log was empty and is now that of the export.
        case restored
        /// The log was shorter and went on.
        case continued
        /// The log had all of it.
        case unchanged
    }

    /// How the log stood to the export.
    public let status: Status
    /// How many events the log has now.
    public let events: UInt64
    /// How many of them were added.
    public let added: UInt64
    /// How many of the added are of types that this program does not know.
    ///
    /// They are kept byte for byte, but nothing was decided again: whether they follow from what
    /// came before them is not known here.
    public let notChecked: UInt64
    /// The root of the log's tree now, 32 bytes in hex.
    public let root: String
}
