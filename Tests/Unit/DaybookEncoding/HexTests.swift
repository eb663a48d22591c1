import DaybookEncoding
import Testing

struct HexTests {
    @Test func `bytes become pairs of lower-case digits and come back`() {
        let bytes = Bytes(0...255)
        let text = Hex.encode(bytes)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hex.decode(text) == bytes)
        #expect(Hex.decode(text.uppercased()) == bytes)
        #expect(Hex.encode(bytes[10..<12]) == "0a0b")
        #expect(Hex.decode("") == [])
    }

    @Test(arguments: ["0", "abc", "0g", "0x00", " 00", "00\n", "é", "00 11", "+1", "٠٠"])
    func `anything but whole pairs of digits is refused`(text: String) {
        #expect(Hex.decode(text) == nil)
    }
}
