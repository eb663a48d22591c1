/// An unsigned integer of 256 bits, for amounts.
///
/// It has no operators: its methods return nil or a flag on overflow.
package struct UInt256: Hashable, Sendable {
    /// The limbs of 64 bits, the lowest first.
    private var limbs: InlineLimbs

    /// Four limbs as stored properties, so that a value is not on the heap.
    private struct InlineLimbs: Hashable, Sendable {
        var first: UInt64 = 0
        var second: UInt64 = 0
        var third: UInt64 = 0
        var fourth: UInt64 = 0

        subscript(index: Int) -> UInt64 {
            get {
                switch index {
                case 0: first
                case 1: second
                case 2: third
                default: fourth
                }
            }
            set {
                switch index {
                case 0: first = newValue
                case 1: second = newValue
                case 2: third = newValue
                default: fourth = newValue
                }
            }
        }
    }

    /// Zero.
    package static let zero = UInt256(0)
    /// 2^256 - 1.
    package static let max = UInt256(limbs: (.max, .max, .max, .max))

    /// A small integer.
    package init(_ value: UInt64) {
        self.init(limbs: (value, 0, 0, 0))
    }

    private init(limbs: (UInt64, UInt64, UInt64, UInt64)) {
        self.limbs = InlineLimbs(
            first: limbs.0, second: limbs.1, third: limbs.2, fourth: limbs.3)
    }

    /// The integer in at most 32 big-endian bytes; no bytes are zero.
    package init?(bigEndian bytes: Bytes) {
        guard bytes.count <= 32 else { return nil }
        self = .zero
        for (index, byte) in bytes.reversed().enumerated() {
            limbs[index / 8] |= UInt64(byte) << UInt64(8 * (index % 8))
        }
    }

    /// Parses decimal digits; allows leading zeros, but no signs or spaces.
    package init?(decimal: some StringProtocol) {
        guard !decimal.isEmpty else { return nil }
        var (high, low, scale) = (UInt256.zero, UInt64(0), UInt64(1))
        // Nineteen digits at a time: 10^19 is the highest power of ten in 64 bits.
        func joined() -> UInt256? { high.multiplied(by: scale)?.adding(UInt256(low)) }
        for character in decimal.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character) else { return nil }
            if scale == 10_000_000_000_000_000_000 {
                guard let next = joined() else { return nil }
                (high, low, scale) = (next, 0, 1)
            }
            low = low * 10 + UInt64(character - UInt8(ascii: "0"))
            scale *= 10
        }
        guard let value = joined() else { return nil }
        self = value
    }

    /// Parses hexadecimal digits in upper or lower case without `0x`; allows leading zeros.
    package init?(hex: some StringProtocol) {
        self.init(hex: Bytes(hex.utf8)[...])
    }

    /// The same for digits that are bytes already.
    package init?(hex: ArraySlice<UInt8>) {
        guard !hex.isEmpty else { return nil }
        self = .zero
        for character in hex {
            guard let digit = Hex.value(ofDigit: character), limbs.fourth >> 60 == 0 else {
                return nil
            }
            limbs.fourth = limbs.fourth << 4 | limbs.third >> 60
            limbs.third = limbs.third << 4 | limbs.second >> 60
            limbs.second = limbs.second << 4 | limbs.first >> 60
            limbs.first = limbs.first << 4 | UInt64(digit)
        }
    }
}

// MARK: - Formatting

extension UInt256 {
    /// The 32 bytes, the highest first.
    package var bigEndianBytes: Bytes {
        (0..<32).map { index in
            let place = 31 - index
            return UInt8(truncatingIfNeeded: limbs[place / 8] >> UInt64(8 * (place % 8)))
        }
    }

    /// The big-endian bytes without leading zeros; none for zero.
    package var minimalBytes: Bytes {
        Bytes(bigEndianBytes.drop { $0 == 0 })
    }

    /// The lower-case digits without leading zeros and without `0x`; zero is `0`.
    package var hex: String {
        let digits = Hex.encode(minimalBytes)
        if digits.isEmpty { return "0" }
        return digits.hasPrefix("0") ? String(digits.dropFirst()) : digits
    }

    /// The decimal digits without leading zeros.
    package var decimal: String {
        if let small = inSixtyFourBits { return String(small) }
        // Nineteen digits at a time: 10^19 is the highest power of ten in 64 bits.
        let chunk: UInt64 = 10_000_000_000_000_000_000
        var chunks: [UInt64] = []
        var rest = self
        repeat {
            let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: chunk)
            chunks.append(remainder)
            rest = quotient
        } while rest != .zero
        var text = ""
        for chunk in chunks.reversed() {
            let digits = String(chunk)
            if !text.isEmpty { text += String(repeating: "0", count: 19 - digits.utf8.count) }
            text += digits
        }
        return text
    }

    /// The lowest 64 bits, when the others are zero.
    fileprivate var inSixtyFourBits: UInt64? {
        limbs.second | limbs.third | limbs.fourth == 0 ? limbs.first : nil
    }
}

