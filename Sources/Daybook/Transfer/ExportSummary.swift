/// What an export has.
public struct ExportSummary: Equatable, Sendable {
    /// How many events are in it; in a table or a journal, how many are mentioned.
    public let events: UInt64
    /// The root of the whole log's tree when it was exported, 32 bytes in hex.
    public let root: String
    /// How long it is.
    public let bytes: UInt64
}
