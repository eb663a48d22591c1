/// A natural number of any size, for sums and ratios that are never rounded.
package struct BigNatural: Equatable, Sendable {
    /// 64 bits each, the lowest ones first, without zeros at the end.
    private var limbs: [UInt64]

    private init(_ limbs: [UInt64]) {
        self.limbs = limbs
        while self.limbs.last == 0 { self.limbs.removeLast() }
    }

    package init(_ value: UInt64) { self.init([value]) }

    package init(_ value: UInt256) {
        let bytes = Bytes(value.minimalBytes.reversed())
        self.init(
            stride(from: 0, to: bytes.count, by: 8).map { start in
                bytes[start..<min(start + 8, bytes.count)].reversed().reduce(0) {
                    $0 << 8 | UInt64($1)
                }
            })
    }

    package static let zero = BigNatural([])

    /// A power of ten, such as the number of minor units of a whole coin.
    package static func power(ofTen exponent: Int) -> BigNatural {
        var power = BigNatural(1)
        for _ in 0..<exponent { power = power * BigNatural(10) }
        return power
    }

    package var isZero: Bool { limbs.isEmpty }
    package var isOdd: Bool { (limbs.first ?? 0) & 1 == 1 }

    /// The decimal digits without leading zeros.
    package var decimal: String {
        if isZero { return "0" }
        var parts: [String] = []
        var rest = self
        while !rest.isZero {
            let (quotient, digits) = rest.quotientAndRemainder(dividingBy: Self.partOfDigits)
            parts.append(String(digits))
            rest = quotient
        }
        let zeros = String(repeating: "0", count: 18)
        return parts.reversed().enumerated().map { index, part in
            index == 0 ? part : String((zeros + part).suffix(18))
        }.joined()
    }

    /// Eighteen digits are written at a time.
    private static let partOfDigits: UInt64 = 1_000_000_000_000_000_000
}

extension BigNatural: Comparable {
    package static func < (left: BigNatural, right: BigNatural) -> Bool {
        if left.limbs.count != right.limbs.count { return left.limbs.count < right.limbs.count }
        for index in left.limbs.indices.reversed() where left.limbs[index] != right.limbs[index] {
            return left.limbs[index] < right.limbs[index]
        }
        return false
    }
}

// MARK: - Arithmetic

extension BigNatural {
    package static func + (left: BigNatural, right: BigNatural) -> BigNatural {
        var (sum, other) = (left.limbs, right.limbs)
        if sum.count < other.count { swap(&sum, &other) }
        var carry = false
        for index in sum.indices {
            let (first, one) = sum[index].addingReportingOverflow(
                index < other.count ? other[index] : 0)
            let (total, two) = first.addingReportingOverflow(carry ? 1 : 0)
            (sum[index], carry) = (total, one || two)
        }
        if carry { sum.append(1) }
        return BigNatural(sum)
    }

    /// The difference of two numbers, of which the second is not the greater one.
    package static func - (left: BigNatural, right: BigNatural) -> BigNatural {
        precondition(left >= right, "a natural number is not below zero")
        var rest = left.limbs
        var borrow = false
        for index in rest.indices {
            let (first, one) = rest[index].subtractingReportingOverflow(
                index < right.limbs.count ? right.limbs[index] : 0)
            let (total, two) = first.subtractingReportingOverflow(borrow ? 1 : 0)
            (rest[index], borrow) = (total, one || two)
        }
        return BigNatural(rest)
    }

    package static func * (left: BigNatural, right: BigNatural) -> BigNatural {
        var product = [UInt64](repeating: 0, count: left.limbs.count + right.limbs.count)
        for (place, factor) in left.limbs.enumerated() {
            var carry: UInt64 = 0
            for (index, limb) in right.limbs.enumerated() {
                let (high, low) = factor.multipliedFullWidth(by: limb)
                let (sum, one) = low.addingReportingOverflow(product[place + index])
                let (total, two) = sum.addingReportingOverflow(carry)
                product[place + index] = total
                // A product's high half leaves room for both carries.
                carry = high + (one ? 1 : 0) + (two ? 1 : 0)
            }
            product[place + right.limbs.count] = carry
        }
        return BigNatural(product)
    }

