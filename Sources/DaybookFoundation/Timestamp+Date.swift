public import DaybookEncoding
public import FoundationEssentials

/// Moments of the log as dates of Foundation.
extension Date {
    /// The date of a moment.
    public init(_ time: Timestamp) {
        self.init(timeIntervalSince1970: TimeInterval(time.microseconds) / 1_000_000)
    }
}

extension Timestamp {
    /// The moment of a date, to the microsecond; nil for one before 1970.
    public init?(_ date: Date) {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        guard let microseconds = UInt64(exactly: microseconds) else { return nil }
        self.init(microseconds: microseconds)
    }
}
