import DaybookEncoding

/// A moment as a person reads it, in UTC.
enum Moment {
    /// `2026-01-31 23:59:59`.
    static func text(_ microseconds: UInt64) -> String {
        Timestamp.seconds(microseconds).dropLast().split(separator: "T").joined(separator: " ")
    }

    /// `2026-01-31`.
    static func day(_ microseconds: UInt64) -> String {
        String(Timestamp.seconds(microseconds).prefix { $0 != "T" })
    }

    /// `23:59:59`.
    static func clock(_ microseconds: UInt64) -> String {
        String(Timestamp.seconds(microseconds).dropLast().suffix(8))
    }
}
