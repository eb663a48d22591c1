/// Amounts in whole coins, as people and URLs write them, and in minor units, as we count.
package enum DecimalAmount {
    /// The minor units of an amount by the grammar of BIP 21: digits, perhaps a point, digits.
    ///
    /// `.5` and `1.` are amounts; a sign, an exponent, a comma, a space, a point alone and more
    /// than `decimals` digits after the point are not, nor is what exceeds 256 bits.
    package static func parse(_ text: some StringProtocol, decimals: Int) -> UInt256? {
        let parts = text.utf8.split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? Bytes(parts[1]) : []
        let digits = Bytes(parts[0]) + fraction
        guard !digits.isEmpty, fraction.count <= decimals else { return nil }
        let zeros = Bytes(repeating: UInt8(ascii: "0"), count: decimals - fraction.count)
        return UInt256(decimal: String(decoding: digits + zeros, as: UTF8.self))
    }

    /// The amount in whole coins, without an exponent and without zeros that say nothing.
    package static func format(_ minor: UInt256, decimals: Int) -> String {
        let digits = minor.decimal
        let zeros = String(repeating: "0", count: Swift.max(0, decimals + 1 - digits.utf8.count))
        let padded = zeros + digits
        let whole = padded.dropLast(decimals)
        var fraction = padded.suffix(decimals)
        while fraction.last == "0" { fraction.removeLast() }
        return fraction.isEmpty ? String(whole) : "\(whole).\(fraction)"
    }
}
