import DaybookDomain
import DaybookEncoding
import Testing

struct SignedAmountTests {
    private func amount(_ number: Int) -> SignedAmount {
        SignedAmount(UInt256(UInt64(number.magnitude)), isNegative: number < 0)
    }

    @Test func `amounts with signs add up as integers do`() {
        for left in -5...5 {
            for right in -5...5 {
                #expect(amount(left).adding(amount(right)) == amount(left + right))
                #expect(amount(left).adding(amount(right).negated) == amount(left - right))
            }
        }
    }

    @Test func `a negative zero is zero`() {
        #expect(amount(0).negated == .zero)
        #expect(SignedAmount(.zero, isNegative: true) == .zero)
    }

    @Test func `the text has the sign before all digits`() {
        #expect(amount(-2).text(decimals: 0) == "-2")
        #expect(amount(-8).text(decimals: 2) == "-0.08")
        #expect(amount(123).text(decimals: 2) == "1.23")
    }
}
