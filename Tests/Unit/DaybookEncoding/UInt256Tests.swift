import DaybookEncoding
import Testing
import TestSupport

struct UInt256Tests {
    @Test func `sums, differences, products and quotients agree with another implementation`()
        throws
    {
        let rows = try Fixture.rows("uint256/arithmetic.txt")
        #expect(rows.count > 400)
        for row in rows {
            let a = try #require(UInt256(hex: row[0]))
            let b = try #require(UInt256(hex: row[1]))
            #expect(a.adding(b)?.hex ?? "-" == row[2])
            #expect(a.subtracting(b)?.hex ?? "-" == row[3])
            #expect(a.multiplied(by: b)?.hex ?? "-" == row[4], "\(row[0]) * \(row[1])")
            #expect(a.decimal == row[5])
            #expect(UInt256(decimal: row[5]) == a)
            let (quotient, remainder) = a.quotientAndRemainder(
                dividingBy: try #require(UInt64(row[6], radix: 16)))
            #expect(quotient.hex == row[7])
            #expect(UInt256(remainder).hex == row[8])
            #expect((a < b) == (row[3] == "-"))
            #expect(UInt256(bigEndian: a.bigEndianBytes) == a)
            #expect(UInt256(bigEndian: a.minimalBytes) == a)
        }
    }

    @Test func `an overflow wraps around and says so`() {
        #expect(UInt256.max.addingReportingOverflow(UInt256(2)) == (UInt256(1), true))
        #expect(UInt256.zero.subtractingReportingOverflow(UInt256(1)) == (.max, true))
        #expect(UInt256.max.multipliedReportingOverflow(by: .max) == (UInt256(1), true))
    }

    @Test func `spellings are minimal`() throws {
        #expect(UInt256.zero.hex == "0")
        #expect(UInt256.zero.decimal == "0")
        #expect(UInt256.zero.minimalBytes == [])
        #expect(UInt256.zero.bigEndianBytes == Bytes(repeating: 0, count: 32))
        #expect(UInt256(0xabc).hex == "abc")
        #expect(UInt256(0x1ff).minimalBytes == [1, 0xff])
        #expect(UInt256.max.hex == String(repeating: "f", count: 64))
        let chunk = try #require(UInt256(decimal: "10000000000000000000"))
        #expect(chunk.decimal == "10000000000000000000")
        #expect(chunk.multiplied(by: 10 as UInt64)?.decimal == "100000000000000000000")
    }

    @Test func `leading zeros are read`() {
        #expect(UInt256(hex: String(repeating: "0", count: 70) + "F") == UInt256(15))
        #expect(UInt256(decimal: String(repeating: "0", count: 90) + "7") == UInt256(7))
        #expect(UInt256(bigEndian: []) == .zero)
    }

    @Test func `a text that is no number or does not fit is refused`() {
        for text in ["", "-1", "+1", " 1", "1 ", "0x1", "g", "1.0", "é", "٣"] {
            #expect(UInt256(hex: text) == nil, "\(text)")
            #expect(UInt256(decimal: text) == nil, "\(text)")
        }
        #expect(UInt256(decimal: "a") == nil)
        #expect(UInt256(hex: "1" + String(repeating: "0", count: 64)) == nil)
        let above = "115792089237316195423570985008687907853269984665640564039457584007913129639936"
        #expect(UInt256(decimal: above) == nil)
        #expect(UInt256(decimal: above.dropLast() + "5") == .max)
        #expect(UInt256(bigEndian: Bytes(repeating: 0, count: 33)) == nil)
    }

    @Test func `only a number of at most 64 bits is a small integer`() {
        #expect(UInt64(exactly: UInt256(.max)) == .max)
        #expect(UInt256(.max).adding(UInt256(1)).flatMap(UInt64.init(exactly:)) == nil)
        #expect(UInt64(exactly: UInt256.max) == nil)
    }

    @Test func `dividing by zero is a bug`() async {
        await #expect(processExitsWith: .failure) {
            _ = UInt256.max.quotientAndRemainder(dividingBy: 0)
        }
    }
}
