import Testing

@testable import DaybookEncoding

struct DecimalNumberTests {
    @Test(arguments: [
        ("0", "0"), ("24.30", "24.3"), ("007", "7"), ("0.000", "0"), ("00.5", "0.5"),
        ("999999999999999999.999999999999999999", "999999999999999999.999999999999999999"),
        ("0000000000000000000000001.0000000000000000000000", "1"),
    ])
    func `a number has one text`(_ text: String, _ expected: String) {
        #expect(DecimalNumber(text)?.text == expected)
        #expect(DecimalNumber(text) == DecimalNumber(expected))
    }

    /// Signs and exponents are for other programs, separators of thousands for other countries, and
    /// digits of other scripts for nobody who types a price.
    @Test(arguments: [
        "", ".", "1.", ".5", "-1", "+1", "1e3", "1E-3", "1,5", "1 000", "1.2.3", "٣", "0x1", "nan",
        "1000000000000000000", "0.0000000000000000001",
    ])
    func `another text is no number`(_ text: String) {
        #expect(DecimalNumber(text) == nil)
    }
}
