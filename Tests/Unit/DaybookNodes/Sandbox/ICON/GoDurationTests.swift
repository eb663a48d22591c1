import Testing

@testable import DaybookNodes

struct GoDurationTests {
    @Test(arguments: [
        (0, "0s"), (1, "1µs"), (999, "999µs"), (214_695, "214.695ms"), (1_500, "1.5ms"),
        (1_000_000, "1s"), (1_000_001, "1.000001s"), (60_000_000, "1m0s"),
        (298_069_975, "4m58.069975s"), (299_999_617, "4m59.999617s"),
        (3_600_000_000, "1h0m0s"), (1_793_420_702_974_335, "498172h25m2.974335s"),
    ]) func `a duration is printed as Go prints it`(microseconds: UInt64, expected: String) {
        #expect(GoDuration.text(microseconds) == expected)
    }
}
