import DaybookDomain
import DaybookEncoding
import Testing

struct SignedAmountTests {
    @Test func `amounts with signs add up both ways`() {
        let three = SignedAmount(UInt256(3))
        let five = SignedAmount(UInt256(5))
        #expect(three.adding(five.negated).text(decimals: 0) == "-2")
        #expect(three.negated.adding(five).text(decimals: 0) == "2")
        #expect(three.negated.adding(five.negated).text(decimals: 2) == "-0.08")
        #expect(three.adding(three.negated) == .zero)
        #expect(SignedAmount(.zero, isNegative: true) == .zero)
    }
}
