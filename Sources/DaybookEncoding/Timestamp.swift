/// Formats times, which are microseconds since 1970-01-01, in UTC.
package enum Timestamp {
    /// ISO 8601, to the microsecond: `2026-01-31T23:59:59.123456Z`.
    package static func text(_ microseconds: UInt64) -> String {
        let seconds = microseconds / 1_000_000
        let (year, month, day) = date(days: Int64(seconds / 86_400))
        let clock = seconds % 86_400
        let parts = [clock / 3600, clock / 60 % 60, clock % 60].map { padded($0, 2) }
        return "\(padded(UInt64(clamping: year), 4))-\(padded(month, 2))-\(padded(day, 2))T"
            + "\(parts.joined(separator: ":")).\(padded(microseconds % 1_000_000, 6))Z"
    }

    /// ISO 8601, to the second: `2026-01-31T23:59:59Z`.
    package static func seconds(_ microseconds: UInt64) -> String {
        text(microseconds).prefix(19) + "Z"
    }

    /// The date and the time of day: `2026-01-31 23:59:59`.
    package static func readable(_ microseconds: UInt64) -> String {
        "\(day(microseconds)) \(clock(microseconds))"
    }

    /// The date: `2026-01-31`.
    package static func day(_ microseconds: UInt64) -> String {
        String(text(microseconds).prefix { $0 != "T" })
    }

    /// The time of day: `23:59:59`.
    package static func clock(_ microseconds: UInt64) -> String {
        String(seconds(microseconds).dropLast().suffix(8))
    }

    /// The Gregorian date that lies a number of days after 1970-01-01.
    ///
    /// Years are counted from March, so that the leap day is a year's last; 400 of them, an era,
    /// always have 146 097 days.
    private static func date(days: Int64) -> (Int64, UInt64, UInt64) {
        let sinceEpoch = days + 719_468
        let era = sinceEpoch / 146_097
        let day = sinceEpoch % 146_097
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            year + era * 400 + (month <= 2 ? 1 : 0), UInt64(clamping: month),
            UInt64(clamping: dayOfMonth)
        )
    }

    private static func padded(_ number: UInt64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
