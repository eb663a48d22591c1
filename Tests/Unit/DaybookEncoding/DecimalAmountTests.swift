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
