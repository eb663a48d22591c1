import Testing

@testable import DaybookEncoding

struct ExactRatioTests {
    private static func number(_ decimal: String) -> BigNatural {
        decimal.utf8.reduce(BigNatural.zero) { $0 * BigNatural(10) + BigNatural(UInt64($1 - 0x30)) }
    }

    @Test(arguments: [
        ("0", "7"), ("6", "7"), ("7", "7"), ("340282366920938463463374607431768211455", "3"),
        ("340282366920938463463374607431768211456", "18446744073709551616"),
        ("115792089237316195423570985008687907853269984665640564039457584007913129639935",
            "340282366920938463463374607431768211455"),
        // The guessed digit of the quotient is too high.
        ("170141183460469231731687303715884105728000000000000000000000000000",
            "9223372036854775808000000000000000001"),
        ("3138550867693340381917894711603833208051177722232017256448",
            "170141183460469231731687303715884105728"),
        ("6277101735386680763835789423207666416102355444464034512895",
            "340282366920938463444927863358058659841"),
    ])
    func `a quotient times its divisor and the rest are the number`(
        _ dividend: String, _ divisor: String
    ) {
        let (number, other) = (Self.number(dividend), Self.number(divisor))
        #expect(number.decimal == dividend && other.decimal == divisor)
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: other)
        #expect(rest < other)
        #expect(quotient * other + rest == number)
        #expect(number + other - other == number)
    }

    @Test func `random quotients are right, whatever their sizes`() {
        var seed: UInt64 = 1
        func next() -> UInt64 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Many digits are the smallest and the greatest, at which carries happen.
            return [0, .max, 1 << 63, seed, seed][Int(seed >> 61) % 5]
        }
        func number(_ limbs: Int) -> BigNatural {
            (0..<limbs).reduce(BigNatural(1)) { number, _ in
                number * BigNatural(.max) + BigNatural(next())
            }
        }
        for round in 0..<2000 {
            let (dividend, divisor) = (number(round % 9), number(round % 5))
            let (quotient, rest) = dividend.quotientAndRemainder(dividingBy: divisor)
            #expect(rest < divisor && quotient * divisor + rest == dividend)
        }
    }

    @Test(arguments: [
        (25, 1000, 2, "0.02"), (35, 1000, 2, "0.04"), (15, 10, 0, "2"), (25, 10, 0, "2"),
        (5, 10, 0, "0"), (1, 3, 3, "0.333"), (2, 3, 3, "0.667"), (12345, 100, 1, "123.4"),
        (12355, 100, 1, "123.6"), (0, 5, 2, "0.00"), (1250, 100, 2, "12.50"),
    ])
    func `a ratio is shown rounded half to even`(
        _ numerator: UInt64, _ denominator: UInt64, _ decimals: Int, _ expected: String
    ) {
        let ratio = ExactRatio(BigNatural(numerator), over: BigNatural(denominator))
        #expect(ratio.text(decimals: decimals) == expected)
        let below = ExactRatio.zero - ratio
        let isZero = expected.allSatisfy { "0.".contains($0) }
        #expect(below.text(decimals: decimals) == (isZero ? expected : "-" + expected))
    }

    @Test func `sums and differences are exact`() {
        let third = ExactRatio(BigNatural(1), over: BigNatural(3))
        let seventh = ExactRatio(BigNatural(1)) / BigNatural(7)
        let rest = third + third + third - seventh * BigNatural(7)
        #expect(rest.text(decimals: 30) == "0." + String(repeating: "0", count: 30))
        #expect((seventh - third).text(decimals: 4) == "-0.1905")
    }
}
