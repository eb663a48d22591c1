/// An exact decimal number that is not negative, such as a price.
///
/// Each number has one text: digits, and behind a point those that do not end with a zero.
package struct DecimalNumber: Hashable, Sendable {
    /// The number without its point.
    package let digits: UInt256
    /// How many of the digits are behind the point.
    package let decimals: Int

    /// The most digits before the point, and the most behind it.
    package static let mostDigits = 18

    /// Parses digits, optionally with a point between them, as people write a price.
    ///
    /// Zeros before and behind the number are left out. Signs, exponents, separators of thousands,
    /// a point without digits at both sides, and too many digits make the result nil.
    package init?(_ text: some StringProtocol) {
        let parts = text.utf8.split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, !first.isEmpty, parts.last?.isEmpty == false else {
            return nil
        }
        var whole = Bytes(first)[...]
        while whole.count > 1, whole.first == UInt8(ascii: "0") { whole.removeFirst() }
        var fraction = parts.count == 2 ? Bytes(parts[1]) : []
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        guard whole.count <= Self.mostDigits, fraction.count <= Self.mostDigits,
            let digits = UInt256(decimal: String(decoding: whole + fraction, as: UTF8.self))
        else { return nil }
        (self.digits, decimals) = (digits, fraction.count)
    }

    /// The number's only text.
    package var text: String { DecimalAmount.format(digits, decimals: decimals) }
}
