import DaybookEncoding
import Testing

struct JSONNumberTests {
    @Test(arguments: [
        "1000", "1e3", "1E3", "1e+3", "1000.0", "1000.000e0", "0.1e4", "10.00E2", "100000e-2",
        "1e0003", "0.000000000000000000001e24",
    ]) func `one number has many spellings`(literal: String) throws {
        let number = try #require(JSONNumber(literal: literal))
        #expect(number == JSONNumber(literal: "1000"))
        #expect(number.integer == 1000)
        #expect(number.units(decimals: 8) == UInt256(decimal: "100000000000"))
    }

    @Test(arguments: ["0", "-0", "0.0", "0e99999999999999999999", "-0.000E-5"])
    func `zero is zero, whatever its exponent is`(literal: String) throws {
        let number = try #require(JSONNumber(literal: literal))
        #expect(number.integer == 0)
        #expect(!number.isNegative)
        #expect(number.units(decimals: 8) == .zero)
        #expect(number.units(decimals: 8, roundingUp: true) == .zero)
    }

    @Test(arguments: [
        "", "+1", "01", "1.", ".5", "1e", "1e+", "0x10", "1,5", "NaN", "Infinity", "1 2", "--1",
        "1e5.0", "\"1\"", "null",
    ]) func `a text that JSON does not call a number is none`(literal: String) {
        #expect(JSONNumber(literal: literal) == nil)
    }

    @Test(arguments: [
        ("1e-05", 1000), ("0.00001", 1000), ("1.0E-5", 1000), ("5.224e-5", 5224),
        ("0.00000001", 1), ("1e-8", 1), ("1", 100_000_000), ("2.1e7", 2_100_000_000_000_000),
    ]) func `an amount of coins is read to the last unit`(literal: String, units: UInt64) {
        #expect(JSONNumber(literal: literal)?.units(decimals: 8) == UInt256(units))
    }

    @Test func `a number finer than a unit is no amount, or is rounded up`() throws {
        for (literal, rounded) in [
            ("0.000010001", 1001), ("1e-9", 1), ("1e-999999999999", 1),
            ("1.0000000000001", 100_000_001),
        ] {
            let number = try #require(JSONNumber(literal: literal))
            #expect(number.units(decimals: 8) == nil)
            let units = number.units(decimals: 8, roundingUp: true)
            #expect(units == UInt256(UInt64(rounded)), "\(literal)")
        }
    }

    @Test func `numbers below zero and beyond 256 bits are no amounts`() throws {
        let longest = "1" + String(repeating: "0", count: 78)
        for literal in ["-1", "-1e-9", "1e999", "1e99999999999999999999", longest] {
            let number = try #require(JSONNumber(literal: literal))
            #expect(number.units(decimals: 0) == nil, "\(literal)")
            #expect(number.units(decimals: 8, roundingUp: true) == nil, "\(literal)")
        }
        #expect(JSONNumber(literal: UInt256.max.decimal)?.units(decimals: 0) == .max)
    }

    @Test(arguments: [
        ("-1", -1), ("-1.0", -1), ("-1e0", -1), ("9223372036854775807", Int64.max),
        ("-9223372036854775808", Int64.min), ("9.223372036854775807e18", Int64.max),
    ]) func `an integer has a sign`(literal: String, value: Int64) {
        #expect(JSONNumber(literal: literal)?.integer == value)
    }

    @Test(arguments: [
        "0.5", "1e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e300",
    ]) func `a fraction, or a number that does not fit, is no integer`(literal: String) {
        #expect(JSONNumber(literal: literal)?.integer == nil)
    }

    @Test func `only a number is a number`() throws {
        #expect(try JSON.parse(Bytes("1e2".utf8)).number?.integer == 100)
        #expect(JSON.string("1").number == nil)
        #expect(JSON.null.number == nil)
    }
}
