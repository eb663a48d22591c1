import DaybookEncoding
import Testing

struct Base58Tests {
    /// Bitcoin Core, src/test/data/base58_encode_decode.json.
    private let vectors = [
        ("", ""), ("61", "2g"), ("626262", "a3gV"), ("636363", "aPEr"),
        ("73696d706c792061206c6f6e6720737472696e67", "2cFupjhnEsSn59qHXstmK2ffpLv2"),
        (
            "00eb15231dfceb60925886b67d065299925915aeb172c06647",
            "1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L"
        ),
        ("516b6fcd0f", "ABnLTmg"), ("bf4f89001e670274dd", "3SEo3LWLoPntC"),
        ("572e4794", "3EFU7m"), ("ecac89cad93923c02321", "EJDM8drfXA6uyA"),
        ("10c8511e", "Rt5zm"), ("00000000000000000000", "1111111111"),
    ]

    @Test func `Bitcoin's vectors are spelled and read alike`() throws {
        for (hex, text) in vectors {
            let bytes = try #require(Hex.decode(hex))
            #expect(Base58.encode(bytes) == text)
            #expect(Base58.decode(text) == bytes)
        }
    }

    @Test(arguments: ["0", "O", "I", "l", " 2g", "2g\n", "a-b", "é"])
    func `other characters are refused`(text: String) {
        #expect(Base58.decode(text) == nil)
    }

    @Test func `a text beyond the maximum is refused`() {
        #expect(Base58.decode(String(repeating: "1", count: 128))?.count == 128)
        #expect(Base58.decode(String(repeating: "1", count: 129)) == nil)
        #expect(Base58.decode("2g2", maximumLength: 2) == nil)
    }

    @Test func `every value of each length up to two bytes comes back`() {
        for value in 0...UInt16.max {
            let bytes = [UInt8(value >> 8), UInt8(value & 0xff)]
            #expect(Base58.decode(Base58.encode(bytes)) == bytes)
        }
    }
}
