/// A moment in UTC, to the microsecond.
///
/// It is a number of microseconds in JSON and ISO 8601 as text. For example:
///
///     let noon = Timestamp("2026-01-31T12:00:00Z")
///     show(noon, noon?.microseconds)
public struct Timestamp: Hashable, Sendable, Codable {
    /// The microseconds since 1970-01-01 00:00, without leap seconds.
    public let microseconds: UInt64

    /// A moment so many microseconds after 1970-01-01 00:00 UTC.
    public init(microseconds: UInt64) { self.microseconds = microseconds }

    /// A moment from a date, or a date and a time of day in UTC: `2026-01-31T23:59:59Z`.
    ///
    /// `T` may be a space, `Z` may be missing, and so may the seconds and their fraction, which has
    /// at most six digits. Nil for any other text.
    public init?(_ text: String) {
        guard let microseconds = Self.parse(text) else { return nil }
        self.microseconds = microseconds
    }

    /// A recorded moment; nil if there is none.
    package init?(_ microseconds: UInt64?) {
        guard let microseconds else { return nil }
        self.microseconds = microseconds
    }
}

extension Timestamp: Comparable, CustomStringConvertible {
    /// Whether a moment is before another.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// ISO 8601, to the microsecond: `2026-01-31T23:59:59.123456Z`.
    public var description: String { Self.text(microseconds) }

    /// Decodes the number of microseconds.
    public init(from decoder: any Decoder) throws {
        microseconds = try decoder.singleValueContainer().decode(UInt64.self)
    }

    /// Encodes the number of microseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(microseconds)
    }
}

/// Texts of times that are microseconds since 1970-01-01 UTC.
extension Timestamp {
    package static func text(_ time: Timestamp) -> String { text(time.microseconds) }
    package static func seconds(_ time: Timestamp) -> String { seconds(time.microseconds) }
    package static func readable(_ time: Timestamp) -> String { readable(time.microseconds) }
    package static func day(_ time: Timestamp) -> String { day(time.microseconds) }

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

    /// Reads a date, or a date and a time of day in UTC: `2026-01-31`, `2026-01-31T23:59:59Z`.
    ///
    /// `T` may be a space, `Z` may be missing, and so may the seconds and their fraction.
    package static func parse(_ text: String) -> UInt64? {
        var rest = Bytes(text.utf8)[...]
        func number(_ width: Int) -> UInt64? {
            let digits = rest.prefix(width)
            guard digits.count == width, digits.allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            rest = rest.dropFirst(width)
            return digits.reduce(0) { $0 * 10 + UInt64($1 - 0x30) }
        }
        func skip(_ marks: String) -> Bool {
            guard let first = rest.first, marks.utf8.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        guard let year = number(4), skip("-"), let month = number(2), skip("-"),
            let day = number(2), let days = days(year, month, day)
        else { return nil }
        var seconds = days * 86_400
        var fraction: UInt64 = 0
        if skip("T ") {
            guard let hour = number(2), hour < 24, skip(":"), let minute = number(2), minute < 60
            else { return nil }
            seconds += hour * 3600 + minute * 60
            if skip(":") {
                guard let second = number(2), second < 60 else { return nil }
                seconds += second
                if skip(".") {
                    let digits = rest.prefix { (0x30...0x39).contains($0) }.count
                    guard (1...6).contains(digits), let value = number(digits) else { return nil }
                    fraction = (digits..<6).reduce(value) { value, _ in value * 10 }
                }
            }
            _ = skip("Z")
        }
        return rest.isEmpty ? seconds * 1_000_000 + fraction : nil
    }

    /// The sentence about a text that is no time.
    package static func complaint(about text: String) -> String {
        let shown = Text.escaped(String(String.UnicodeScalarView(text.unicodeScalars.prefix(40))))
        return "'\(shown)' is no time: a time is a date, or a date and a time of day in UTC, such "
            + "as 2026-01-31 or 2026-01-31T12:00:00Z"
    }

    /// The days from 1970-01-01 to a date; nil if there is no such date.
    private static func days(_ year: UInt64, _ month: UInt64, _ day: UInt64) -> UInt64? {
        guard year >= 1970, (1...12).contains(month), (1...31).contains(day) else { return nil }
        // Close to the date, and never after it.
        var days = Int64(year - 1970) * 365 + Int64(month - 1) * 28
        while date(days: days) < (Int64(year), month, day) { days += 1 }
        return date(days: days) == (Int64(year), month, day) ? UInt64(days) : nil
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
