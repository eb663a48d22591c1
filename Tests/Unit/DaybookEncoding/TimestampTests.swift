import DaybookEncoding
import Foundation
import Testing

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
