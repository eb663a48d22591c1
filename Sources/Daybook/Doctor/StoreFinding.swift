/// Something that was looked at in a store, and how it was found.
public struct StoreFinding: Equatable, Sendable {
    /// How it is.
    public enum Status: String, Sendable {
        /// As it should be.
        case ok
        /// It works, and should be mended.
        case warning
        /// It does not work, or is not safe.
        case problem
    }

    /// What was looked at, such as `log`, `keys` or `disk`.
    public let about: String
    /// How it is.
    public let status: Status
    /// What was found, in one sentence.
    public let message: String
    /// What to do about it; nil where there is nothing to do.
    public let advice: String?

    init(_ about: String, _ status: Status, _ message: String, advice: String? = nil) {
        self.about = about
        self.status = status
        self.message = message
        self.advice = advice
    }
}