    /// The quotient and the remainder of a division by a number other than zero.
    package func quotientAndRemainder(
        dividingBy divisor: UInt64
    ) -> (quotient: BigNatural, remainder: UInt64) {
        precondition(divisor != 0, "a divisor is an amount, a price or a power of ten")
        var quotient = limbs
        var remainder: UInt64 = 0
        for index in limbs.indices.reversed() {
            (quotient[index], remainder) = divisor.dividingFullWidth((remainder, limbs[index]))
        }
        return (BigNatural(quotient), remainder)
    }

    /// The quotient and the remainder of a division by a number other than zero.
    ///
    /// This is algorithm D of Knuth (The Art of Computer Programming, 4.3.1), in digits of 64 bits.
    package func quotientAndRemainder(
        dividingBy divisor: BigNatural
    ) -> (quotient: BigNatural, remainder: BigNatural) {
        if self < divisor { return (.zero, self) }
        if divisor.limbs.count < 2 {
            let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor.limbs.first ?? 0)
            return (quotient, BigNatural(remainder))
        }
        // The divisor's highest bit is set, so that two of its digits tell the quotient's.
        let shift = (divisor.limbs.last ?? 0).leadingZeroBitCount
        let small = divisor.shifted(left: shift).limbs
        var rest = shifted(left: shift).limbs
        rest += [UInt64](repeating: 0, count: limbs.count + 1 - rest.count)
        var quotient = [UInt64](repeating: 0, count: rest.count - small.count)
        for place in quotient.indices.reversed() {
            quotient[place] = Self.divide(&rest, by: small, at: place)
        }
        return (BigNatural(quotient), BigNatural(rest).shifted(right: shift))
    }

    /// Finds one digit of a quotient, and takes its multiple of the divisor from the rest.
    private static func divide(
        _ rest: inout [UInt64], by divisor: [UInt64], at place: Int
    ) -> UInt64 {
        let count = divisor.count
        var digit = guess(
            (rest[place + count], rest[place + count - 1], rest[place + count - 2]),
            (divisor[count - 1], divisor[count - 2]))
        var carry: UInt64 = 0
        var borrow = false
        func take(_ part: UInt64, from limb: inout UInt64) {
            let (first, one) = limb.subtractingReportingOverflow(part)
            let (total, two) = first.subtractingReportingOverflow(borrow ? 1 : 0)
            (limb, borrow) = (total, one || two)
        }
        for index in 0..<count {
            let (high, low) = digit.multipliedFullWidth(by: divisor[index])
            let (sum, isOver) = low.addingReportingOverflow(carry)
            carry = high + (isOver ? 1 : 0)
            take(sum, from: &rest[place + index])
        }
        take(carry, from: &rest[place + count])
        guard borrow else { return digit }
        // The guess was one too high, which is rare.
        digit -= 1
        var isOver = false
        for index in 0..<count {
            let (first, one) = rest[place + index].addingReportingOverflow(divisor[index])
            let (total, two) = first.addingReportingOverflow(isOver ? 1 : 0)
            (rest[place + index], isOver) = (total, one || two)
        }
        rest[place + count] &+= isOver ? 1 : 0
        return digit
    }

    /// A digit of a quotient by the highest digits, which is right or one too high.
    private static func guess(
        _ rest: (UInt64, UInt64, UInt64), _ divisor: (UInt64, UInt64)
    ) -> UInt64 {
        var digit = UInt64.max
        var left: UInt64
        if rest.0 >= divisor.0 {
            let (sum, isOver) = rest.1.addingReportingOverflow(divisor.0)
            if isOver { return digit }
            left = sum
        } else {
            (digit, left) = divisor.0.dividingFullWidth((rest.0, rest.1))
        }
        while true {
            let (high, low) = digit.multipliedFullWidth(by: divisor.1)
            guard (high, low) > (left, rest.2) else { return digit }
            digit -= 1
            let (sum, isOver) = left.addingReportingOverflow(divisor.0)
            if isOver { return digit }
            left = sum
        }
    }

    private func shifted(left bits: Int) -> BigNatural {
        if bits == 0 { return self }
        var shifted: [UInt64] = []
        var carry: UInt64 = 0
        for limb in limbs {
            shifted.append(limb << bits | carry)
            carry = limb >> (64 - bits)
        }
        return BigNatural(shifted + [carry])
    }

    private func shifted(right bits: Int) -> BigNatural {
        if bits == 0 { return self }
        return BigNatural(
            limbs.indices.map { index in
                let next = index + 1 < limbs.count ? limbs[index + 1] : 0
                return limbs[index] >> bits | next << (64 - bits)
            })
    }
}
