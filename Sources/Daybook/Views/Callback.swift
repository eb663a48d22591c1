/// A callback URL that the front end is to open.
public struct Callback: Equatable, Sendable {
    /// The request that it answers.
    public let request: RequestID
    /// The exact URL to open.
    public let url: String
    /// Whether the front end has said that it opened it.
    public let isDelivered: Bool
}
