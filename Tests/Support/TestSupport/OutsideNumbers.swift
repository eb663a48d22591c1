/// Numbers as strangers write them: those at which some program's arithmetic ends, and no numbers.
package enum OutsideNumbers {
    /// The powers of two at which a type ends: 32 and 64 bits with and without a sign, what
    /// JavaScript counts to, and a quarter and the square of 64 bits.
    private static let ends = [
        ["2147483647", "2147483648", "2147483649"], ["4294967295", "4294967296", "4294967297"],
        ["9007199254740991", "9007199254740992", "9007199254740993"],
        ["4611686018427387903", "4611686018427387904", "4611686018427387905"],
        ["9223372036854775807", "9223372036854775808", "9223372036854775809"],
        ["18446744073709551615", "18446744073709551616", "18446744073709551617"],
        ["340282366920938463463374607431768211456"],
    ].flatMap { $0 }

    /// Whole numbers without a sign.
    package static let whole = ["0", "1", "2"] + ends

    /// Numbers as JSON has them.
    package static let inJSON =
        whole + (["1", "0"] + ends).map { "-" + $0 }
        + ["1.5", "0.1", "-0.5", "1e3", "1E-5", "1e400", "-1e400"]

    /// Values as JSON has them: numbers, texts that look like numbers, and other things.
    package static let values =
        inJSON
        + (whole + ["-1", "+1", "1.5", ".5", "1e3", "0x10", " 1", "", "x"]).map { "\"\($0)\"" }
        + ["\"0.00000001\"", "\"0.000000001\"", "\"21000000\"", "\"21000000.00000001\""]
        + ["\"184467440737.09551615\"", "\"\(String(repeating: "9", count: 80))\""]
        + ["null", "true", "[]", "[\"1\"]", "{}"]

    /// The same as words of a command line.
    package static let words =
        whole + ["-1", "-9223372036854775808", "+1", "1.5", "1e3", "0x10", " 1", "x", "null"]
}
