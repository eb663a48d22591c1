/// A copy of a store that was read again and found whole.
public struct StoreBackup: Equatable, Sendable {
    /// How many events it has.
    public let events: UInt64
    /// The root of the tree over them, in hex.
    public let root: String
    /// The new folder.
    public let path: String
}
