import DaybookChains
import DaybookEncoding
import Testing

struct ICONIntegerTests {
    @Test(arguments: ["0x0", "0x1", "0xde0b6b3a7640000", "0x" + String(repeating: "f", count: 64)])
    func `the canonical form is read and written back`(text: String) throws {
        let number = try #require(ICONInteger.parse(text))
        #expect(ICONInteger.text(number) == text)
    }

    @Test(arguments: [
        "", "0", "0x", "0x00", "0x01", "0xAB", "0X1", "-0x1", "100", "0x1.5", " 0x1", "0x1 ",
        "+0x1", "0x-1", "0x+1", "0x1" + String(repeating: "0", count: 64),
    ]) func `every other form is refused`(text: String) {
        #expect(ICONInteger.parse(text) == nil)
    }

    @Test func `a small number has 63 bits`() {
        #expect(ICONInteger.parseSmall("0x7fffffffffffffff") == UInt64(Int64.max))
        #expect(ICONInteger.parseSmall("0x8000000000000000") == nil)
        #expect(ICONInteger.parseSmall("0x01") == nil)
        #expect(ICONInteger.text(UInt64(255)) == "0xff")
    }
}
