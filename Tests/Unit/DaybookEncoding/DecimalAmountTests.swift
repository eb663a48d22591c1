import DaybookEncoding
import Foundation
import Testing

struct DecimalAmountTests {
    @Test(arguments: [
        ("1.5", 8, "150000000"), ("0.00000001", 8, "1"), (".5", 8, "50000000"),
        ("1.", 8, "100000000"), ("0", 8, "0"), ("00.10", 8, "10000000"), ("7", 0, "7"),
        ("7.", 0, "7"), ("21000000.00000000", 8, "2100000000000000"),
        ("1.000000000000000000", 18, "1000000000000000000"), ("0.0", 1, "0"),
    ])
    func `an amount of BIP 21 becomes minor units`(text: String, decimals: Int, minor: String) {
        #expect(DecimalAmount.parse(text, decimals: decimals)?.decimal == minor)
    }

    @Test(arguments: [
        "", ".", "-1", "+1", "1,5", "1 ", " 1", "1e3", "0x10", "1.5.0", "1..5", "0.123456789",
        "0.000000000", "abc", "٣", "1_000", "1\u{301}", "∞", "NaN",
        String(repeating: "9", count: 78),
    ])
    func `anything else is no amount`(text: String) {
        #expect(DecimalAmount.parse(text, decimals: 8) == nil)
    }

    @Test(arguments: [
        ("150000000", 8, "1.5"), ("1", 8, "0.00000001"), ("1000000000", 8, "10"), ("0", 8, "0"),
        ("0", 0, "0"), ("10", 0, "10"), ("12345678", 8, "0.12345678"), ("10", 1, "1"),
        ("1000000000000000001", 18, "1.000000000000000001"),
    ])
    func `minor units are shown as coins without needless zeros`(
        minor: String, decimals: Int, text: String
    ) throws {
        let amount = try #require(UInt256(decimal: minor))
        #expect(DecimalAmount.format(amount, decimals: decimals) == text)
        #expect(DecimalAmount.parse(text, decimals: decimals) == amount)
    }

    @Test func `the largest amount is shown and read`() {
        let text = DecimalAmount.format(.max, decimals: 18)
        #expect(DecimalAmount.parse(text, decimals: 18) == .max)
        #expect(DecimalAmount.parse(text, decimals: 19) == nil)
    }
}

struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01", "1970-01-01T00:00:00.000000Z"),
        ("2000-02-29", "2000-02-29T00:00:00.000000Z"),
        ("2026-12-31 23:59", "2026-12-31T23:59:00.000000Z"),
        ("2026-01-31T12:30:05Z", "2026-01-31T12:30:05.000000Z"),
        ("9999-12-31T23:59:59.25Z", "9999-12-31T23:59:59.250000Z"),
    ])
    func `a date is read, with a time of day or without`(text: String, time: String) {
        #expect(Timestamp.parse(text).map(Timestamp.text) == time)
    }

    @Test(arguments: [
        "", "2026", "2026-1-1", "2026-02-29", "2026-13-01", "2026-00-10", "2026-01-00",
        "1969-12-31", "2026-01-01T", "2026-01-01T24:00", "2026-01-01T10", "2026-01-01T10:60",
        "2026-01-01T10:00:60", "2026-01-01T10:00:00.", "2026-01-01T10:00:00.1234567",
        "2026-01-01T10:00:00+01:00", "2026-01-01Z", "+026-01-01", "2026-01-01 10:00 ", "heute",
    ])
    func `a time that is none, or not in UTC, is not read`(text: String) {
        #expect(Timestamp.parse(text) == nil)
    }

    @Test func `moments are spelled in ISO 8601, UTC, to the microsecond`() {
        #expect(Timestamp.text(0) == "1970-01-01T00:00:00.000000Z")
        #expect(Timestamp.text(951_782_400_000_001) == "2000-02-29T00:00:00.000001Z")
        #expect(Timestamp.text(4_107_542_399_999_999) == "2100-02-28T23:59:59.999999Z")
        #expect(Timestamp.seconds(1_795_228_370_660_883) == "2026-11-21T02:32:50Z")
    }

    @Test func `days are those of the Gregorian calendar for five hundred years`() {
        let format = Date.ISO8601FormatStyle()
        let wrong = stride(from: 0, through: 182_621, by: 13).filter { day in
            let seconds = day * 86_400 + day % 86_400
            let expected = Date(timeIntervalSince1970: Double(seconds)).formatted(format)
            return Timestamp.seconds(UInt64(seconds) * 1_000_000) != expected
        }
        #expect(wrong.isEmpty)
    }
}