extension UInt64 {
    /// The same integer in 64 bits; nil when it does not fit.
    package init?(exactly value: UInt256) {
        guard let small = value.inSixtyFourBits else { return nil }
        self = small
    }
}

// MARK: - Arithmetic

extension UInt256: Comparable {
    /// Whether `left` is the smaller.
    package static func < (left: UInt256, right: UInt256) -> Bool {
        for index in (0..<4).reversed() where left.limbs[index] != right.limbs[index] {
            return left.limbs[index] < right.limbs[index]
        }
        return false
    }

    /// The sum, modulo 2^256, and whether it was too large.
    package func addingReportingOverflow(
        _ other: UInt256
    ) -> (partialValue: UInt256, overflow: Bool) {
        var result = UInt256.zero
        var carry = false
        for index in 0..<4 {
            let (sum, first) = limbs[index].addingReportingOverflow(other.limbs[index])
            let (total, second) = sum.addingReportingOverflow(carry ? 1 : 0)
            result.limbs[index] = total
            carry = first || second
        }
        return (result, carry)
    }

    /// The difference, modulo 2^256, and whether it was below zero.
    package func subtractingReportingOverflow(
        _ other: UInt256
    ) -> (partialValue: UInt256, overflow: Bool) {
        var result = UInt256.zero
        var borrow = false
        for index in 0..<4 {
            let (rest, first) = limbs[index].subtractingReportingOverflow(other.limbs[index])
            let (total, second) = rest.subtractingReportingOverflow(borrow ? 1 : 0)
            result.limbs[index] = total
            borrow = first || second
        }
        return (result, borrow)
    }

    /// The product, modulo 2^256, and whether it was too large.
    package func multipliedReportingOverflow(
        by other: UInt256
    ) -> (partialValue: UInt256, overflow: Bool) {
        var result = UInt256.zero
        var overflow = false
        for place in 0..<4 {
            var carry: UInt64 = 0
            for index in 0..<4 {
                let product = limbs[index].multipliedFullWidth(by: other.limbs[place])
                guard index + place < 4 else {
                    overflow = overflow || product.high != 0 || product.low != 0
                    continue
                }
                let (sum, first) = product.low.addingReportingOverflow(
                    result.limbs[index + place])
                let (total, second) = sum.addingReportingOverflow(carry)
                result.limbs[index + place] = total
                // A product's high half is at most 2^64 - 2, and both carries at once would need
                // more than a double word holds.
                carry = product.high + (first ? 1 : 0) + (second ? 1 : 0)
                if index + place == 3 { overflow = overflow || carry != 0 }
            }
        }
        return (result, overflow)
    }

    /// The sum; nil when it is too large.
    package func adding(_ other: UInt256) -> UInt256? {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? nil : sum
    }

    /// The difference; nil when it is below zero.
    package func subtracting(_ other: UInt256) -> UInt256? {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? nil : difference
    }

    /// The product; nil when it is too large.
    package func multiplied(by other: UInt256) -> UInt256? {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? nil : product
    }

    /// The product with a small integer; nil when it is too large.
    package func multiplied(by other: UInt64) -> UInt256? {
        multiplied(by: UInt256(other))
    }

    /// The quotient and the remainder of a division by an integer other than zero.
    package func quotientAndRemainder(
        dividingBy divisor: UInt64
    ) -> (quotient: UInt256, remainder: UInt64) {
        precondition(divisor != 0, "divisors are constants and sizes that were checked before")
        var quotient = UInt256.zero
        var remainder: UInt64 = 0
        for index in (0..<4).reversed() {
            (quotient.limbs[index], remainder) = divisor.dividingFullWidth(
                (remainder, limbs[index]))
        }
        return (quotient, remainder)
    }
}

/// Converts amounts between whole coins, as people write them, and minor units.
package enum DecimalAmount {
    /// Parses an amount by the grammar of BIP 21: digits, optionally a point and more digits.
    ///
    /// `.5` and `1.` are amounts. Signs, exponents, commas, spaces, a point alone, more than
    /// `decimals` digits after the point, and amounts above 256 bits are refused.
    package static func parse(_ text: some StringProtocol, decimals: Int) -> UInt256? {
        let parts = text.utf8.split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? Bytes(parts[1]) : []
        let digits = Bytes(parts[0]) + fraction
        guard !digits.isEmpty, fraction.count <= decimals else { return nil }
        let zeros = Bytes(repeating: UInt8(ascii: "0"), count: decimals - fraction.count)
        return UInt256(decimal: String(decoding: digits + zeros, as: UTF8.self))
    }

    /// The amount in whole coins, without an exponent and without trailing zeros.
    package static func format(_ minor: UInt256, decimals: Int) -> String {
        let zero = UInt8(ascii: "0")
        var digits = Bytes(minor.decimal.utf8)
        let missing = Swift.max(0, decimals + 1 - digits.count)
        digits.insert(contentsOf: repeatElement(zero, count: missing), at: 0)
        let point = digits.count - decimals
        while digits.count > point, digits.last == zero { digits.removeLast() }
        if digits.count > point { digits.insert(UInt8(ascii: "."), at: point) }
        return String(decoding: digits, as: UTF8.self)
    }
}
